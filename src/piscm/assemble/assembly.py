"""The one place where a system is assembled, for a whole problem or for a window of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.row_scaling import RowScaling
from piscm.assemble.sites import Points
from piscm.assemble.system import System
from piscm.assemble.weighting import Emphasis, divisors
from piscm.assemble.windows import Part
from piscm.compile.blocks import Block
from piscm.network.activations import activation_named
from piscm.network.start import Start

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Assembly:
    """Everything a system is made of, except the nodes.

    Attributes
    ----------
    part : Part
    points : Points
    weights : mapping from the kind of a block to its weight
    start : Start
    scaling : RowScaling, optional
        If omitted, rows have the paper's weights.
    """

    part: Part
    points: Points
    weights: Mapping[str, float]
    start: Start
    scaling: RowScaling | None = None

    def at(self, points: Points) -> "Assembly":
        """The same assembly at other points."""
        return replace(self, points=points)

    @property
    def _emphasis(self) -> Emphasis:
        if self.scaling is None:
            return {}
        return self.scaling.emphasis(self.part.blocks, self.points)

    def system(self, activation: str, more: Emphasis | None = None) -> System:
        """The system for nodes with an activation; `more` are factors on top of the row scaling."""
        emphasis = dict(self._emphasis)
        for number, factor in (more or {}).items():
            emphasis[number] = emphasis.get(number, np.ones(1)) * factor
        return self._system(self.part.blocks, self.points, activation, emphasis)

    def slab(self, rows: slice, activation: str) -> System:
        """The system of some rows of every site, weighted as they are in the whole system."""
        sites = [site.some(rows) for site in self.points.sites]
        numbers = {n: i for i, n in enumerate(n for n, site in enumerate(sites) if site.rows)}
        here = [i for i, site in enumerate(self.points.of_block) if site in numbers]
        blocks = [self.part.blocks[i] for i in here]
        blocks = [b if b.data is None else replace(b, data=b.data[rows]) for b in blocks]
        points = Points(
            tuple(sites[number] for number in numbers),
            tuple(numbers[self.points.of_block[i]] for i in here),
        )
        whole, own = divisors(self.part.blocks, self.points), divisors(blocks, points)
        scaled = self._emphasis
        emphasis = {
            number: _rows_of(scaled.get(i, np.ones(1)), rows)
            * (own[block.kind] / whole[block.kind])
            for number, (i, block) in enumerate(zip(here, blocks, strict=True))
        }
        return self._system(blocks, points, activation, emphasis)

    def _system(
        self, blocks: Sequence[Block], points: Points, activation: str, emphasis: Emphasis
    ) -> System:
        return System(
            self.part.problem,
            blocks,
            points,
            self.weights,
            activation_named(activation),
            self.start,
            emphasis,
        )


def _rows_of(factors: Floats, rows: slice) -> Floats:
    """The factors of some rows, if every row has its own."""
    return factors if len(factors) == 1 else factors[rows]
