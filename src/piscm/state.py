"""What passes between the steps: where rows stand, the current state, changes to it, columns."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from piscm.blocks import Block
from piscm.network.nodes import Feature

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Leg:
    """A block at one set of points (a periodic block has two, with opposite signs)."""

    sign: float
    columns: slice  # where its points stand in System.points
    features: tuple[Feature, ...]  # the distinct features of its jets
    jet_field: tuple[int, ...]  # for each jet of the block: its field ...
    jet_feature: tuple[int, ...]  # ... and its place among `features`

    @cached_property
    def groups(self) -> dict[tuple[int, tuple[bool, ...], int], list[int]]:
        """The jets by their field, the coordinates it sees, and their total order."""
        groups: dict[tuple[int, tuple[bool, ...], int], list[int]] = {}
        for jet, (field, place) in enumerate(zip(self.jet_field, self.jet_feature, strict=True)):
            feature = self.features[place]
            groups.setdefault((field, feature.sees, sum(feature.orders)), []).append(jet)
        return groups


@dataclass(frozen=True)
class Placed:
    """A block with its points and its rows."""

    block: Block
    legs: tuple[Leg, ...]
    rows: slice
    scale: Floats  # the square root of the weight, for all rows or each


@dataclass(frozen=True)
class State:
    """The current approximation, seen from the points.

    Attributes
    ----------
    weights : ndarray, shape (nodes, fields)
    unknowns : ndarray, shape (unknowns,)
    jets : one ndarray of shape (jets, points) for each leg of each nonlinear block
    residual : ndarray, shape (rows,)
    """

    weights: Floats
    unknowns: Floats
    jets: tuple[Floats, ...]
    residual: Floats

    @property
    def energy(self) -> float:
        """The squared norm of the weighted residual, the paper's E²."""
        return float(self.residual @ self.residual)


@dataclass(frozen=True)
class Change:
    """Several steps away from a state, side by side; the first axis numbers them."""

    linear: Floats  # (trials, linear rows), by the weights alone
    jets: tuple[Floats, ...]  # per leg (trials, jets, points)
    unknowns: Floats  # (trials, unknowns)


@dataclass(frozen=True)
class Linearization:
    """Partials of the nonlinear blocks at a state, weighted, and the columns of the unknowns."""

    partials: tuple[Floats, ...]  # per leg (jets, points)
    unknowns: Floats  # (unknowns, rows)

    @property
    def finite(self) -> bool:
        return all(np.isfinite(part).all() for part in (*self.partials, self.unknowns))


@dataclass
class NodeRows:
    """What the system keeps of a batch of nodes.

    Attributes
    ----------
    design : ndarray, shape (nodes, fields, rows)
        The columns of the design; the nonlinear rows hold the latest linearization.
    features : one ndarray of shape (features, nodes, points) for each leg of a nonlinear block
    fixed : one ndarray of shape (nodes, fields, points) for each nonlinear block
        What the jets with fixed partials contribute to its rows of the design.
    """

    design: Floats
    features: tuple[Floats, ...]
    fixed: tuple[Floats, ...]

    def take(self, nodes: list[int]) -> "NodeRows":
        """Some of the nodes."""
        return NodeRows(
            self.design[nodes],
            tuple(part[:, nodes] for part in self.features),
            tuple(part[nodes] for part in self.fixed),
        )

    def first(self, count: int) -> "NodeRows":
        """The first nodes, without a copy."""
        return NodeRows(
            self.design[:count],
            tuple(part[:, :count] for part in self.features),
            tuple(part[:count] for part in self.fixed),
        )

    def put(self, place: slice, others: "NodeRows") -> None:
        """Write other nodes to some places."""
        self.design[place] = others.design
        for own, new in zip(self.features, others.features, strict=True):
            own[:, place] = new
        for own, new in zip(self.fixed, others.fixed, strict=True):
            own[place] = new
