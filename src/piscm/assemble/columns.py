"""Columns of the design matrix: what every node adds to every row."""

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

    def __init__(self, writer: Writer, design: Floats, strands: tuple[Floats, ...]) -> None:
        self._writer = writer
        self.still = design
        self.strands = strands
        self._at: Linearization | None = None
        self._written = np.zeros(len(design), dtype=bool)

    def __len__(self) -> int:
        return len(self.still)

    def at(self, linearization: Linearization, nodes: slice = slice(None)) -> Floats:
        """The columns of some nodes at a linearization, shape (nodes, fields, rows)."""
        if self._at is not linearization:
            self._at = linearization
            self._written[:] = False
        first, stop, _ = nodes.indices(len(self))
        stale = first + np.flatnonzero(~self._written[first:stop])
        if len(stale):
            behind = slice(int(stale[0]), int(stale[-1]) + 1)
            self._writer.write_columns(self.still, self.strands, behind, linearization)
            self._written[behind] = True
        return self.still[nodes]

    def take(self, nodes: list[int]) -> "Columns":
        """The columns of some nodes, copied."""
        strands = tuple(part[:, nodes] for part in self.strands)
        return self._like(self.still[nodes], strands, self._written[nodes])

    def first(self, count: int) -> "Columns":
        """The columns of the first nodes, without a copy."""
        strands = tuple(part[:, :count] for part in self.strands)
        return self._like(self.still[:count], strands, self._written[:count].copy())

    def _like(
        self, design: Floats, strands: tuple[Floats, ...], written: NDArray[np.bool_]
    ) -> "Columns":
        some = Columns(self._writer, design, strands)
        some._at, some._written = self._at, written
        return some

    def put(self, place: slice, others: "Columns") -> None:
        """Store the columns of other nodes at the given places."""
        self.still[place] = others.still
        for own, new in zip(self.strands, others.strands, strict=True):
            own[:, place] = new
        self._written[place] = others._written if others._at is self._at else False
