"""Checking what a user wrote: one walk over the tree, one clear sentence per mistake."""

from collections.abc import Iterable
from typing import Any

import sympy
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean, BooleanAtom, BooleanFunction

from piscm.problem.errors import ProblemError
from piscm.problem.functions import CONSTANTS, FUNCTIONS

_STRUCTURE = (sympy.Add, sympy.Mul, sympy.Pow, sympy.Piecewise, sympy.Tuple)
_PIECEWISE_PARTS = (
    sympy.functions.elementary.piecewise.ExprCondPair,
    Relational,
    BooleanFunction,
    BooleanAtom,
)


def as_expression(written: Any, where: str) -> sympy.Expr:
    """The residual that must vanish: an expression as it is, ``Eq(a, b)`` as ``a - b``.

    Parameters
    ----------
    written : sympy.Expr or sympy.Eq or number
    where : str
        What the expression is ("equation 1"), for the message of an error.
    """
    if isinstance(written, sympy.Eq):
        written = written.lhs - written.rhs
    if isinstance(written, Boolean | bool):
        raise ProblemError(
            f"{where} is {written}, not an equation: its two sides hold no field, "
            "or it was written with == (use sympy.Eq or an expression that must be 0)."
        )
    if isinstance(written, str):
        raise ProblemError(
            f"{where} is text ({written!r}); write it with SymPy symbols, or put the whole problem "
            "into a file for the command line: piscm solve FILE."
        )
    try:
        expression = sympy.sympify(written, strict=True)
    except sympy.SympifyError:
        raise ProblemError(
            f"{where} is a {type(written).__name__}, not a SymPy expression."
        ) from None
    if not isinstance(expression, sympy.Expr):
        raise ProblemError(f"{where} is a {type(written).__name__}, not a SymPy expression.")
    return expression.doit()


def fields_in(expression: sympy.Expr) -> set[AppliedUndef]:
    """Every field, as the applied function, that an expression mentions."""
    found: set[AppliedUndef] = expression.atoms(AppliedUndef)
    return found


def check_expression(
    expression: sympy.Expr,
    where: str,
    *,
    coordinates: Iterable[sympy.Symbol],
    unknowns: Iterable[sympy.Symbol] = (),
    fields: Iterable[AppliedUndef] | None = None,
) -> None:
    """Raise `ProblemError` unless every part of an expression is declared and can be compiled.

    With `fields` the expression may mention those fields only; without, any field of the
    coordinates.
    """
    known = _Known(tuple(coordinates), tuple(unknowns), None if fields is None else tuple(fields))
    stack: list[Any] = [expression]
    while stack:
        part = stack.pop()
        if isinstance(part, AppliedUndef):
            _check_field(part, where, known)
        elif isinstance(part, sympy.Derivative):
            _check_derivative(part, where, known)
        elif isinstance(part, sympy.Symbol):
            _check_symbol(part, where, known)
        elif isinstance(part, sympy.Number | sympy.NumberSymbol):
            _check_number(part, where)
        elif isinstance(part, _STRUCTURE + _PIECEWISE_PARTS) or type(part) in FUNCTIONS.values():
            stack.extend(part.args)
        elif part is sympy.I:
            raise ProblemError(
                f"{where} is complex; fields are real. Write the real and the imaginary part as "
                "two fields and two equations."
            )
        else:
            raise ProblemError(
                f"{where} holds {part!s} ({type(part).__name__}), which piscm cannot compile. "
                "Known functions: " + ", ".join(sorted(FUNCTIONS)) + "."
            )


class _Known:
    def __init__(
        self,
        coordinates: tuple[sympy.Symbol, ...],
        unknowns: tuple[sympy.Symbol, ...],
        fields: tuple[AppliedUndef, ...] | None,
    ) -> None:
        self.coordinates = coordinates
        self.unknowns = unknowns
        self.fields = fields


def _names(symbols: Iterable[Any]) -> str:
    return ", ".join(str(symbol) for symbol in symbols) or "none"


def _check_field(part: AppliedUndef, where: str, known: _Known) -> None:
    if known.fields is not None and part not in known.fields:
        raise ProblemError(
            f"{where} holds {part}, which is not a field of this problem ({_names(known.fields)})."
        )
    for argument in part.args:
        if argument in known.coordinates:
            continue
        if isinstance(argument, sympy.Symbol):
            raise ProblemError(
                f"{where} holds {part}, but {argument} is not a coordinate of the domain "
                f"({_names(known.coordinates)})."
            )
        raise ProblemError(
            f"{where} holds {part}: a field stands at its own coordinates only. "
            "To hold a condition at a place use Condition(..., on={x: 0})."
        )


def _check_derivative(part: sympy.Derivative, where: str, known: _Known) -> None:
    if not isinstance(part.expr, AppliedUndef):
        raise ProblemError(f"{where} holds {part}, which SymPy cannot differentiate further.")
    _check_field(part.expr, where, known)
    for symbol, order in part.variable_count:
        if symbol not in part.expr.args:
            raise ProblemError(f"{where} differentiates {part.expr} by {symbol}.")
        if not isinstance(order, sympy.Integer):
            raise ProblemError(f"{where} holds {part}: the order {order} is not a whole number.")


def _check_symbol(part: sympy.Symbol, where: str, known: _Known) -> None:
    declared = known.coordinates + known.unknowns
    if part in declared:
        return
    twin = next((symbol for symbol in declared if symbol.name == part.name), None)
    if twin is not None:
        raise ProblemError(
            f"{where} holds a symbol {part.name!r} that is not the declared {part.name!r}: their "
            "SymPy assumptions differ. Use the symbol that coordinates(...) or unknown(...) gave."
        )
    raise ProblemError(
        f"{where} holds {part.name!r}, which nobody declared: it is neither a coordinate of the "
        f"domain ({_names(known.coordinates)}) nor an unknown ({_names(known.unknowns)}). "
        f"Give it a number, or list it in Problem(unknowns={{{part.name}: first guess}})."
    )


def _check_number(part: sympy.Expr, where: str) -> None:
    if part in CONSTANTS.values() or part is sympy.E:
        return
    try:
        finite = part.is_finite and abs(float(part)) < float("inf")
    except (OverflowError, TypeError):
        finite = False
    if not finite:
        raise ProblemError(f"{where} holds {str(part)[:40]}, which is not a finite number.")
