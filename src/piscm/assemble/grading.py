"""Points graded towards faces, for layers that evenly spread points would miss.

Half of the points are moved along one coordinate to a distance from a face that is log-uniform, so
every octave of distances has as many. Rows there are scaled by a node as steep as these points can
see: with a convection term, say, a layer of width d has a residual of 1/d for an error of 1, and
would otherwise be left out altogether because the fit of all the rest suffers from it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.row_scaling import RowScaling
from piscm.assemble.sites import Points, Site
from piscm.assemble.thinning import random_half
from piscm.assemble.weighting import Emphasis
from piscm.compile.blocks import Block
from piscm.network.nodes import Nodes
from piscm.network.start import Start
from piscm.problem.box import Box
from piscm.problem.place import Legs

Floats = NDArray[np.float64]

# Elsewhere rows have the size they have for a node of this many radians over half a box; that is
# what the row scaling of the whole domain measures, within a factor 2 or so.
_SMOOTH = 8.0
# Faces with layers get this many times the points of all faces together.
_PREFERRED = 3
# Nodes make layers if this share of them has more than so many widths over half a box, and nearly
# all of these are no farther from a face than so many of their own widths.
_LAYERED, _STEEP, _NEARLY_ALL, _CLOSE = 0.1, 16.0, 0.8, 5.0
# Distances in half-boxes below this are round-off.
_ON_IT = 1e-12


NEAREST = 1e-8
"""The least distance from a face, in widths, at which errors are looked at."""

Face = tuple[int, int]
"""The number of a coordinate, and -1 for its lower end or 1 for its upper one."""


def all_faces(dimension: int) -> tuple[Face, ...]:
    """Every face of a box."""
    return tuple((axis, side) for axis in range(dimension) for side in (-1, 1))


def has_layers(nodes: Nodes, box: Box) -> bool:
    """Whether steps or bumps are so steep near faces that evenly spread points do not see them."""
    half = box.width / 2
    slopes = np.abs(nodes.weights) * half
    rows, axes = np.arange(len(nodes)), np.argmax(slopes, axis=1)
    steepest = slopes[rows, axes]
    steep = steepest > _STEEP
    if not np.sum(steep) > _LAYERED * len(nodes):
        return False
    # The center of a node along the coordinate across which it is steep.
    at = np.abs(nodes.weights @ box.center + nodes.biases)[steep] / steepest[steep]
    close = np.abs(1.0 - at) * steepest[steep] < _CLOSE
    return bool(np.mean(close) > _NEARLY_ALL)


def graded(
    points: Points,
    box: Box,
    nearest: float,
    rng: np.random.Generator,
    faces: Sequence[Face] = (),
) -> Points:
    """The same points, half of them moved to a log-uniform distance from a face.

    `nearest` is the least distance, in widths of the box. A point moves along a coordinate in which
    it is free: those of a face, or of a line inside, stay on it. Observations and periodic pairs
    keep theirs. If there are nodes at some `faces` only, three quarters of the points move towards
    them: with fewer points than nodes in a layer, anything could be between the points.
    """
    everywhere = all_faces(box.dimension)
    copies = -(-_PREFERRED * len(everywhere) // len(faces)) if faces else 0
    towards = np.array((*everywhere, *(copies * tuple(faces))))

    def moved(number: int, site: Site) -> Site:
        leg = site.legs[0]
        single = len(site.legs) == 1 and leg.sums is None and len(leg.points) > 1
        if not site.resampled or not single:
            return site
        half = random_half(len(leg.points), rng)
        placed = leg.points.copy()
        placed[half] = _moved(placed[half], box, nearest, towards, rng)
        placed = np.where(shared(leg.points), leg.points, placed)
        # Along a face the normal stays the same.
        return Site((replace(leg, points=placed),), site.resampled)

    return points.changed(moved)


def shared(points: Floats) -> NDArray[np.bool_]:
    """Which coordinates of points others have too: they lie on a line or a plane inside."""
    shared = np.empty(points.shape, dtype=bool)
    for axis, values in enumerate(points.T):
        _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
        shared[:, axis] = counts[which] > 1
    return shared


def measuring(
    points: Floats, box: Box, nearest: float, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Evenly spread points, half of them graded, and the weights that make means of them true.

    The weights are the inverse density of the points, with a mean of 1: a mean over the box then
    has what happens in a layer, however thin, with the share that its width gives it.
    """
    placed = points.copy()
    towards = np.array(all_faces(box.dimension))
    half = random_half(len(placed), rng)
    placed[half] = _moved(placed[half], box, nearest, towards, rng)
    below = (placed - box.lower) / box.width
    distances = np.concatenate([below, 1.0 - below], axis=1)
    near = (distances >= nearest) & (distances <= 0.5)
    density = np.where(near, 1.0 / np.where(near, distances, 1.0), 0.0).mean(axis=1)
    weights = 1.0 / (0.5 + 0.5 * density / np.log(0.5 / nearest))
    return placed, weights / weights.mean()


def near_faces(points: Floats, box: Box, nearest: float, rng: np.random.Generator) -> Floats:
    """All of some points at log-uniform distances from any face."""
    return _moved(points, box, nearest, np.array(all_faces(box.dimension)), rng)


def _moved(
    points: Floats,
    box: Box,
    nearest: float,
    towards: NDArray[np.int_],
    rng: np.random.Generator,
) -> Floats:
    """Points at log-uniform distances from a face each, as evenly as chance allows.

    Each face has a share of the points, and each of these an interval of its own: gaps between
    independent ones are several times as long, and a steep node finds them.
    """
    count, faces = len(points), len(towards)
    order = rng.permutation(count)
    axes, sides = towards[order % faces].T
    shares = (order // faces + rng.random(count)) / np.ceil(count / faces)
    octaves = np.log(0.5 / nearest) * np.minimum(shares, 1.0)
    distances = nearest * np.exp(octaves) * box.width[axes]
    targets = np.where(sides > 0, box.upper[axes] - distances, box.lower[axes] + distances)
    rows = np.arange(count)
    now = points[rows, axes]
    fixed = np.minimum(now - box.lower[axes], box.upper[axes] - now) <= _ON_IT * box.width[axes]
    points[rows, axes] = np.where(fixed, now, targets)
    return points


@dataclass(frozen=True)
class GradedScaling(RowScaling):
    """Row scaling for graded points: equations by a node as steep as the distance to a face.

    Attributes
    ----------
    box : Box
    start : Start
    unknowns : tuple of float
    """

    box: Box
    start: Start
    unknowns: tuple[float, ...] = ()

    @classmethod
    def on(cls, scaling: RowScaling, box: Box, start: Start, unknowns: Floats) -> "GradedScaling":
        """The graded form of a row scaling."""
        return cls(scaling.sizes, scaling.names, box, start, tuple(map(float, unknowns)))

    def emphasis(self, blocks: Sequence[Block], points: Points) -> Emphasis:
        even = super().emphasis(blocks, points)
        return {
            number: even[number] * self.factors(block, points[number])
            for number, block in enumerate(blocks)
        }

    def factors(self, block: Block, legs: Legs) -> Floats:
        """On the squared residual of each row, on top of the size of the block."""
        if block.kind != "equations":
            return np.ones(1)
        points, compiled = legs[0].points, block.compiled
        jets = self.start.jets(compiled, points)
        partials = compiled.linearize(points, jets, np.array(self.unknowns))[0]
        half = self.box.width / 2
        distances = np.minimum(points - self.box.lower, self.box.upper - points) / half
        steep = np.maximum(_SMOOTH, 1.0 / np.maximum(distances, _ON_IT)) / half
        even, local = np.zeros(len(points)), np.zeros(len(points))
        for jet, partial in zip(compiled.jets, partials, strict=True):
            even += (partial * np.prod((_SMOOTH / half) ** np.array(jet.orders))) ** 2
            local += (partial * np.prod(steep ** np.array(jet.orders), axis=1)) ** 2
        return np.where(local > 0, even / np.where(local > 0, local, 1.0), 1.0)
