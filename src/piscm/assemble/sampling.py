"""How many points there are and how they are drawn."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piscm.problem.domain import UnitPoints
from piscm.problem.errors import ProblemError, brief
from piscm.problem.place import Drawing
from piscm.problem.sobol import sobol_points

Floats = NDArray[np.float64]

# Upper limit on the points of a block; more would exhaust memory before any message appears.
MOST_POINTS = 10_000_000

Density = Callable[[Floats], Floats]
"""The desired density of points, up to a factor, at points of shape (points, coordinates)."""
CHOICE = 8
"""Points that follow a density are chosen from this many times as many candidates."""


class Crowd(ABC):
    """Points that gather somewhere, found by moving others."""

    @abstractmethod
    def among(self, points: Floats, rng: np.random.Generator) -> Floats:
        """The points, with half of them moved; coordinates that all have in common stay."""


RULES = ("sobol", "uniform", "latin", "grid")


@dataclass(frozen=True)
class Sampling:
    """How many points there are and how they are drawn.

    Parameters
    ----------
    interior : int
        Number of points for the equations.
    boundary : int
        Number of points for each condition; a condition on the whole boundary spreads them over the
        faces. A condition at a single point uses that point.
    rule : {"sobol", "uniform", "latin", "grid"}
        Sobol points (the default) fill the box most evenly. A grid has the nearest whole number of
        points per axis, at the midpoints of its cells.
    """

    interior: int = 1000
    boundary: int = 100
    rule: str = "sobol"

    def __post_init__(self) -> None:
        for what in ("interior", "boundary"):
            count = getattr(self, what)
            whole = isinstance(count, int | np.integer) and not isinstance(count, bool)
            if not whole or not 1 <= count <= MOST_POINTS:
                raise ProblemError(
                    f"Sampling({what}={brief(count)}): give a whole number from 1 to {MOST_POINTS}."
                )
        if not isinstance(self.rule, str) or self.rule not in RULES:
            raise ProblemError(
                f"Sampling(rule={brief(self.rule)}): known rules are {', '.join(RULES)}."
            )

    @property
    def elsewhere(self) -> "Sampling":
        """A rule for as many other points: a grid has no others of its own, so it becomes Sobol."""
        if self.rule != "grid":
            return self
        return Sampling(self.interior, self.boundary)

    def unit_points(self, rng: np.random.Generator) -> UnitPoints:
        """A function that draws points in the unit cube by this rule."""

        def points(count: int, dimension: int) -> Floats:
            if self.rule == "uniform":
                return rng.random((count, dimension))
            if self.rule == "grid":
                side = max(1, round(count ** (1 / dimension)))
                axis = (np.arange(side) + 0.5) / side
                return np.stack(np.meshgrid(*[axis] * dimension), axis=-1).reshape(-1, dimension)
            if self.rule == "latin":
                from scipy.stats import qmc  # takes half a second to import, so only on demand

                return _floats(qmc.LatinHypercube(dimension, rng=rng).random(count))
            return sobol_points(count, dimension, rng)

        return points

    def drawing(self, rng: np.random.Generator, density: Density | Crowd | None = None) -> Drawing:
        """How a place draws its points; given a density or a crowd, half of them follow it."""

        def crowd(points: Callable[[int], Floats], count: int) -> Floats:
            if density is None:
                return points(count)
            if isinstance(density, Crowd):
                return density.among(points(count), rng)
            many = points(CHOICE * count)
            if len(many) <= count:  # a single point
                return many
            chosen = rng.choice(len(many), count, replace=False, p=half_by(density(many)))
            return np.asarray(many[np.sort(chosen)])

        return Drawing(self.interior, self.boundary, self.unit_points(rng), crowd)


def half_by(shares: Floats) -> Floats:
    """The probability of drawing each point: half uniform, half proportional to its share."""
    total = float(shares.sum())
    even = np.full(len(shares), 1.0 / len(shares))
    return even if not 0.0 < total < np.inf else 0.5 * even + 0.5 * shares / total


def _floats(values: Any) -> Floats:
    return np.asarray(values, dtype=float)
