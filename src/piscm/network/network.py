"""One hidden layer as a function, for the whole domain or window by window."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piscm.compile.expression import Compiled, Jet
from piscm.network.activations import activation_named
from piscm.network.model import Model
from piscm.network.nodes import Feature, Nodes, feature_of
from piscm.network.saved import numbers, whole_number
from piscm.network.singular import SingularPart
from piscm.network.start import Start
from piscm.problem.errors import ProblemError
from piscm.problem.problem import Problem

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Panels:
    """How the nodes of a network are divided among windows along one coordinate.

    Attributes
    ----------
    axis : int
        The coordinate.
    edges : tuple of float
        The boundaries between windows; one fewer than windows.
    counts : tuple of int
        The number of nodes of each window; nodes are ordered by window.
    activations : tuple of str
        The activation in each window.
    """

    axis: int
    edges: tuple[float, ...]
    counts: tuple[int, ...]
    activations: tuple[str, ...]

    @classmethod
    def restored(cls, saved: Mapping[str, Any], problem: Problem, nodes: int) -> "Panels":
        """The windows that a file holds, if they fit the problem and its nodes."""
        axis, edges = whole_number(saved["axis"], "axis"), tuple(map(float, saved["edges"]))
        counts = tuple(whole_number(number, "count of nodes") for number in saved["counts"])
        low, high = problem.domain.span(problem.domain.coordinates[axis])
        inside = all(low < edge < high for edge in edges) and list(edges) == sorted(edges)
        activations = tuple(activation_named(name).name for name in saved["activations"])
        fits = sum(counts) == nodes and len(counts) == len(edges) + 1 == len(activations)
        if not inside or not fits:
            raise ProblemError("its windows do not fit its nodes.")
        return cls(axis, edges, counts, activations)


@dataclass(frozen=True)
class Network(Model):
    """Starting values plus weighted hidden nodes, on the whole domain or on windows of it.

    Attributes
    ----------
    problem : Problem
    start : Start
    activation : str
    nodes : Nodes
    weights : ndarray, shape (nodes, fields)
    unknowns : ndarray, shape (unknowns,)
    panels : Panels or None
        The windows, if there are several; `activation` is that of the first.
    solved_up_to, solved_down_to : float
        How far a run got along the coordinate of the windows, upward or downward: beyond, nothing
        is known. Minus infinity if it got nowhere.
    """

    problem: Problem
    start: Start
    activation: str
    nodes: Nodes
    weights: Floats
    unknowns: Floats
    panels: Panels | None = None
    solved_up_to: float = np.inf
    solved_down_to: float = -np.inf

    @property
    def n_nodes(self) -> int:
        return len(self.nodes)

    @property
    def layout(self) -> dict[str, Any]:
        return {
            "activation": self.activation,
            "panels": None if self.panels is None else asdict(self.panels),
            "solved_up_to": self.solved_up_to,
            "solved_down_to": self.solved_down_to,
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
    ) -> "Network":
        size, dimension = len(arrays["node_biases"]), problem.domain.dimension
        nodes = Nodes(
            numbers(arrays, "node_weights", (size, dimension)),
            numbers(arrays, "node_biases", (size,)),
        )
        weights = numbers(arrays, "weights", (size, len(problem.fields)))
        panels = None
        if layout["panels"] is not None:
            panels = Panels.restored(layout["panels"], problem, size)
        activation = activation_named(layout["activation"]).name
        reached = float(layout["solved_up_to"]), float(layout["solved_down_to"])
        if np.isnan(reached).any() or (panels is None and np.isfinite(reached).any()):
            raise ProblemError("how far it was solved does not fit its windows.")
        return cls(problem, start, activation, nodes, weights, unknowns, panels, *reached)

    @property
    def extent(self) -> str:
        if self.solved_everywhere:
            return ""
        if self.panels is None:
            return "nothing was found in the time: values are NaN"
        name = self.problem.domain.coordinates[self.panels.axis].name
        if self.solved_down_to > -np.inf:
            return f"solved down to {name} = {self.solved_down_to:.4g}: beyond, values are NaN"
        return f"solved up to {name} = {self.solved_up_to:.4g}: beyond, values are NaN"

    @property
    def solved_everywhere(self) -> bool:
        """Whether a run got to the end."""
        return self.solved_up_to == np.inf and self.solved_down_to == -np.inf

    def knows(self, points: Floats) -> NDArray[np.bool_]:
        axis = 0 if self.panels is None else self.panels.axis
        at = points[:, axis]
        return np.asarray((at <= self.solved_up_to) & (at >= self.solved_down_to))

    def deviation(self, compiled: Compiled, points: Floats, factor: Floats) -> Floats:
        """The standard error of a compiled expression, given a factor of the covariance.

        The covariance of weights (node, field) and unknowns is ``factor.T @ factor``.
        """
        parts = [
            np.linalg.norm(factor @ self.gradient(compiled, chunk), axis=0)
            for chunk in self._chunks(points)
        ]
        return self._where_known(np.concatenate(parts), points)

    def gradient(self, compiled: Compiled, points: Floats) -> Floats:
        """Partials by every weight and unknown, shape (weights + unknowns, points)."""
        seen, points = points, points[:, : self.problem.domain.dimension]
        jets = self.jets(compiled, points)
        by_jets, by_unknowns = compiled.linearize(seen, jets, self.unknowns)
        gradient = np.zeros((*self.weights.shape, len(points)))
        for here, own, features in self._features(compiled, points):
            for jet, partial in zip(compiled.jets, by_jets, strict=True):
                gradient[own, jet.field, here] += partial[here] * features[jet]
        if len(self._singular):
            each = self._singular.jets(compiled, points)
            by_unknowns = by_unknowns.copy()
            by_unknowns[self._singular.indices] += np.einsum("jn,sjn->sn", by_jets, each)
        return np.concatenate([gradient.reshape(-1, len(points)), by_unknowns])

    @cached_property
    def _singular(self) -> SingularPart:
        return SingularPart(self.problem)

    def jets_beside(self, compiled: Compiled, points: Floats) -> Floats:
        """The jets without what the nodes add: those of the start and of singular functions."""
        jets = self.start.jets(compiled, points)
        if len(self._singular):
            each = self._singular.jets(compiled, points)
            jets += np.tensordot(self.unknowns[self._singular.indices], each, 1)
        return jets

    def jets(self, compiled: Compiled, points: Floats) -> Floats:
        jets = self.jets_beside(compiled, points)
        for here, own, features in self._features(compiled, points):
            for row, jet in zip(jets, compiled.jets, strict=True):
                row[here] += self.weights[own, jet.field] @ features[jet]
        return jets

    def _features(
        self, compiled: Compiled, points: Floats
    ) -> Iterator[tuple[Any, slice, dict[Jet, Floats]]]:
        """For each window: its points, its nodes, and their features for every jet."""
        wanted = {jet: self._feature(jet) for jet in compiled.jets}
        for here, own, name in self._windows(points):
            activation = activation_named(name)
            nodes = Nodes(self.nodes.weights[own], self.nodes.biases[own])
            if len(nodes):
                made = nodes.features(points[here], set(wanted.values()), activation)
                yield here, own, {jet: made[feature] for jet, feature in wanted.items()}

    def _windows(self, points: Floats) -> Iterator[tuple[Any, slice, str]]:
        """For each window: its points, its nodes and its activation."""
        panels = self.panels
        if panels is None:
            yield slice(None), slice(0, len(self.nodes)), self.activation
            return
        which = np.searchsorted(panels.edges, points[:, panels.axis])
        last = 0
        for number, count in enumerate(panels.counts):
            first, last = last, last + count
            here = np.flatnonzero(which == number)
            if len(here):
                yield here, slice(first, last), panels.activations[number]

    def _feature(self, jet: Jet) -> Feature:
        return feature_of(jet, self.problem)
