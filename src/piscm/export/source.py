"""What source code in any language needs: names, derivatives, polynomials of activations."""

import itertools
import keyword
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np
import sympy
from numpy.polynomial import Polynomial, hermite

from piscm.compile.differentiable import derivative
from piscm.export.windows import Window, windows_of
from piscm.network.network import Network
from piscm.problem.errors import ProblemError, brief

MAX_DERIVATIVES = 6


@dataclass(frozen=True)
class Derivative:
    """One function to be written: a derivative of a field.

    Attributes
    ----------
    name : str
        As in the text of equations: ``u``, ``u_x``, ``u_xt``.
    field : int
    orders : tuple of int
        By each coordinate.
    start : sympy.Expr
        What the starting values add to it.
    """

    name: str
    field: int
    orders: tuple[int, ...]
    start: sympy.Expr


@dataclass(frozen=True)
class Plan:
    """Everything that the source code of a network holds."""

    network: Network
    highest: int
    derivatives: tuple[Derivative, ...]
    windows: tuple[Window, ...]

    @property
    def coordinates(self) -> list[str]:
        """The names of the arguments."""
        return [symbol.name for symbol in self.network.problem.domain.coordinates]

    @property
    def axis(self) -> int:
        """The coordinate that windows follow."""
        return 0 if self.network.panels is None else self.network.panels.axis

    def hidden(self, window: Window, field: int) -> list[list[float]]:
        """Hidden weights as a field sees them."""
        problem = self.network.problem
        sees = [symbol in problem.fields[field].args for symbol in problem.domain.coordinates]
        return (window.hidden * np.array(sees, dtype=float)).tolist()  # type: ignore[no-any-return]  # NumPy

    @property
    def activations(self) -> list[str]:
        """Those that occur."""
        return sorted({window.activation for window in self.windows})


def plan(network: Network, highest: int) -> Plan:
    """What to write for all derivatives up to an order."""
    if not isinstance(highest, int) or not 0 <= highest <= MAX_DERIVATIVES:
        raise ProblemError(
            f"derivatives={brief(highest)}: give a whole number from 0 to {MAX_DERIVATIVES}."
        )
    made = [
        _derivative(network, field, orders)
        for field in range(len(network.problem.fields))
        for orders in _orders(network, field, highest)
    ]
    names = [item.name for item in made]
    taken = [*(symbol.name for symbol in network.problem.unknowns), *names]
    for name in names:
        if taken.count(name) > 1:
            raise ProblemError(f"{name!r} would name two things; rename the unknown or a field.")
    return Plan(network, highest, tuple(made), tuple(windows_of(network)))


def _orders(network: Network, field: int, highest: int) -> list[tuple[int, ...]]:
    """All orders of derivatives of a field, the lower ones first."""
    problem = network.problem
    ranges = [
        range(highest + 1 if symbol in problem.fields[field].args else 1)
        for symbol in problem.domain.coordinates
    ]
    wanted = [orders for orders in itertools.product(*ranges) if sum(orders) <= highest]
    return sorted(wanted, key=lambda orders: (sum(orders), tuple(-order for order in orders)))


def _derivative(network: Network, field: int, orders: tuple[int, ...]) -> Derivative:
    coordinates = network.problem.domain.coordinates
    name = str(network.problem.fields[field].func)
    start = network.start.expressions.get(field, sympy.S.Zero)
    for symbol, order in zip(coordinates, orders, strict=True):
        for _ in range(order):
            start = derivative(start, symbol, f"The starting value of {name}")
    by = "".join(symbol.name * order for symbol, order in zip(coordinates, orders, strict=True))
    return Derivative(f"{name}_{by}" if by else name, field, orders, start)


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
    """A starting value in the language, if it has all functions."""
    text = printer(expression)
    if "Not supported" in text or "not supported" in text.lower():
        raise ProblemError(
            f"The starting value {brief(expression)} cannot be written in {language}; solve "
            "without initial=..., or give one of simpler functions."
        )
    return text


def safe(names: Sequence[str], taken: Collection[str]) -> list[str]:
    """Names that are no words of the language: an underscore is added to those that are."""
    return [f"{name}_" if keyword.iskeyword(name) or name in taken else name for name in names]
