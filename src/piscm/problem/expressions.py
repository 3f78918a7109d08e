"""User input as expressions that can be compiled: one traversal, one sentence per mistake.

Nothing is evaluated before it has been checked: SymPy would sum ``Sum(..., (i, 1, 10**7))`` and
write out ``9**9**9``, however long that takes.
"""

from collections.abc import Sequence
from typing import Any

import sympy
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean, BooleanAtom

from piscm.problem.errors import ProblemError, UnfitError, brief, shortened
from piscm.problem.functions import COMPLEX, CONSTANTS, FUNCTIONS, MAX_COMPARED, MAX_ORDER
from piscm.problem.given import as_sympy
from piscm.problem.integrals import Integral, here
from piscm.problem.normals import normal
from piscm.problem.sampled import Sampled, Samples
from piscm.problem.size import MAX_PARTS, Sizes
from piscm.problem.symbols import ComplexField, lookalike

_MAX_DEPTH = 50

_STRUCTURE = frozenset(
    [sympy.Add, sympy.Mul, sympy.Pow, normal, here, Sampled, *FUNCTIONS.values()]
)
_CONSTANTS = frozenset([*CONSTANTS.values(), sympy.E])
_COMPLEX = tuple(COMPLEX.values())
_CONNECTIVES = (sympy.And, sympy.Or, sympy.Not)


def as_expression(written: Any, where: str, *, complex_too: bool = False) -> sympy.Expr:
    """The residual that must vanish: an expression itself, or ``a - b`` for ``Eq(a, b)``.

    Every derivative in it is expanded to derivatives of fields.

    Parameters
    ----------
    written : sympy.Expr or sympy.Eq or number
    where : str
        What the expression is ("equation 1"), for error messages.
    complex_too : bool
        Whether it may hold complex fields and the imaginary unit.
    """
    if isinstance(written, str):
        raise ProblemError(
            f"{where} is text ({brief(written)}); write it with SymPy symbols, or put the whole "
            "problem into a file for the command line: piscm solve FILE."
        )
    if isinstance(written, sympy.MatrixBase):
        raise ProblemError(f"{where} is a vector; write one for each component.")
    if isinstance(written, sympy.Eq) and all(isinstance(side, sympy.Expr) for side in written.args):
        for side in written.args:  # before SymPy works out their difference
            check_parts(side, where)
        written = written.lhs - written.rhs
    expression = as_sympy(written)
    # To SymPy a lone symbol is both an expression and a truth value.
    if isinstance(expression, Boolean) and not isinstance(expression, sympy.Expr):
        raise ProblemError(
            f"{where} is {brief(written)}, not an equation: its two sides hold no field, "
            "or it was written with == (use sympy.Eq or an expression that must be 0)."
        )
    if not isinstance(expression, sympy.Expr):
        raise ProblemError(f"{where} is a {type(written).__name__}, not a SymPy expression.")
    try:
        check_parts(expression, where)
        _check_real(expression, where, complex_too)
        return _without_open_derivatives(expression, where, Budget())
    except RecursionError:
        raise ProblemError(f"{where} is nested too deeply.") from None


def _check_real(expression: sympy.Expr, where: str, complex_too: bool) -> None:
    known = expression.atoms(ComplexField)
    if (known and complex_too) or not (known or expression.has(sympy.I, *_COMPLEX)):
        return
    if known:
        raise ProblemError(f"{where} must be real, and {brief(expression)} is complex.")
    raise ProblemError(
        f"{where}: {_as_it_is(expression)} is complex, and holds no complex field: declare one, as "
        "field('psi', x, t, complex=True)."
    )


def fields_in(expression: sympy.Expr) -> set[AppliedUndef]:
    """Every field in an expression, as an applied function."""
    found: set[AppliedUndef] = expression.atoms(AppliedUndef)
    return found


def check_field(expression: sympy.Expr, where: str) -> None:
    """Refuse an expression without any field."""
    if not fields_in(expression):
        raise ProblemError(
            f"{where}: {brief(expression)} holds no field: there is nothing to solve for in it."
        )


class Budget:
    """How many parts SymPy may differentiate for one expression.

    It takes about half a millisecond for each.
    """

    def __init__(self) -> None:
        self.left = 1000

    def spend(self, parts: int, where: str) -> None:
        """Count parts that are about to be differentiated; `ProblemError` if they are too many."""
        self.left -= parts
        if self.left < 0:
            raise ProblemError(
                f"{where} differentiates too large an expression. Give parts of it names: fields "
                "of their own, each with an equation."
            )


def differentiate(
    expression: sympy.Expr, by: Sequence[tuple[sympy.Symbol, int]], where: str, budget: Budget
) -> sympy.Expr:
    """The derivative, in steps, none of which may exceed the size that can be compiled."""
    if sum(order for _, order in by) > MAX_ORDER:
        raise ProblemError(f"{where} holds a derivative of an order above {MAX_ORDER}.")
    for symbol, _ in by:
        if symbol not in expression.free_symbols:
            raise ProblemError(f"{where} {_independent(expression, symbol)}")
    for symbol in [symbol for symbol, order in by for _ in range(order)]:
        budget.spend(check_parts(expression, where), where)
        expression = expression.diff(symbol)
    check_parts(expression, where)
    for part in _open_derivatives(expression):
        raise ProblemError(f"{where} holds {brief(part)}, which SymPy cannot work out.")
    return expression


def _without_open_derivatives(expression: sympy.Expr, where: str, budget: Budget) -> sympy.Expr:
    table = {
        part: differentiate(
            _without_open_derivatives(part.expr, where, budget), part.variable_count, where, budget
        )
        for part in _open_derivatives(expression)
    }
    return expression.xreplace(table) if table else expression


def _open_derivatives(expression: sympy.Expr) -> list[sympy.Derivative]:
    """Derivatives of anything but a field, still to be expanded."""
    found = expression.atoms(sympy.Derivative)
    return [part for part in found if not isinstance(part.expr, AppliedUndef)]


def check_parts(expression: sympy.Expr, where: str) -> int:
    """How many parts it has; raise `ProblemError` unless every one of them can be compiled."""
    count = depth = 0
    level: list[Any] = [expression]
    while level:
        count, depth = count + len(level), depth + 1
        if count > MAX_PARTS or depth > _MAX_DEPTH:
            raise ProblemError(
                f"{where} has more than {MAX_PARTS} parts or is nested more than {_MAX_DEPTH} "
                "deep. Give parts of it names: fields of their own, each with an equation."
            )
        try:
            level = [inner for part in level for inner in _parts_of(part)]
        except UnfitError as reason:
            raise ProblemError(f"{where}: {_as_it_is(expression)} {reason}") from None
    try:
        return Sizes().of(expression).parts
    except UnfitError as reason:
        raise ProblemError(f"{where}: {_as_it_is(expression)} {reason}.") from None


def _as_it_is(expression: sympy.Expr) -> str:
    """A short text; to sort terms, as it usually does, SymPy would evaluate them."""
    try:
        return shortened(sympy.sstr(expression, order="none"))
    except (RecursionError, ValueError):
        return f"<{type(expression).__name__} too long to print>"


def _parts_of(part: Any) -> Sequence[Any]:
    """The operands of a part that can be compiled."""
    if isinstance(part, AppliedUndef | sympy.Symbol | Samples) or part in _CONSTANTS:
        return ()
    if isinstance(part, sympy.Derivative):
        return _differentiated(part)
    if isinstance(part, Integral):
        limits = part.over[1:] if isinstance(part.over, sympy.Tuple) else ()
        return (part.integrand, *limits)
    if isinstance(part, sympy.Number):
        return _finite(part)
    if isinstance(part, sympy.Piecewise):
        values = [value for value, _ in part.args]
        return [*values, *(side for _, condition in part.args for side in _sides(condition))]
    if part is sympy.I:
        return ()
    if isinstance(part, sympy.DiracDelta):
        raise UnfitError(
            f"holds {brief(part)}, which no point sees. Where a coefficient that jumps was "
            "differentiated, write it as a symbol and give its values in regions: "
            "Problem(regions=[Region(left, {k: 1}), Region(right, {k: 10})], equations=...)."
        )
    if isinstance(part, sympy.Integral):
        raise UnfitError(
            f"holds {brief(part)}, an integral of SymPy, which no points belong to. Write it with "
            "piscm.integral(...): integral(u, over=x) along all of x, integral(u.subs(x, s), "
            "over=(s, 0, x)) within limits, integral(u, over=domain) over a shape. If SymPy can "
            "work it out, call .doit() first."
        )
    if type(part) not in _STRUCTURE and type(part) not in _COMPLEX:
        raise UnfitError(
            f"holds {brief(part)} ({type(part).__name__}), which piscm cannot compile. If SymPy "
            "can work it out, call .doit() first. Known functions: " + ", ".join(sorted(FUNCTIONS))
        )
    if isinstance(part, sympy.Pow) and part.base.is_Integer and part.exp.is_Integer:
        raise UnfitError(
            f"holds the power {brief(part)} that was not worked out; call .doit() first."
        )
    if isinstance(part, sympy.Max | sympy.Min) and len(part.args) > MAX_COMPARED:
        raise UnfitError(f"holds a {part.func} of more than {MAX_COMPARED} expressions.")
    arguments: Sequence[Any] = part.args
    return arguments


def _differentiated(part: sympy.Derivative) -> Sequence[Any]:
    for symbol, order in part.variable_count:
        if not isinstance(symbol, sympy.Symbol):
            raise UnfitError(f"holds {brief(part)}, which SymPy cannot work out.")
        if not isinstance(order, sympy.Integer):
            raise UnfitError(f"holds {brief(part)}: the order {order} is not a whole number.")
        if symbol not in part.expr.free_symbols:
            raise UnfitError(_independent(part.expr, symbol))
    if part.derivative_count > MAX_ORDER:
        raise UnfitError(f"holds a derivative of an order above {MAX_ORDER}.")
    return (part.expr,)


def _independent(expression: sympy.Expr, symbol: sympy.Symbol) -> str:
    """Why there is no such derivative: SymPy would return 0, silently dropping a term."""
    return (
        f"differentiates {brief(expression)} by {symbol}, which it does not depend on."
        f"{lookalike(symbol, expression.free_symbols)}"
    )


def _finite(part: sympy.Expr) -> Sequence[Any]:
    try:
        finite = part.is_finite and abs(float(part)) < float("inf")
    except (OverflowError, TypeError):
        finite = False
    if not finite:
        raise UnfitError(f"holds {brief(part, 40)}, which is not a finite number.")
    return ()


def _sides(condition: Any) -> list[Any]:
    """The two sides of every comparison in a condition of a Piecewise."""
    if isinstance(condition, BooleanAtom):
        return []
    if isinstance(condition, Relational):
        return list(condition.args)
    if isinstance(condition, _CONNECTIVES):
        return [side for part in condition.args for side in _sides(part)]
    raise UnfitError(
        f"holds the condition {brief(condition)}; use comparisons with &, | and ~ only."
    )
