"""The members of the portfolio: ways to draw all nodes of a network at once."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.grading import Face, all_faces
from piscm.network.activations import activation_named
from piscm.network.nodes import Nodes
from piscm.problem.box import Box

Floats = NDArray[np.float64]

# The activations that may make a layer.
LOCALIZED = ("tanh", "gaussian")
# Smaller scales fit few nodes well and many badly: their columns are too much alike.
_LEAST = 0.5
# From so many coordinates on, nodes may leave out some: a sum of terms that depend on few of them
# each, as most functions of many coordinates are, takes a tenth of the nodes then ...
_MANY = 3
# ... each coordinate with this probability, which leaves this fraction of its weight.
_OMITTED, _REMAINDER = 0.5, 0.05
# From so many on they always do, and depend on so few coordinates, or on all: waves across all of
# ten coordinates are too many to be drawn by chance.
VERY_MANY, _FEW = 6, (1, 2, 3)
# Of a graded member, the fraction of nodes that are steep near a face.
_STEEP = 0.7
# A step is as wide as it is far from the face, within this factor (natural logarithm) ...
_SPREAD = 1.0
# ... and points go this many times nearer to the face than nodes, to see the steepest.
NEARER = 4.0
# Layers are looked for at distances from a face between these, in widths. Every graded trial is
# judged at the finest, so a layer thinner than its own points can see is not overlooked.
FINEST, COARSEST = 1e-8, 0.02


@dataclass(frozen=True)
class Member:
    """How nodes are drawn.

    Attributes
    ----------
    activation : str
    scales : tuple of float
        One for each coordinate: how many radians a wave has over half a box, or how many of its
        widths a step or a bump, at most.
    nearest : float or None
        The least distance of points from a face, in widths of the box, for layers there; None
        spreads points evenly.
    faces : tuple of Face
        Those where nodes are steep, all if none is given; points are near all of them anyway.
    sparse : bool
        Whether each node hardly depends on about half of the coordinates; of very many coordinates
        it depends on one, two, three or all.
    """

    activation: str
    scales: tuple[float, ...]
    nearest: float | None = None
    faces: tuple[Face, ...] = ()
    sparse: bool = False

    @property
    def kind(self) -> str:
        """What it has in common with members of other scales."""
        if self.nearest is None:
            return self.activation
        where = "layers on one face" if len(self.faces) == 1 else "layers"
        return f"{where}, {self.activation}"

    def scaled(self, axis: int, factor: float) -> "Member":
        """The same with another scale along one coordinate."""
        scales = list(self.scales)
        scales[axis] *= factor
        return replace(self, scales=tuple(scales))

    @property
    def changes(self) -> "Changes":
        """What may be changed about it: for each thing the ways to change it."""
        dimension = len(self.scales)
        scales: Changes = [
            [partial(Member.scaled, axis=axis, factor=f) for f in (0.5, 2.0) if f * scale >= _LEAST]
            for axis, scale in enumerate(self.scales)
            if dimension > 1 or self.nearest is not None
        ]
        if self.nearest is None:
            return [[Member.along_few], *scales] if dimension >= _MANY else scales
        faces: Changes = [[partial(Member.toggled, face=face)] for face in all_faces(dimension)]
        kinds: Changes = [
            [partial(Member.by, activation=name) for name in LOCALIZED if name != self.activation]
        ]
        depths: Changes = [[partial(Member.deeper, factor=factor) for factor in (0.1, 10.0)]]
        return [*kinds, *depths, *scales, *faces]

    def toggled(self, face: Face) -> "Member":
        """The same without layers on a face, unless it is the only one, or with them."""
        everywhere = all_faces(len(self.scales))
        faces = self.faces or everywhere
        changed = tuple(own for own in everywhere if (own in faces) != (own == face))
        return replace(self, faces=changed or faces)

    def along_few(self) -> "Member":
        """The same with nodes along few coordinates each."""
        return replace(self, sparse=True)

    def by(self, activation: str) -> "Member":
        """The same with another activation."""
        return replace(self, activation=activation)

    def deeper(self, factor: float) -> "Member":
        """The same with layers down to another distance."""
        assert self.nearest is not None
        return replace(self, nearest=float(np.clip(factor * self.nearest, FINEST, COARSEST)))

    def nearer(self, before: "Member") -> "list[Member]":
        """Without one of the changes from another member, for each of them.

        What is best for few nodes may be so by chance. Layers stay as they are.
        """
        if self.nearest is not None:
            return []
        pairs = enumerate(zip(self.scales, before.scales, strict=True))
        undone = [self.scaled(axis, old / new) for axis, (new, old) in pairs if new != old]
        return [*undone, replace(self, sparse=False)] if self.sparse > before.sparse else undone

    @property
    def finer(self) -> tuple["Member", ...]:
        """For more nodes: scales larger by the square root of 2; thinner layers, if there are."""
        larger = replace(self, scales=tuple(np.sqrt(2.0) * scale for scale in self.scales))
        deeper = self if self.nearest is None else self.deeper(0.1)
        return (larger,) if deeper == self else (larger, deeper)

    def draw(
        self, count: int, box: Box, rng: np.random.Generator, centers: Floats | None = None
    ) -> Nodes:
        """Nodes whose random numbers are the same whatever the scales.

        Half of those with a location are put at `centers`, physical points, if there are any.
        """
        size, half = (count, box.dimension), box.width / 2
        weights = rng.uniform(-1.0, 1.0, size) * np.array(self.scales)
        places = rng.uniform(-1.0, 1.0, size)
        phases = rng.uniform(-np.pi, np.pi, count)
        if self.sparse and box.dimension >= VERY_MANY:
            weights *= _few(count, box.dimension, rng)
        elif self.sparse:
            weights[rng.random(size) < _OMITTED] *= _REMAINDER
        if activation_named(self.activation).localized:
            if centers is not None and len(centers):
                chosen = centers[rng.integers(len(centers), size=count // 2)]
                places[: count // 2] = (chosen - box.center) / half
            if self.nearest is not None:
                faces = np.array(self.faces or all_faces(box.dimension))
                _steepen(weights, places, NEARER * self.nearest, faces, rng)
            phases = np.zeros(count)
        weights = weights / half
        physical = box.center + half * places
        return Nodes(weights, phases - np.einsum("kj,kj->k", weights, physical))

    def __str__(self) -> str:
        scales = " × ".join(f"{scale:.2g}" for scale in self.scales)
        layer = "" if self.nearest is None else f" with layers to {self.nearest:.0e}"
        if self.faces:
            layer += f" on {len(self.faces)} of {2 * len(self.scales)} faces"
        few = " along few coordinates each" if self.sparse else ""
        return f"{self.activation} of scale {scales}{few}{layer}"


def _few(count: int, dimension: int, rng: np.random.Generator) -> Floats:
    """Factors that leave each node one, two, three or all coordinates, and its size alike."""
    depends = rng.choice([*_FEW, dimension], count)
    places = rng.random((count, dimension)).argsort(axis=1).argsort(axis=1)
    return np.asarray((places < depends[:, None]) / np.sqrt(np.maximum(1.0, depends / 2))[:, None])


def _steepen(
    weights: Floats,
    places: Floats,
    nearest: float,
    faces: NDArray[np.int_],
    rng: np.random.Generator,
) -> None:
    """Put most nodes near a face, steep across it; weights and places relative to half a box."""
    count = int(_STEEP * len(weights))
    rows = len(weights) - count + np.arange(count)
    axes, sides = faces[rng.integers(len(faces), size=count)].T
    distances = np.exp(rng.uniform(np.log(2.0 * nearest), 0.0, count))
    signs = rng.choice([-1.0, 1.0], count)
    places[rows, axes] = sides * (1.0 - distances)
    slopes = np.exp(rng.uniform(-_SPREAD, _SPREAD, count)) / distances
    weights[rows, axes] = signs * slopes


Changes = list[list[Callable[[Member], Member]]]
