"""The current approximation at the points, and steps away from it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class State:
    """The current approximation at the points.

    States are never changed in place, so an interrupted run always has a consistent one.

    Attributes
    ----------
    weights : ndarray, shape (nodes, fields)
    unknowns : ndarray, shape (unknowns,)
    strands : one ndarray of shape (strands, points) for each leg of each nonlinear block
    residual : ndarray, shape (rows,)
    """

    weights: Floats
    unknowns: Floats
    strands: tuple[Floats, ...]
    residual: Floats

    @property
    def energy(self) -> float:
        """The squared norm of the weighted residual, the paper's E²."""
        return float(self.residual @ self.residual)

    @property
    def norm(self) -> float:
        """The norm of the weighted residual, the paper's E."""
        return float(np.sqrt(self.energy))


@dataclass(frozen=True)
class Change:
    """Several trial steps away from one state."""

    linear: Floats  # (trials, linear rows), from the weights alone
    strands: tuple[Floats, ...]  # per leg (strands, trials, points)
    unknowns: Floats  # (trials, unknowns)

    def added(self, state: State, trial: int) -> tuple[Floats, ...]:
        """The strands of a state after one trial."""
        pairs = zip(state.strands, self.strands, strict=True)
        return tuple(old + new[:, trial] for old, new in pairs)

    def times(self, lengths: Floats) -> "Change":
        """A single step scaled to each length, one trial per length."""
        column = lengths[:, None]
        return Change(
            column * self.linear,
            tuple(column * part for part in self.strands),
            column * self.unknowns,
        )


@dataclass(frozen=True)
class Linearization:
    """Weighted partials of the nonlinear blocks at a state, and the columns of the unknowns."""

    partials: tuple[Floats, ...]  # per leg (strands, points)
    unknowns: Floats  # (unknowns, rows)

    @property
    def finite(self) -> bool:
        return all(np.isfinite(part).all() for part in (*self.partials, self.unknowns))
