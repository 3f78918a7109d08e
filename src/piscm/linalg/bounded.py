"""Least squares with bounds on some unknowns."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Rest = TypeVar("Rest")

# A positive unknown may shrink to this fraction of itself in one step; zero itself is out of
# bounds.
_SHRINK = 0.01
_ROUND_OFF = 4 * np.finfo(float).eps


@dataclass(frozen=True, eq=False)
class Bounds:
    """The interval of each unknown; a positive one also stays above zero."""

    lower: Floats
    upper: Floats
    positive: NDArray[np.bool_]

    def clip(self, values: Floats, steps: Floats) -> Floats:
        """Steps (any shape ending in the unknowns), cut to end within the bounds."""
        if not len(values):
            return steps
        lower = np.where(self.positive, np.maximum(self.lower, _SHRINK * values), self.lower)
        # Round-off in value + step must not cross a bound either.
        margin = _ROUND_OFF * np.abs(values)
        bounded_below, bounded_above = np.isfinite(lower), np.isfinite(self.upper)
        lower = np.where(bounded_below, lower, 0.0)
        upper = np.where(bounded_above, self.upper, 0.0)
        low = lower + _ROUND_OFF * np.abs(lower) + margin - values
        high = upper - _ROUND_OFF * np.abs(upper) - margin - values
        low = np.where(bounded_below, low, -np.inf)
        high = np.where(bounded_above, high, np.inf)
        return np.minimum(np.maximum(steps, low), np.maximum(high, low))

    def least_squares(
        self,
        values: Floats,
        columns: Floats,
        target: Floats,
        solve: Callable[[NDArray[np.bool_], Floats], tuple[Floats, Rest]],
    ) -> tuple[Floats, Rest]:
        """Steps of the unknowns within the bounds, and whatever is solved for with them.

        An unknown that would leave its bounds is held at the bound, and the others are solved for
        again.

        Parameters
        ----------
        values : ndarray, shape (unknowns,)
            The current unknowns.
        columns : ndarray, shape (unknowns, rows)
            Their columns of the design matrix.
        target : ndarray, shape (rows,)
        solve : callable
            ``solve(free, target)`` returns the steps of the free unknowns and the rest, for a
            target from which the contribution of those held has been subtracted.
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
