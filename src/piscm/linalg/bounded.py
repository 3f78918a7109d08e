"""Least squares in which some unknowns stay within bounds."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Rest = TypeVar("Rest")

# A positive unknown may shrink to this share of itself in one step; zero itself is out of bounds.
_SHRINK = 0.01
_ROUND_OFF = 4 * np.finfo(float).eps


@dataclass(frozen=True, eq=False)
class Bounds:
    """The interval that each unknown may move in; a positive one stays above zero too."""

    lower: Floats
    upper: Floats
    positive: NDArray[np.bool_]

    def clip(self, values: Floats, steps: Floats) -> Floats:
        """Steps (any shape ending in the unknowns) cut so that they end inside."""
        if not len(values):
            return steps
        lower = np.where(self.positive, np.maximum(self.lower, _SHRINK * values), self.lower)
        # Round-off of value + step must not end outside either.
        margin = _ROUND_OFF * np.abs(values)
        low = lower + _ROUND_OFF * np.abs(lower) + margin - values
        high = self.upper - _ROUND_OFF * np.abs(self.upper) - margin - values
        low = np.where(np.isfinite(lower), low, -np.inf)
        high = np.where(np.isfinite(self.upper), high, np.inf)
        return np.minimum(np.maximum(steps, low), np.maximum(high, low))

    def least_squares(
        self,
        values: Floats,
        columns: Floats,
        target: Floats,
        solve: Callable[[NDArray[np.bool_], Floats], tuple[Floats, Rest]],
    ) -> tuple[Floats, Rest]:
        """Steps of the unknowns that stay inside, and whatever is solved for with them.

        An unknown that would leave is held at its bound, and the others are solved for again.

        Parameters
        ----------
        values : ndarray, shape (unknowns,)
            Where the unknowns are.
        columns : ndarray, shape (unknowns, rows)
            How they move the rows.
        target : ndarray, shape (rows,)
        solve : callable
            ``solve(free, target)`` gives the steps of the free unknowns and the rest, for a target
            from which those that are held have been taken.
        """
        free, steps = np.ones(len(values), dtype=bool), np.zeros(len(values))
        while True:
            held = ~free
            left = target - steps[held] @ columns[held] if held.any() else target
            steps[free], rest = solve(free, left)
            cut = self.clip(values, steps)
            leaving = free & (cut != steps)
            if not leaving.any():
                return cut, rest
            steps[leaving] = cut[leaving]
            free &= ~leaving
