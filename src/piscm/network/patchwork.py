"""Many small networks side by side, one on each patch of a grid."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piscm.compile.expression import Compiled
from piscm.network.activations import activation_named
from piscm.network.model import Model
from piscm.network.nodes import Feature, Nodes, concatenate, feature_of
from piscm.network.saved import numbers, whole_number
from piscm.network.start import Start
from piscm.problem.errors import ProblemError
from piscm.problem.problem import Problem

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]


@dataclass(frozen=True)
class Tiles:
    """Which network is responsible where.

    Attributes
    ----------
    edges : tuple of tuple of float
        For each coordinate the ends of the cells, in increasing order.
    owner : tuple of int
        For each cell, the last coordinate running fastest, the number of its network; -1 where a
        run did not get to.
    counts : tuple of int
        The number of nodes of each network; nodes are ordered by network.
    """

    edges: tuple[tuple[float, ...], ...]
    owner: tuple[int, ...]
    counts: tuple[int, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of cells along each coordinate."""
        return tuple(len(own) - 1 for own in self.edges)

    @cached_property
    def _owner(self) -> Integers:
        return np.array(self.owner, dtype=np.intp)

    @cached_property
    def firsts(self) -> Integers:
        """The number of the first node of each network, and of all nodes."""
        return np.concatenate([[0], np.cumsum(self.counts)]).astype(np.intp)

    def own(self, network: int) -> slice:
        """The nodes of a network."""
        return slice(int(self.firsts[network]), int(self.firsts[network + 1]))

    def network_of(self, points: Floats) -> Integers:
        """The number of the network responsible for each point."""
        cells = [
            np.clip(np.searchsorted(own, points[:, axis], side="right") - 1, 0, len(own) - 2)
            for axis, own in enumerate(self.edges)
        ]
        return np.asarray(self._owner[np.ravel_multi_index(cells, self.shape)])

    @classmethod
    def restored(cls, saved: Mapping[str, Any], dimension: int, nodes: int) -> "Tiles":
        """The tiles that a file holds, if they fit its nodes."""
        edges = tuple(tuple(float(edge) for edge in own) for own in saved["edges"])
        owner = tuple(
            whole_number(number + 1, "network of a cell") - 1 for number in saved["owner"]
        )
        counts = tuple(whole_number(number, "count of nodes") for number in saved["counts"])
        rising = all(len(own) > 1 and (np.diff(own) > 0).all() for own in edges)
        cells = int(np.prod([len(own) - 1 for own in edges])) if edges else 0
        fits = len(edges) == dimension and cells == len(owner) and sum(counts) == nodes
        if not rising or not fits or set(owner) - set(range(-1, len(counts))):
            raise ProblemError("its patches do not fit its nodes.")
        return cls(edges, owner, counts)


@dataclass(frozen=True)
class Patchwork(Model):
    """Starting values plus networks that are each responsible for one patch of the domain.

    Attributes
    ----------
    problem : Problem
    start : Start
    activation : str
    tiles : Tiles
    nodes : Nodes
        Those of all networks, one after the other.
    weights : ndarray, shape (nodes, fields)
    unknowns : ndarray, shape (unknowns,)
    """

    problem: Problem
    start: Start
    activation: str
    tiles: Tiles
    nodes: Nodes
    weights: Floats
    unknowns: Floats

    def __str__(self) -> str:
        shape, counts = " × ".join(map(str, self.tiles.shape)), self.tiles.counts
        low, high = min(counts), max(counts)
        nodes = str(low) if low == high else f"{low} to {high}"
        return f"{shape} patches of {nodes} {self.activation} nodes"

    @property
    def n_nodes(self) -> int:
        return len(self.nodes)

    @property
    def layout(self) -> dict[str, Any]:
        return {
            "activation": self.activation,
            "edges": [list(own) for own in self.tiles.edges],
            "owner": list(self.tiles.owner),
            "counts": list(self.tiles.counts),
        }

    @property
    def arrays(self) -> dict[str, Floats]:
        return {
            "node_weights": self.nodes.weights,
            "node_biases": self.nodes.biases,
            "weights": self.weights,
        }

    @classmethod
    def restored(
        cls,
        problem: Problem,
        start: Start,
        unknowns: Floats,
        layout: Mapping[str, Any],
        arrays: Mapping[str, np.ndarray],
    ) -> "Patchwork":
        size, dimension = len(arrays["node_biases"]), problem.domain.dimension
        nodes = Nodes(
            numbers(arrays, "node_weights", (size, dimension)),
            numbers(arrays, "node_biases", (size,)),
        )
        weights = numbers(arrays, "weights", (size, len(problem.fields)))
        tiles = Tiles.restored(layout, dimension, size)
        activation = activation_named(layout["activation"]).name
        return cls(problem, start, activation, tiles, nodes, weights, unknowns)

    def jets(self, compiled: Compiled, points: Floats) -> Floats:
        return self.jets_of(compiled, points, self.tiles.network_of(points))

    def jets_of(self, compiled: Compiled, points: Floats, networks: Integers) -> Floats:
        """Every jet at the points, each seen by a network of one's choice."""
        jets = self.start.jets(compiled, points)
        wanted = [self._feature(own) for own in compiled.jets]
        activation = activation_named(self.activation)
        for here, own in self._patches(networks):
            nodes, weights = self.nodes.some(own), self.weights[own]
            made = nodes.features(points[here], set(wanted), activation)
            for row, jet, feature in zip(jets, compiled.jets, wanted, strict=True):
                row[here] += weights[:, jet.field] @ made[feature]
        return jets

    def deviation(self, compiled: Compiled, points: Floats, factor: Floats) -> Floats:
        """The standard error of a compiled expression, given a factor of the covariance.

        The covariance of weights (node, field) and unknowns is ``factor.T @ factor``.
        """
        seen, points = points, points[:, : self.problem.domain.dimension]
        by_jets, by_unknowns = compiled.linearize(seen, self.jets(compiled, points), self.unknowns)
        size, activation = self.weights.size, activation_named(self.activation)
        by_weights = factor[:, :size].reshape(-1, *self.weights.shape)
        wanted = [self._feature(own) for own in compiled.jets]
        moved = factor[:, size:] @ by_unknowns
        for here, own in self._patches(self.tiles.network_of(points)):
            made = self.nodes.some(own).features(points[here], set(wanted), activation)
            for jet, feature, partial in zip(compiled.jets, wanted, by_jets, strict=True):
                moved[:, here] += partial[here] * (by_weights[:, own, jet.field] @ made[feature])
        return self._where_known(np.linalg.norm(moved, axis=0), points)

    def knows(self, points: Floats) -> NDArray[np.bool_]:
        return np.asarray(self.tiles.network_of(points) >= 0)

    @property
    def extent(self) -> str:
        """How far the problem was solved, in words; empty if everywhere."""
        return "solved in part: elsewhere, values are NaN" if -1 in self.tiles.owner else ""

    def _patches(self, networks: Integers) -> Iterator[tuple[Integers, slice]]:
        """For each network that is responsible for some points: these, and its nodes."""
        order = np.argsort(networks, kind="stable")
        present, firsts = np.unique(networks[order], return_index=True)
        for network, here in zip(present, np.split(order, firsts[1:]), strict=True):
            own = self.tiles.own(int(network)) if network >= 0 else slice(0, 0)
            if own.stop > own.start:
                yield here, own

    def _chunks(self, points: Floats) -> list[Floats]:
        # A point meets the nodes of one network only.
        most = max(1, *self.tiles.counts)
        step = max(1, _CHUNK // most)
        return np.split(points, range(step, len(points), step))

    def _feature(self, jet: Any) -> Feature:
        return feature_of(jet, self.problem)


def side_by_side(problem: Problem, start: Start, works: Sequence[Patchwork]) -> Patchwork:
    """Patchworks on parts of a domain as one; nothing is known where there is none."""
    dimension, box = problem.domain.dimension, problem.domain.bounding_box
    edges = [
        sorted(
            {float(box.lower[axis]), float(box.upper[axis])}.union(
                *(work.tiles.edges[axis] for work in works)
            )
        )
        for axis in range(dimension)
    ]
    middles = [(np.array(own[1:]) + np.array(own[:-1])) / 2 for own in edges]
    cells = np.stack([m.ravel() for m in np.meshgrid(*middles, indexing="ij")], axis=1)
    owner, first = np.full(len(cells), -1), 0
    for work in works:
        ends = work.tiles.edges
        low, high = (np.array([own[i] for own in ends]) for i in (0, -1))
        here = ((cells > low) & (cells < high)).all(axis=1)
        found = work.tiles.network_of(cells[here])
        owner[here] = np.where(found < 0, -1, first + found)
        first += len(work.tiles.counts)
    tiles = Tiles(
        tuple(map(tuple, edges)),
        tuple(map(int, owner)),
        tuple(count for work in works for count in work.tiles.counts),
    )
    return Patchwork(
        problem,
        start,
        works[0].activation,
        tiles,
        concatenate([work.nodes for work in works]),
        np.concatenate([work.weights for work in works]),
        works[0].unknowns,
    )


# Nodes of a network times points at a time.
_CHUNK = 20_000_000
