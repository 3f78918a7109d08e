"""How many points, and how they are drawn."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piscm.problem.domain import UnitPoints
from piscm.problem.errors import ProblemError, brief
from piscm.problem.place import Drawing

Floats = NDArray[np.float64]

# Points of a block at most; more would fill the memory before anything is told.
_MOST = 10_000_000

Density = Callable[[Floats], Floats]
"""How closely points should stand, up to a factor, at points of shape (points, coordinates)."""
# Points that follow a density are chosen among so many times as many.
_CHOICE = 8

RULES = ("sobol", "uniform", "latin", "grid")


@dataclass(frozen=True)
class Sampling:
    """How many points, and how they are drawn.

    Parameters
    ----------
    interior : int
        Points for the equations.
    boundary : int
        Points for each condition; a condition on the whole boundary spreads them over its faces.
        A condition at a single point has that one.
    rule : {"sobol", "uniform", "latin", "grid"}
        Sobol points (the default) fill the box most evenly. A grid has the nearest whole number of
        points an axis, at the midpoints of its cells.
    """

    interior: int = 1000
    boundary: int = 100
    rule: str = "sobol"

    def __post_init__(self) -> None:
        for what in ("interior", "boundary"):
            count = getattr(self, what)
            whole = isinstance(count, int | np.integer) and not isinstance(count, bool)
            if not whole or not 1 <= count <= _MOST:
                raise ProblemError(
                    f"Sampling({what}={brief(count)}): give a whole number from 1 to {_MOST}."
                )
        if self.rule not in RULES:
            raise ProblemError(
                f"Sampling(rule={brief(self.rule)}): known rules are {', '.join(RULES)}."
            )

    @property
    def elsewhere(self) -> "Sampling":
        """As many points that are not the same: a grid has no others of its own."""
        if self.rule != "grid":
            return self
        return Sampling(self.interior, self.boundary)

    def unit_points(self, rng: np.random.Generator) -> UnitPoints:
        """A function that draws points of the unit cube by this rule."""

        def points(count: int, dimension: int) -> Floats:
            if self.rule == "uniform":
                return rng.random((count, dimension))
            if self.rule == "grid":
                side = max(1, round(count ** (1 / dimension)))
                axis = (np.arange(side) + 0.5) / side
                return np.stack(np.meshgrid(*[axis] * dimension), axis=-1).reshape(-1, dimension)
            from scipy.stats import qmc  # half a second of imports, so only when it is used

            if self.rule == "latin":
                return _floats(qmc.LatinHypercube(dimension, rng=rng).random(count))
            # Sobol points come in powers of two; the first `count` of them serve.
            exponent = max(0, int(count - 1).bit_length())
            return _floats(qmc.Sobol(dimension, rng=rng).random_base2(exponent)[:count])

        return points

    def drawing(self, rng: np.random.Generator, density: Density | None = None) -> Drawing:
        """How a place draws its points; with a density, half of them follow it."""

        def crowd(points: Callable[[int], Floats], count: int) -> Floats:
            if density is None:
                return points(count)
            many = points(_CHOICE * count)
            if len(many) <= count:  # a single point
                return many
            chosen = rng.choice(len(many), count, replace=False, p=half_by(density(many)))
            return np.asarray(many[np.sort(chosen)])

        return Drawing(self.interior, self.boundary, self.unit_points(rng), crowd)


def half_by(shares: Floats) -> Floats:
    """The chance of each point to be drawn: half even, half in proportion to its share."""
    total = float(shares.sum())
    even = np.full(len(shares), 1.0 / len(shares))
    return even if not 0.0 < total < np.inf else 0.5 * even + 0.5 * shares / total


def _floats(values: Any) -> Floats:
    return np.asarray(values, dtype=float)
