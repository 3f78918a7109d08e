r"""Row weights.

The paper's squared residual is :math:`\sum \omega_k w_b / N_k\, R_b(x_i)^2` over all rows i of all
blocks b of all kinds k. This is the only file that implements it.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.sites import Points
from piscm.compile.blocks import KINDS, Block

Floats = NDArray[np.float64]

Emphasis = Mapping[int, Floats]
"""A factor on the row weights of a block, one for all rows or one for each, by block number."""

EVEN: Mapping[str, float] = dict.fromkeys(KINDS, 1.0)
"""Equal weight for every kind of block."""


def divisors(blocks: Sequence[Block], points: Points) -> dict[str, int]:
    """The divisor of the weight of each kind.

    The paper's N_p is the number of collocation points, whatever the number of equations; N_b and
    N_d count all rows of their kind, so all conditions share one weight.
    """
    counts = {"equations": 1, "conditions": 0, "observations": 0}
    for block, rows in zip(blocks, points.rows, strict=True):
        if block.kind == "equations":
            counts["equations"] = rows
        else:
            counts[block.kind] += rows
    return counts


def row_weights(
    blocks: Sequence[Block], points: Points, weights: Mapping[str, float]
) -> list[float]:
    """The row weight of each block, given the weights of the kinds."""
    counts = divisors(blocks, points)
    return [weights[block.kind] * block.weight / counts[block.kind] for block in blocks]
