"""An expression and its exact partials as functions of arrays."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray

from piscm.compile.numeric_code import function_of
from piscm.problem.errors import ProblemError, brief

Floats = NDArray[np.float64]
Arrays = Sequence[Any] | Floats

# What SymPy returns for the derivative of a nonsmooth function at its kink.
_GENERALIZED = (sympy.DiracDelta,)
_FUNCTIONS = ("_value", "_all_partials")
_OPAQUE = (sympy.Derivative, sympy.Subs, sympy.Integral)


class Differentiable:
    """An expression in coordinates, arguments and unknowns, all of them plain symbols."""

    def __init__(
        self,
        expression: sympy.Expr,
        coordinates: Sequence[sympy.Symbol],
        arguments: Sequence[sympy.Symbol],
        unknowns: Sequence[sympy.Symbol],
        where: str,
    ) -> None:
        self.where = where
        self._expression = expression
        self._coordinates = coordinates
        self._arguments, self._unknowns = list(arguments), list(unknowns)
        self._symbols = [*coordinates, *arguments, *unknowns]
        self._value = function_of(self._symbols, [expression], where)

    @property
    def coordinates(self) -> Sequence[sympy.Symbol]:
        """The symbols of what its functions take of the points: coordinates, then normals."""
        return self._coordinates

    @property
    def symbols(self) -> list[sympy.Symbol]:
        """Everything its functions take: coordinates, arguments, unknowns."""
        return self._symbols

    @property
    def unknown_count(self) -> int:
        """The number of unknowns its functions take."""
        return len(self._unknowns)

    def __getstate__(self) -> dict[str, Any]:
        """Without the compiled functions, which pickle cannot name."""
        return {name: own for name, own in vars(self).items() if name not in _FUNCTIONS}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._value = function_of(self._symbols, [self._expression], self.where)

    # Only residuals need partials; an expression that is merely evaluated, such as floor(u), may
    # have none.
    @cached_property
    def _partials(self) -> list[sympy.Expr]:
        moving = [*self._arguments, *self._unknowns]
        return [derivative(self._expression, symbol, self.where) for symbol in moving]

    def partial(self, index: int) -> sympy.Expr:
        """The partial by an argument, as an expression in `symbols`."""
        return self._partials[index]

    @cached_property
    def _all_partials(self) -> Callable[..., Any]:
        return function_of(self._symbols, self._partials, self.where)

    def value(self, points: Floats, arguments: Arrays, unknowns: Arrays) -> Floats:
        """The expression at the points, in the shape (..., points) of the arguments.

        Unknowns are numbers or arrays of shape (..., 1).
        """
        return self._call(self._value, points, arguments, unknowns)[0]

    def linearize(
        self, points: Floats, arguments: Arrays, unknowns: Arrays
    ) -> tuple[Floats, Floats]:
        """Partials by the arguments, shape (arguments, points), and by the unknowns."""
        partials = self._call(self._all_partials, points, arguments, unknowns)
        table = np.empty((len(partials), len(points)))
        for row, partial in zip(table, partials, strict=True):
            row[:] = partial
        return table[: len(self._arguments)], table[len(self._arguments) :]

    def _call(
        self, function: Callable[..., Any], points: Floats, arguments: Arrays, unknowns: Arrays
    ) -> list[Floats]:
        try:
            with np.errstate(all="ignore"):
                values = function(*points.T, *arguments, *unknowns)
        except OverflowError:  # from Python's own numbers, where NumPy would return inf
            raise ProblemError(f"{self.where} holds too large a number.") from None
        shape = np.shape(arguments[0]) if len(arguments) else (len(points),)
        return [self._real(value, shape) for value in values]

    def _real(self, value: Any, shape: tuple[int, ...]) -> Floats:
        if isinstance(value, np.ndarray) and value.shape == shape and value.dtype == np.float64:
            return value
        if np.iscomplexobj(value):
            raise ProblemError(f"{self.where} is complex: it holds a root of a negative number.")
        return np.broadcast_to(np.asarray(value, dtype=float), shape)


def derivative(expression: sympy.Expr, symbol: sympy.Symbol, where: str) -> sympy.Expr:
    """The derivative by a symbol in a form that can be compiled: zero at a jump, as next to it."""
    result = expression.diff(symbol).replace(
        lambda e: isinstance(e, _GENERALIZED), lambda _: sympy.S.Zero
    )
    if result.has(*_OPAQUE):
        raise ProblemError(f"{where} cannot be differentiated by SymPy: it leaves {brief(result)}.")
    return result
