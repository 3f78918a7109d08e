"""Columns in single precision: many times cheaper, and accurate enough to rank candidates."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.chain_rule import Evaluated
from piscm.assemble.placement import Placed
from piscm.assemble.state import Linearization
from piscm.network.activations import Activation
from piscm.network.nodes import Feature, Nodes

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]


class Screen:
    """A system in single precision.

    Parameters
    ----------
    points : ndarray, shape (points, coordinates)
    blocks : sequence of Placed
    partials : for every block and leg, the weighted partials by its jets at the start
    wanted : the node features that the blocks use
    activation : Activation
    fields : int
    """

    def __init__(
        self,
        points: Floats,
        blocks: Sequence[Placed],
        partials: Sequence[Sequence[Floats]],
        wanted: Iterable[Feature],
        activation: Activation,
        fields: int,
    ) -> None:
        self._points: Singles = points.astype(np.float32)
        self._blocks = blocks
        self._partials = [[own.astype(np.float32) for own in each] for each in partials]
        self._wanted, self._activation, self._fields = wanted, activation, fields

    def columns(self, nodes: Nodes, linearization: Linearization) -> Singles:
        """The columns of a batch of nodes, shape (nodes, fields, rows)."""
        single = np.float32
        rough = Nodes(nodes.weights.astype(single), nodes.biases.astype(single))
        made = Evaluated(rough, self._points, self._wanted, self._activation)
        rows = self._blocks[-1].rows.stop
        design = np.empty((len(nodes), self._fields, rows), dtype=single)
        for placed, at_start in zip(self._blocks, self._partials, strict=True):
            partials = at_start
            if not placed.block.linear:
                partials = [own.copy() for own in at_start]
                now = linearization.partials[placed.nonlinear_legs]
                for leg, own, by_strands in zip(placed.legs, partials, now, strict=True):
                    for strand, row in zip(leg.compiled.strands, by_strands, strict=True):
                        if not strand.fixed:
                            own[strand.jets[0]] = row
            for field in range(self._fields):
                room = design[:, field, placed.rows]
                made.columns(field, placed.legs, partials, room)
        return design
