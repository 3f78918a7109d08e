"""What source code in any language needs: names, derivatives, polynomials of activations."""

import itertools
import keyword
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import sympy
from numpy.polynomial import Polynomial, hermite
from sympy.logic.boolalg import Boolean

from piscm.compile.differentiable import derivative
from piscm.export.plain import Plain, Written, written_out
from piscm.problem.errors import ProblemError, brief

MAX_DERIVATIVES = 6


@dataclass(frozen=True)
class Case:
    """What a function returns where an inequality holds, or wherever else.

    Attributes
    ----------
    field : int
    inside : SymPy relation or None
    start : sympy.Expr
        What starting values and singular functions add to the nodes.
    """

    field: int
    inside: Boolean | None
    start: sympy.Expr


@dataclass(frozen=True)
class Derivative:
    """One function to be written: a derivative of a field.

    Attributes
    ----------
    name : str
        As in the text of equations: ``u``, ``u_x``, ``u_xt``.
    orders : tuple of int
        By each coordinate.
    cases : tuple of Case
    """

    name: str
    orders: tuple[int, ...]
    cases: tuple[Case, ...]


@dataclass(frozen=True)
class Plan:
    """Everything that the source code of a network holds."""

    plain: Plain
    highest: int
    derivatives: tuple[Derivative, ...]

    @property
    def coordinates(self) -> list[str]:
        """The names of the arguments."""
        return [symbol.name for symbol in self.plain.problem.domain.coordinates]

    @property
    def activations(self) -> list[str]:
        """Those that occur."""
        return sorted({window.activation for window in self.plain.windows})


def plan(plain: Plain, highest: int) -> Plan:
    """What to write for all derivatives up to an order."""
    if not isinstance(highest, int) or not 0 <= highest <= MAX_DERIVATIVES:
        raise ProblemError(
            f"derivatives={brief(highest)}: give a whole number from 0 to {MAX_DERIVATIVES}."
        )
    made = [
        _derivative(plain, written, orders)
        for written in plain.written
        for orders in _orders(plain, written, highest)
    ]
    names = [item.name for item in made]
    taken = [*plain.unknowns, *names]
    for name in names:
        if taken.count(name) > 1:
            raise ProblemError(f"{name!r} would name two things; rename the unknown or a field.")
    return Plan(plain, highest, tuple(made))


def _orders(plain: Plain, written: Written, highest: int) -> list[tuple[int, ...]]:
    """All orders of derivatives of a field, the lower ones first."""
    ranges = [
        range(highest + 1 if symbol in written.item.args else 1)
        for symbol in plain.problem.domain.coordinates
    ]
    wanted = [orders for orders in itertools.product(*ranges) if sum(orders) <= highest]
    return sorted(wanted, key=lambda orders: (sum(orders), tuple(-order for order in orders)))


def _derivative(plain: Plain, written: Written, orders: tuple[int, ...]) -> Derivative:
    coordinates, name = plain.problem.domain.coordinates, str(written.item.func)
    cases = []
    for field, inside in written.parts:
        start = plain.starts[field]
        for symbol, order in zip(coordinates, orders, strict=True):
            for _ in range(order):
                start = derivative(start, symbol, f"The starting value of {name}")
        cases.append(Case(field, inside, written_out(start)))
    by = "".join(symbol.name * order for symbol, order in zip(coordinates, orders, strict=True))
    return Derivative(f"{name}_{by}" if by else name, orders, tuple(cases))


def polynomials(activation: str, highest: int) -> list[list[float]]:
    """The polynomial of each derivative of an activation, lowest power first.

    In tanh z and 1/(1 + exp(-z)) themselves; of the Gaussian in z, times exp(-z²).
    """
    if activation == "gaussian":
        made = [(-1.0) ** k * hermite.herm2poly([0.0] * k + [1.0]) for k in range(highest + 1)]
        return [list(map(float, item)) for item in made]
    slope = Polynomial([1.0, 0.0, -1.0] if activation == "tanh" else [0.0, 1.0, -1.0])
    own = [Polynomial([0.0, 1.0])]
    for _ in range(highest):
        own.append(own[-1].deriv() * slope)
    return [list(map(float, item.coef)) for item in own]


def printed(expression: sympy.Expr, printer: Callable[[sympy.Expr], str], language: str) -> str:
    """A starting value or an inequality in the language, if it has all functions."""
    text = printer(expression)
    if "Not supported" in text or "not supported" in text.lower():
        raise ProblemError(
            f"The starting value {brief(expression)} cannot be written in {language}; solve "
            "without initial=..., or give one of simpler functions."
        )
    return text


def returns(
    item: Derivative,
    text: Callable[[sympy.Basic], str],
    value: Callable[[int], str],
    branch: str,
    end: str,
) -> str:
    """The statements that end a function: what it returns in each of its cases.

    Parameters
    ----------
    item : Derivative
    text : callable
        An expression in the language.
    value : callable
        The text that computes a field, given its number.
    branch : str
        The line that asks for an inequality, as ``if ({})``.
    end : str
        What ends a statement.
    """
    lines = []
    for case in item.cases:
        added = "" if case.start == 0 else f" + {text(case.start)}"
        returned = f"    return {value(case.field)}{added}{end}\n"
        if case.inside is not None:
            returned = f"    {branch.format(text(case.inside))}\n    {returned}"
        lines.append(returned)
    return "".join(lines)


def safe(names: Sequence[str], taken: Collection[str]) -> list[str]:
    """Names that are no words of the language: an underscore is added to those that are."""
    return [f"{name}_" if keyword.iskeyword(name) or name in taken else name for name in names]
