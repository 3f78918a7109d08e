"""What passes between the steps: the current state, changes to it, partials, columns."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class State:
    """The current approximation, seen from the points.

    Attributes
    ----------
    weights : ndarray, shape (nodes, fields)
    unknowns : ndarray, shape (unknowns,)
    layers : one ndarray of shape (layers, points) for each leg of each nonlinear block
    residual : ndarray, shape (rows,)
    """

    weights: Floats
    unknowns: Floats
    layers: tuple[Floats, ...]
    residual: Floats

    @property
    def energy(self) -> float:
        """The squared norm of the weighted residual, the paper's E²."""
        return float(self.residual @ self.residual)


@dataclass(frozen=True)
class Change:
    """Several steps away from a state, side by side: trials."""

    linear: Floats  # (trials, linear rows), by the weights alone
    layers: tuple[Floats, ...]  # per leg (layers, trials, points)
    unknowns: Floats  # (trials, unknowns)

    def times(self, lengths: Floats) -> "Change":
        """One step, as a trial for each length."""
        column = lengths[:, None]
        return Change(
            column * self.linear,
            tuple(column * part for part in self.layers),
            column * self.unknowns,
        )


@dataclass(frozen=True)
class Linearization:
    """Partials of the nonlinear blocks at a state, weighted, and the columns of the unknowns."""

    partials: tuple[Floats, ...]  # per leg (layers, points)
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
    layers : one ndarray of shape (layers, nodes, points) for each leg of a nonlinear block
        What a node with the weight one adds to each layer.
    """

    design: Floats
    layers: tuple[Floats, ...]

    def take(self, nodes: list[int]) -> "NodeRows":
        """Some of the nodes."""
        return NodeRows(self.design[nodes], tuple(part[:, nodes] for part in self.layers))

    def first(self, count: int) -> "NodeRows":
        """The first nodes, without a copy."""
        return NodeRows(self.design[:count], tuple(part[:, :count] for part in self.layers))

    def put(self, place: slice, others: "NodeRows") -> None:
        """Write other nodes to some places."""
        self.design[place] = others.design
        for own, new in zip(self.layers, others.layers, strict=True):
            own[:, place] = new
