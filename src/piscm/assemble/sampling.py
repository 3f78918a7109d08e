"""The points where every block must vanish."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray
from scipy.stats import qmc

from piscm.compile.blocks import Block
from piscm.problem.domain import Box, UnitPoints
from piscm.problem.errors import ProblemError, brief
from piscm.problem.problem import Problem

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

    def draw(self, rng: np.random.Generator) -> UnitPoints:
        """A function that draws points of the unit cube by this rule."""

        def points(count: int, dimension: int) -> Floats:
            if self.rule == "uniform":
                return rng.random((count, dimension))
            if self.rule == "latin":
                return _floats(qmc.LatinHypercube(dimension, rng=rng).random(count))
            if self.rule == "sobol":
                # Sobol points come in powers of two; the first `count` of them serve.
                exponent = max(0, int(count - 1).bit_length())
                return _floats(qmc.Sobol(dimension, rng=rng).random_base2(exponent)[:count])
            side = max(1, round(count ** (1 / dimension)))
            axis = (np.arange(side) + 0.5) / side
            return np.stack(np.meshgrid(*[axis] * dimension), axis=-1).reshape(-1, dimension)

        return points


def _floats(values: Any) -> Floats:
    return np.asarray(values, dtype=float)


def block_points(
    problem: Problem,
    blocks: Sequence[Block],
    sampling: Sampling,
    rng: np.random.Generator,
    density: Density | None = None,
) -> list[tuple[Floats, ...]]:
    """For each block its points: one array, or two (upper end, lower end) where it is periodic.

    Blocks on the same place share one array, which is drawn once. With a density, half of the
    points follow it.
    """
    draw = sampling.draw(rng)
    box = problem.domain
    drawn: dict[Any, tuple[Floats, ...]] = {}

    def chosen(points: Callable[[int], Floats], count: int) -> Floats:
        if density is None:
            return points(count)
        many = points(_CHOICE * count)
        if len(many) <= count:  # a single point
            return many
        share = density(many)
        share = 0.5 / len(many) + 0.5 * share / share.sum()
        return np.asarray(many[np.sort(rng.choice(len(many), count, replace=False, p=share))])

    def points_on(place: Any) -> tuple[Floats, ...]:
        if place == "interior":
            return (chosen(lambda count: box.interior(count, draw), sampling.interior),)
        if place == "boundary":
            return (box.boundary(sampling.boundary, draw)[0],)
        if isinstance(place, int):
            return (np.asarray(problem.observations[place].points),)
        if isinstance(place, sympy.Symbol):
            axis = box.axis(place)
            low = box.slice({place: box.lower[axis]}, sampling.boundary, draw)
            high = low.copy()
            high[:, axis] = box.upper[axis]
            return (high, low)
        share, extra = divmod(sampling.boundary, len(place))
        parts = []
        for number, one in enumerate(place):
            count = max(1, share + (number < extra))
            parts.append(chosen(partial(_on, box, one, draw), count))
        return (np.concatenate(parts),)

    for block in blocks:
        key = _key(block.place)
        if key not in drawn:
            drawn[key] = points_on(block.place)
    return [drawn[_key(block.place)] for block in blocks]


def _on(box: Box, place: Any, draw: UnitPoints, count: int) -> Floats:
    return box.slice(place, count, draw)


def _key(place: Any) -> Any:
    if isinstance(place, tuple):
        return tuple(tuple(sorted((str(c), v) for c, v in one.items())) for one in place)
    return place
