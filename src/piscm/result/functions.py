"""A field of a solution as a plain function, for code that passes coordinates in order."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy
from numpy.typing import ArrayLike, NDArray

from piscm.problem.errors import ProblemError
from piscm.problem.written import Expression

if TYPE_CHECKING:
    from piscm.result.solution import Solution

Floats = NDArray[np.float64]


class FieldFunction:
    """An expression of a solution as a function of the coordinates in order.

    Made by `Solution.as_function`. Scalars give a float, arrays an array of their broadcast shape.
    Where several coordinates are free, one argument is a point, as optimizers pass it: an array of
    shape (n,), or (n, points).

    Attributes
    ----------
    coordinates : tuple of str
        The names of the arguments, in order.
    fixed : dict of str to float
        The coordinates that have a value of their own.
    """

    def __init__(
        self, solution: "Solution", expression: Expression, fixed: Mapping[str, float]
    ) -> None:
        names = [symbol.name for symbol in solution.problem.domain.coordinates]
        for name in fixed:
            if name not in names:
                raise ProblemError(f"{name!r} is not a coordinate; they are {', '.join(names)}.")
        self._solution, self._expression = solution, expression
        self.fixed = dict(fixed)
        self.coordinates = tuple(name for name in names if name not in fixed)
        if not solution.problem.translations:
            solution.network.compile(expression)  # its mistakes are told here

    def __call__(self, *values: ArrayLike) -> Any:
        """The value at coordinates, or at one point."""
        result = self._solution(self._expression, **self._at(values))
        return float(result) if result.ndim == 0 else result

    def gradient(self, *values: ArrayLike) -> Floats:
        """The derivatives by all free coordinates, shape (n, ...): the `jac` of optimizers."""
        symbols = {s.name: s for s in self._solution.problem.domain.coordinates}
        at = self._at(values)
        return np.stack(
            [
                self._solution(sympy.diff(self._expression, symbols[name]), **at)
                for name in self.coordinates
            ]
        )

    def _at(self, values: tuple[ArrayLike, ...]) -> dict[str, Any]:
        count = len(self.coordinates)
        if len(values) == 1 and count > 1:
            values = tuple(np.asarray(values[0]))
        if len(values) != count:
            raise ProblemError(
                f"{len(values)} values are given; the function takes {', '.join(self.coordinates)}."
            )
        return {**self.fixed, **dict(zip(self.coordinates, values, strict=True))}

    def __repr__(self) -> str:
        fixed = "".join(f", {name}={value:g}" for name, value in self.fixed.items())
        return f"<{self._expression} as a function of ({', '.join(self.coordinates)}){fixed}>"
