"""Columns of the design matrix: what every node adds to every row."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.state import Linearization

Floats = NDArray[np.float64]


class Writer(Protocol):
    """Whatever builds columns from strands: the system they belong to."""

    def write_columns(
        self,
        design: Floats,
        strands: tuple[Floats, ...],
        nodes: slice,
        linearization: Linearization,
    ) -> None: ...


@dataclass
class _Written:
    """Which nodes' columns are up to date, and at which linearization."""

    nodes: NDArray[np.bool_]
    at: Linearization | None = None


class Columns:
    """The columns of a batch of nodes, updated on demand.

    The rows of linear blocks never change. The others depend on the linearization: asking for the
    columns `at` one rewrites those that were written at another.

    Attributes
    ----------
    still : ndarray, shape (nodes, fields, rows)
        All columns; only the rows of linear blocks are guaranteed to be current.
    strands : one ndarray of shape (strands, nodes, points) for each leg of a nonlinear block
        What a node with unit output weight adds to each strand.
    """

    def __init__(
        self,
        writer: Writer,
        design: Floats,
        strands: tuple[Floats, ...],
        written: "_Written | None" = None,
    ) -> None:
        self._writer = writer
        self.still = design
        self.strands = strands
        self._written = written or _Written(np.zeros(len(design), dtype=bool))

    def __len__(self) -> int:
        return len(self.still)

    def at(self, linearization: Linearization, nodes: slice = slice(None)) -> Floats:
        """The columns of some nodes at a linearization, shape (nodes, fields, rows)."""
        written = self._written
        if written.at is not linearization:
            written.at = linearization
            written.nodes[:] = False
        first, stop, _ = nodes.indices(len(self))
        stale = first + np.flatnonzero(~written.nodes[first:stop])
        if len(stale):
            behind = slice(int(stale[0]), int(stale[-1]) + 1)
            self._writer.write_columns(self.still, self.strands, behind, linearization)
            written.nodes[behind] = True
        return self.still[nodes]

    def take(self, nodes: list[int]) -> "Columns":
        """A copy of some of the nodes."""
        strands = tuple(part[:, nodes] for part in self.strands)
        written = _Written(self._written.nodes[nodes], self._written.at)
        return Columns(self._writer, self.still[nodes], strands, written)

    def first(self, count: int) -> "Columns":
        """The first nodes, without a copy: what is written there is written here."""
        strands = tuple(part[:, :count] for part in self.strands)
        return Columns(self._writer, self.still[:count], strands, self._written)

    def put(self, place: slice, others: "Columns") -> None:
        """Store the columns of other nodes at the given places."""
        self.still[place] = others.still
        for own, new in zip(self.strands, others.strands, strict=True):
            own[:, place] = new
        same = others._written.at is self._written.at
        self._written.nodes[place] = others._written.nodes[: len(others)] if same else False
