"""Bounds on the unknowns, respected at every step."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from piscm.problem.problem import Problem

Floats = NDArray[np.float64]

# A positive unknown may shrink to this share of itself in one step; zero itself is out of bounds.
_SHRINK = 0.01
_ROUND_OFF = 4 * np.finfo(float).eps


class Bounds:
    """The interval that each unknown may move in from where it is."""

    def __init__(self, problem: Problem) -> None:
        pairs = [problem.bounds[symbol] for symbol in problem.unknowns]
        self._lower = np.array([low for low, _ in pairs])
        self._upper = np.array([high for _, high in pairs])
        self._positive = np.array([bool(symbol.is_positive) for symbol in problem.unknowns], bool)

    def clip(self, values: Floats, steps: Floats) -> Floats:
        """Steps (any shape ending in the unknowns) cut so that they end inside."""
        if not len(values):
            return steps
        lower = np.where(self._positive, np.maximum(self._lower, _SHRINK * values), self._lower)
        # Round-off of value + step must not end outside either.
        margin = _ROUND_OFF * np.abs(values)
        low = lower + _ROUND_OFF * np.abs(lower) + margin - values
        high = self._upper - _ROUND_OFF * np.abs(self._upper) - margin - values
        low = np.where(np.isfinite(lower), low, -np.inf)
        high = np.where(np.isfinite(self._upper), high, np.inf)
        return np.minimum(np.maximum(steps, low), np.maximum(high, low))

    def solve(self, values: Floats, solve: Callable[[Floats], Floats]) -> Floats:
        """The steps of a least-squares problem whose unknowns stay inside.

        `solve(fixed)` gives the free steps, with those that `fixed` holds (NaN where free) set. An
        unknown that would leave is fixed at its bound, and the others are solved for again.
        """
        fixed = np.full(len(values), np.nan)
        while True:
            steps = solve(fixed)
            cut = self.clip(values, steps)
            leaving = np.isnan(fixed) & (cut != steps)
            if not leaving.any():
                return cut
            fixed[leaving] = cut[leaving]
