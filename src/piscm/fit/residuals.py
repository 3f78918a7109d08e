"""The residual of every block, at the fitted points and at fresh ones."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.sampling import Sampling
from piscm.assemble.sites import Site, draw_points
from piscm.assemble.windows import Part
from piscm.budget.budget import STOPS, finishing
from piscm.compile.blocks import Block
from piscm.network.model import Model
from piscm.problem.place import Legs
from piscm.result.method import BlockResidual
from piscm.result.status import Status

Floats = NDArray[np.float64]
Fitted = Sequence[tuple[Model, Block, Legs]]
"""Blocks at their fitted points, each with the network that was fitted there."""

# Who has stopped a run does not want to wait: nodes times points that are looked at then.
_QUICK = 1_000_000
# No picture can show more points than this.
_SHOWN = 20_000


def fitted_points(fitted: Fitted) -> dict[str, Floats]:
    """Where equations and conditions were fitted, all windows together, each point once.

    They are for pictures: of very many, some.
    """
    found: dict[str, list[Floats]] = {}
    for _, block, legs in fitted:
        if not block.observed and block.inherited is None:
            found.setdefault(block.kind, []).append(legs[0].points)
    return {kind: _some(np.concatenate(arrays)) for kind, arrays in found.items()}


def _some(points: Floats) -> Floats:
    shown = np.random.default_rng(0).permutation(len(points))[:_SHOWN]
    return np.unique(points[shown], axis=0)


def block_residuals(
    model: Model,
    part: Part,
    fitted: Fitted,
    sampling: Sampling,
    rng: np.random.Generator,
    status: Status,
    rows_of: Callable[[Sequence[tuple[Block, Legs]]], list[Floats]] | None = None,
) -> tuple[tuple[BlockResidual, ...], Status]:
    """One record per block of the whole problem; of a run that was stopped, at its first points.

    Times that were not reached are left out. If this takes too long or is interrupted, the
    residuals are NaN from there on, and the status of the run says so.

    Parameters
    ----------
    model : Model
    part : Part
        The whole problem.
    fitted : Fitted
        With windows a block may appear several times under the same name.
    sampling : Sampling
        How many fresh points there are.
    rng : numpy.random.Generator
        Where they come from.
    status : Status
        How the run ended.
    rows_of : callable, optional
        Finds the rows of all blocks at once, if that is faster.
    """
    table = _Table(model, fitted, None)
    if status.stopped:
        most = max(1, _QUICK // max(1, model.n_nodes * len(part.blocks)))
        table = replace(table, most=most)
        inside, faces = min(sampling.interior, most), min(sampling.boundary, most)
        sampling = replace(sampling, interior=inside, boundary=faces)
    records: list[BlockResidual] = []
    try:
        with finishing():
            fresh = draw_points(part.problem.domain, part.blocks, sampling, rng)
            if rows_of is not None and not status.stopped:
                both = [(block, legs) for _, block, legs in fitted]
                both += zip(part.blocks, fresh, strict=True)
                found = zip(both, rows_of(both), strict=True)
                rows = {(id(block), id(legs)): own for (block, legs), own in found}
                table = replace(table, found=rows)
            for block, legs in zip(part.blocks, fresh, strict=True):
                records.append(table.record(block, legs))
    except STOPS as stop:
        status = status if status.stopped else Status.after(stop)
        for block in part.blocks[len(records) :]:
            records.append(BlockResidual(block.name, block.kind, 0, np.nan, None))
    return tuple(records), status


@dataclass(frozen=True)
class _Table:
    """How the rows of a model are looked at.

    Attributes
    ----------
    most : int or None
        The largest number of points of a block, if there is one.
    found : dict
        Rows that are known already, by the identities of block and legs.
    """

    model: Model
    fitted: Fitted
    most: int | None
    found: dict[tuple[int, int], Floats] = field(default_factory=dict)

    def record(self, block: Block, legs: Legs) -> BlockResidual:
        """The residuals of one block, given its fresh points."""
        own = [
            (self._rows(network, part, where), where)
            for network, part, where in self.fitted
            if part.name == block.name and part.inherited is None
        ]
        elsewhere = self._rows(self.model, block, legs)
        there = np.concatenate([values for values, _ in own]) if own else elsewhere
        same = any(np.array_equal(where[0].points, legs[0].points) for _, where in own)
        no_others = same or not block.place.resampled or legs[0].rows == 1 or not len(elsewhere)
        held_out = None if no_others else _rms(elsewhere)
        return BlockResidual(block.name, block.kind, len(there), _rms(there), held_out)

    def _rows(self, model: Model, block: Block, legs: Legs) -> Floats:
        """The residual in the rows whose fields are known."""
        if self.most is not None:
            legs = Site(legs).some(slice(self.most)).legs
            data = None if block.data is None else block.data[: self.most]
            block = replace(block, data=data)
        rows = self.found.get((id(block), id(legs)))
        if rows is None:
            rows = model.residual(block, legs)
        known = np.ones(len(rows), dtype=bool)
        for leg in legs:
            here = model.knows(leg.points)
            known &= here if leg.sums is None else here.all()
        return np.asarray(rows[known])


def _rms(values: Floats) -> float:
    return float(np.sqrt(np.mean(np.square(values)))) if len(values) else np.nan
