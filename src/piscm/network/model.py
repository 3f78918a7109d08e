"""A network as a function: any expression of its fields, at any points."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
import sympy
from numpy.typing import ArrayLike, NDArray
from sympy.core.function import AppliedUndef

from piscm.compile.blocks import Block, Compiled, Jet, feature_of
from piscm.network.activations import activation_named
from piscm.network.nodes import Feature, Nodes
from piscm.network.start import Start
from piscm.problem.errors import ProblemError, brief
from piscm.problem.expressions import as_expression
from piscm.problem.numeric import float_array
from piscm.problem.problem import Problem

Floats = NDArray[np.float64]

# Nodes times points at once; bounds the memory of an evaluation, whatever the number of points.
_CHUNK = 2_000_000


@dataclass(frozen=True)
class Panels:
    """How the nodes of a network are shared out along one coordinate.

    Attributes
    ----------
    axis : int
        The coordinate.
    edges : tuple of float
        Where one window ends and the next begins; one number less than windows.
    counts : tuple of int
        The nodes of each window, which stand one window after the other.
    activations : tuple of str
        The activation in each window.
    """

    axis: int
    edges: tuple[float, ...]
    counts: tuple[int, ...]
    activations: tuple[str, ...]


class Fitted(ABC):
    """A network with its fitted parameters, as a function of the coordinates.

    Attributes
    ----------
    problem : Problem
    start : Start
        Starting values, to which the network is added.
    unknowns : ndarray, shape (unknowns,)
    """

    problem: Problem
    start: Start
    unknowns: Floats

    @property
    @abstractmethod
    def n_nodes(self) -> int:
        """Hidden nodes, of all layers together."""

    @property
    @abstractmethod
    def layout(self) -> dict[str, Any]:
        """Whatever is not an array, as plain data to be saved."""

    @property
    @abstractmethod
    def arrays(self) -> dict[str, Floats]:
        """All parameters but the unknowns, by the names under which they are saved."""

    @abstractmethod
    def _jets(self, compiled: Compiled, points: Floats) -> Floats:
        """Every jet of a compiled expression at the points, shape (jets, points)."""

    def value(self, compiled: Compiled, points: Floats) -> Floats:
        """A compiled expression at points of shape (points, coordinates)."""
        parts = [
            compiled.value(chunk, self._jets(compiled, chunk), self.unknowns)
            for chunk in self._chunks(points)
        ]
        return np.concatenate(parts)

    def _chunks(self, points: Floats) -> list[Floats]:
        step = max(1, _CHUNK // max(1, self.n_nodes))
        return np.split(points, range(step, len(points), step))

    def residual(self, block: Block, points: Sequence[Floats]) -> Floats:
        """The unweighted residual of a block at its points."""
        total: Floats = np.zeros(())
        for sign, array in zip(block.signs, points, strict=True):
            total = total + sign * self.value(block.compiled, array)
        return total if block.data is None else np.asarray(total - block.data)

    def compile(self, written: Any) -> Compiled:
        """An expression of the user's, checked and compiled; kept for the next time."""
        expression = as_expression(written, "The expression")
        expression = expression.xreplace(self._own_symbols(expression))
        if expression not in self._compiled:
            declared = self.problem.declared
            declared.check(expression, "The expression")
            self._compiled[expression] = Compiled(
                expression,
                self.problem.fields,
                declared.coordinates,
                declared.unknowns,
                f"The expression {brief(expression)}",
            )
        return self._compiled[expression]

    @cached_property
    def _compiled(self) -> dict[sympy.Expr, Compiled]:
        return {}

    def _own_symbols(self, expression: sympy.Expr) -> dict[Any, Any]:
        """Symbols and fields by name: a loaded solution knows them whatever their assumptions."""
        named = {
            symbol.name: symbol
            for symbol in (*self.problem.domain.coordinates, *self.problem.unknowns)
        }
        table = {s: named[s.name] for s in expression.free_symbols if s.name in named}
        fields = {str(own.func): own for own in self.problem.fields}
        for item in expression.atoms(AppliedUndef):
            own = fields.get(str(item.func))
            if own is not None and [str(a) for a in item.args] == [str(a) for a in own.args]:
                table[item] = own
        return table


@dataclass(frozen=True)
class Network(Fitted):
    """Starting values plus weighted hidden nodes, for the whole domain or for windows of it.

    Attributes
    ----------
    problem : Problem
    start : Start
    activation : str
    nodes : Nodes
    weights : ndarray, shape (nodes, fields)
    unknowns : ndarray, shape (unknowns,)
    panels : Panels or None
        The windows, where there are several; `activation` is that of the first.
    """

    problem: Problem
    start: Start
    activation: str
    nodes: Nodes
    weights: Floats
    unknowns: Floats
    panels: Panels | None = None

    @property
    def n_nodes(self) -> int:
        return len(self.nodes)

    @property
    def layout(self) -> dict[str, Any]:
        return {
            "activation": self.activation,
            "panels": None if self.panels is None else asdict(self.panels),
        }

    @property
    def arrays(self) -> dict[str, Floats]:
        return {
            "node_weights": self.nodes.weights,
            "node_biases": self.nodes.biases,
            "weights": self.weights,
        }

    def deviation(self, compiled: Compiled, points: Floats, factor: Floats) -> Floats:
        """The standard error of a compiled expression, for a factor of the covariance.

        The covariance of weights (node, field) and unknowns is ``factor.T @ factor``.
        """
        parts = [
            np.linalg.norm(factor @ self.gradient(compiled, chunk), axis=0)
            for chunk in self._chunks(points)
        ]
        return np.concatenate(parts)

    def gradient(self, compiled: Compiled, points: Floats) -> Floats:
        """Partials by every weight and unknown, shape (weights + unknowns, points)."""
        jets = self._jets(compiled, points)
        by_jets, by_unknowns = compiled.linearize(points, jets, self.unknowns)
        gradient = np.zeros((*self.weights.shape, len(points)))
        for here, own, features in self._features(compiled, points):
            for jet, partial in zip(compiled.jets, by_jets, strict=True):
                gradient[own, jet.field, here] += partial[here] * features[jet]
        return np.concatenate([gradient.reshape(-1, len(points)), by_unknowns])

    def _jets(self, compiled: Compiled, points: Floats) -> Floats:
        jets = self.start.jets(compiled, points)
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
        """For each window the points in it, its nodes and its activation."""
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
        return feature_of(jet, self.problem.fields, self.problem.domain.coordinates)


def broadcast(problem: Problem, given: Mapping[str, ArrayLike]) -> list[Floats]:
    """The coordinates by name, in the domain's order, as arrays of one shape."""
    names = [symbol.name for symbol in problem.domain.coordinates]
    for name in given:
        if name not in names:
            raise ProblemError(f"{name!r} is not a coordinate; they are {', '.join(names)}.")
    for name in names:
        if name not in given:
            raise ProblemError(f"The coordinate {name!r} is missing; give {', '.join(names)}.")
    arrays = [float_array(given[name], f"The values of {name}") for name in names]
    try:
        return list(np.broadcast_arrays(*arrays))
    except ValueError:
        shapes = ", ".join(
            f"{name} {array.shape}" for name, array in zip(names, arrays, strict=True)
        )
        raise ProblemError(f"The coordinates do not broadcast together: {shapes}.") from None


def checked_points(problem: Problem, points: ArrayLike) -> Floats:
    """Points of shape (N, n), each of them finite and in the domain."""
    box = problem.domain
    array = float_array(points, "The points")
    if array.ndim == 1 and box.dimension == 1:
        array = array[:, None]
    if array.ndim != 2 or array.shape[1] != box.dimension:
        raise ProblemError(
            f"The points have the shape {array.shape}; give (N, {box.dimension}), "
            f"in the order of {box}."
        )
    if not len(array):
        raise ProblemError("There are no points to evaluate at.")
    if not np.isfinite(array).all():
        raise ProblemError("The points hold NaN or infinite numbers.")
    outside = ~box.contains(array)
    if outside.any():
        first = ", ".join(f"{value:g}" for value in array[outside][0])
        raise ProblemError(
            f"{np.count_nonzero(outside)} of {len(array)} points lie outside the domain {box}, "
            f"where the solution means nothing; the first is ({first})."
        )
    return array
