"""Row scaling: weights that balance rows of every kind.

The rows of a fourth-order equation are thousands of times larger than those of a condition on the
field itself, so the conditions would be ignored. Every block is therefore divided by the root mean
square of its rows for a typical node (the median over a pool of random waves). The residual is then
in the units of the fields and about as large as their error.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.sites import Points
from piscm.assemble.system import System
from piscm.assemble.weighting import EVEN, Emphasis, divisors
from piscm.compile.blocks import Block
from piscm.network.activations import activation_named
from piscm.network.draw import Draw
from piscm.network.start import Start
from piscm.problem.problem import Problem

Floats = NDArray[np.float64]

_POOL = 200


@dataclass(frozen=True)
class RowScaling:
    """The size of each block's rows for a typical node, by the name of the block."""

    sizes: Mapping[str, float]

    def of(self, block: Block) -> float:
        """The size of the rows of a block."""
        return self.sizes[block.name]

    def emphasis(self, blocks: Sequence[Block], points: Points) -> Emphasis:
        """Factors on row weights that undo these sizes; each block counts by its mean square."""
        shared = divisors(blocks, points)
        return {
            number: np.array([shared[block.kind] / (rows * self.of(block) ** 2)])
            for number, (block, rows) in enumerate(zip(blocks, points.rows, strict=True))
        }


def row_scaling(
    problem: Problem,
    blocks: Sequence[Block],
    points: Points,
    start: Start,
    rng: np.random.Generator,
) -> RowScaling:
    """Row sizes for random waves, whatever nodes the network has: one measure for all."""
    system = System(problem, blocks, points, EVEN, activation_named("sin"), start)
    columns = system.evaluate(Draw(problem.domain, None).free(_POOL, 1.0, rng))
    design = columns.at(system.linearize(system.start()))
    sizes: dict[str, float] = {}
    for placed in system.placed:
        own = design[:, :, placed.rows] / placed.root_weight
        squares = np.einsum("kfn,kfn->k", own, own) / own.shape[-1]
        typical = float(np.sqrt(np.median(squares)))
        usable = np.isfinite(typical) and typical > 0
        # The two parts of a condition cut by a window share one name, hence one size.
        sizes.setdefault(placed.block.name, typical if usable else 1.0)
    return RowScaling(sizes)
