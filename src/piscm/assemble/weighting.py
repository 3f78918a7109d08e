r"""What a row weighs.

The paper's squared residual is :math:`\sum \omega_k w_b / N_k\, R_b(x_i)^2` over all rows i of all
blocks b of all kinds k. Written once, here.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.sites import Points
from piscm.compile.blocks import KINDS, Block

Floats = NDArray[np.float64]

Emphasis = Mapping[int, Floats]
"""A factor on the weights of all rows of a block, or of each, by the number of the block."""

EVEN: Mapping[str, float] = dict.fromkeys(KINDS, 1.0)
"""Every kind of block counts alike."""


def divisors(blocks: Sequence[Block], points: Points) -> dict[str, int]:
    """What the weight of a kind is divided by.

    The paper's N_p is the number of collocation points, whatever the number of equations; N_b and
    N_d are the numbers of all rows of their kind, so that all conditions share one weight.
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
    """The weight of the rows of each block, for the weights of the kinds."""
    counts = divisors(blocks, points)
    return [weights[block.kind] * block.weight / counts[block.kind] for block in blocks]
