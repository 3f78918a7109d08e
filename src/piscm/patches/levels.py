"""How finely patches are resolved: nodes, polynomials and points that belong together."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from piscm.assemble.sampling import Sampling
from piscm.fit.members import Member
from piscm.patches.grid import Edges, Grid
from piscm.problem.problem import Problem

# The scale of sines, in radians over half a patch, per node along a coordinate. Twice as much
# ruins all digits, half as much costs one or two.
_SCALE = {1: 1 / 3, 2: 0.35, 3: 0.45}
# Polynomials on a face, per node along a coordinate.
_TERMS = {1: 0.0, 2: 1.1, 3: 1.2}
# Points of the equations per node.
_PER_NODE = 2
FIRST = {1: 16, 2: 70, 3: 150}
"""Nodes of a patch at first, by dimension."""
BARE = {**FIRST, 1: 24}
"""The same where there are no data, whose noise more nodes follow: on a line they cost nothing."""
TALL = {1: 64, 2: 280, 3: 400}
"""Nodes of a patch that are tried before patches are halved: in two dimensions as many as four
halves have together, which cost about as much and resolve far less."""
MOST = {1: 64, 2: 400, 3: 1000}
"""Nodes of a patch at most."""
# On a line a patch may have so many where all have no more than that together: those around an
# inner layer need them, and halving all patches costs more than a few large ones.
_LINE, _TOGETHER = 400, 20_000


@dataclass(frozen=True)
class Resolution:
    """How finely each patch is resolved.

    Attributes
    ----------
    member : Member
        How nodes are drawn, relative to the patch.
    nodes : tuple of int
        In each patch.
    terms : int
        Polynomials of one variable on a face.
    points : tuple of int
        For the equations, in each patch.
    faces : int
        For conditions, on each face of a patch.
    boundary : int or None
        For each condition, if the user gave a number.
    """

    member: Member
    nodes: tuple[int, ...]
    terms: int
    points: tuple[int, ...]
    faces: int
    boundary: int | None = None

    def with_points(self, sampling: Sampling, patches: int) -> "Resolution":
        """The same with a user's number of points: an equal share for each patch."""
        each = max(1, sampling.interior // patches)
        return replace(self, points=(each,) * patches, boundary=sampling.boundary)


@dataclass(frozen=True)
class Level:
    """The nodes of every patch of a grid.

    Attributes
    ----------
    edges : Edges
        The ends of the cells along each coordinate.
    nodes : int
        Of a patch.
    grown : tuple of int
        Patches that have twice as many.
    """

    edges: Edges
    nodes: int
    grown: tuple[int, ...] = ()

    @property
    def shape(self) -> tuple[int, ...]:
        """Cells along each coordinate."""
        return tuple(len(own) - 1 for own in self.edges)

    @property
    def coarser(self) -> "Level":
        """The same patches with fewer nodes."""
        return Level(self.edges, max(1, round(self.nodes / np.sqrt(2.0))))

    @property
    def dimension(self) -> int:
        return len(self.edges)


def _by_dimension(table: dict[int, float], dimension: int) -> float:
    return table[min(dimension, max(table))]


def first_nodes(problem: Problem) -> int:
    table = FIRST if problem.observations else BARE
    return table[min(problem.domain.dimension, max(table))]


def tall_nodes(dimension: int) -> int:
    return TALL[min(dimension, max(TALL))]


def most_nodes(shape: tuple[int, ...]) -> int:
    """Nodes of a patch at most, of a grid of so many cells along each coordinate."""
    if len(shape) == 1 and shape[0] * _LINE <= _TOGETHER:
        return _LINE
    return MOST[min(len(shape), max(MOST))]


def resolution(
    problem: Problem,
    grid: Grid,
    level: Level,
    activation: str,
    scale: Sequence[float] | None,
    factor: float,
) -> Resolution:
    """Nodes, polynomials and points of a level.

    Parameters
    ----------
    scale : of the nodes in half-patches, if the user gave one
    factor : on the scale otherwise
    """
    dimension = level.dimension
    along = level.nodes ** (1 / dimension)
    if scale is None:
        scale = (factor * _by_dimension(_SCALE, dimension) * along,) * dimension
    terms = max(1, int(np.ceil(_by_dimension(_TERMS, dimension) * along)))
    faces = 1 if dimension == 1 else (int(1.5 * terms) + 2) ** min(dimension - 1, 2)
    nodes = [level.nodes] * len(grid)
    for number in level.grown:
        nodes[number] = 2 * level.nodes
    share = _PER_NODE * len(problem.fields) / len(problem.equations)
    points = [int(np.ceil(share * own)) for own in nodes]
    member = Member(activation, tuple(scale))
    return Resolution(member, tuple(nodes), terms, tuple(points), faces)
