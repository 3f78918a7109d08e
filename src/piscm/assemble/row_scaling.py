"""Weights under which rows of every kind speak equally loud.

An equation of fourth order has rows thousands of times as large as those of a condition on the
field itself, so that the conditions would not count. Every block is divided by the root mean square
that its rows have for a typical node (the median over a pool of random waves). The residual is then
in the units of the fields, and about as large as their error.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.placement import divisors
from piscm.assemble.system import System
from piscm.compile.blocks import Block
from piscm.network.draw import Draw

Floats = NDArray[np.float64]

_POOL = 200


def loudness(system: System, blocks: Sequence[Block], rng: np.random.Generator) -> dict[int, float]:
    """How large the rows of each block, by its index, are for a typical node."""
    nodes = Draw(system.problem.domain, None).free(_POOL, 1.0, rng)
    rows = system.evaluate(nodes)
    system.write_nonlinear(rows, slice(None), system.linearize(system.start()))
    loud = {}
    for placed in system.placed:
        index = next(i for i, block in enumerate(blocks) if block is placed.block)
        columns = rows.design[:, :, placed.rows] / placed.scale
        squares = np.einsum("kfn,kfn->k", columns, columns) / columns.shape[-1]
        typical = float(np.sqrt(np.median(squares)))
        loud[index] = typical if np.isfinite(typical) and typical > 0 else 1.0
    return loud


def equalizing(
    loud: Mapping[int, float], blocks: Sequence[Block], points: Sequence[tuple[Floats, ...]]
) -> dict[int, Floats]:
    """The factors on the blocks' weights that make up for it; each block has its mean square."""
    shared = divisors(blocks, points)
    return {
        index: np.array([shared[blocks[index].kind] / (len(points[index][0]) * typical**2)])
        for index, typical in loud.items()
    }
