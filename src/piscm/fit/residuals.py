"""The residual of every block, at the fitted points and at fresh ones."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.sites import Points
from piscm.compile.blocks import Block
from piscm.network.model import Model
from piscm.problem.place import Legs
from piscm.result.method import BlockResidual

Floats = NDArray[np.float64]
Fitted = Sequence[tuple[Model, Block, Legs]]
"""Blocks at their fitted points, each with the network that was fitted there."""


def block_residuals(
    model: Model, blocks: Sequence[Block], fitted: Fitted, fresh: Points
) -> tuple[BlockResidual, ...]:
    """One record per block of the whole problem.

    Parameters
    ----------
    model : Model
    blocks : sequence of Block
        The blocks of the whole problem, at the points `fresh`.
    fitted : Fitted
        With windows a block may appear several times under the same name.
    """
    records = []
    for block, legs in zip(blocks, fresh, strict=True):
        own = [
            (network.residual(part, where), where)
            for network, part, where in fitted
            if part.name == block.name and part.inherited is None
        ]
        elsewhere = model.residual(block, legs)
        there = np.concatenate([values for values, _ in own]) if own else elsewhere
        same = any(np.array_equal(where[0].points, legs[0].points) for _, where in own)
        no_others = same or not block.place.resampled or legs[0].rows == 1
        held_out = None if no_others else _rms(elsewhere)
        records.append(BlockResidual(block.name, block.kind, len(there), _rms(there), held_out))
    return tuple(records)


def _rms(values: Floats) -> float:
    return float(np.sqrt(np.mean(np.square(values))))
