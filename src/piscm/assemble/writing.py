"""Columns written from nodes that were evaluated: once what never moves, again what does."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.chain_rule import Evaluated
from piscm.assemble.placement import Placed, PlacedLeg
from piscm.assemble.state import Linearization
from piscm.budget.clock import check_time
from piscm.compile.expression import Strand

Floats = NDArray[np.float64]


def write_still(
    design: Floats,
    made: Evaluated,
    linear: Sequence[Placed],
    partials: Sequence[Sequence[Floats]],
) -> None:
    """The rows of linear blocks, which have these partials; shape (nodes, fields, rows)."""
    for placed, own in zip(linear, partials, strict=True):
        check_time()
        for field in range(design.shape[1]):
            room = design[:, field, placed.rows]
            made.columns(field, placed.legs, own, room)


def write_strands(
    rooms: Sequence[Floats],
    made: Evaluated,
    stranded: Sequence[tuple[PlacedLeg, Sequence[Strand]]],
    coefficients: Sequence[Floats],
) -> None:
    """What the nodes add to the strands of each leg of a nonlinear block."""
    for (leg, strands), own, part in zip(stranded, coefficients, rooms, strict=True):
        check_time()
        for strand, room in zip(strands, part, strict=True):
            if strand.fixed:
                made.at_points(strand.field, leg, own, strand.jets, room)
            else:
                made.feature(leg, strand.jets[0], room)


def write_moving(
    design: Floats,
    strands: tuple[Floats, ...],
    nodes: slice,
    placed: Placed,
    linearization: Linearization,
) -> None:
    """The rows of a nonlinear block in some nodes' columns."""
    check_time()
    first = placed.nonlinear_legs.start
    for field in range(design.shape[1]):
        target = design[nodes, field, placed.rows]
        for number, leg in enumerate(placed.legs, start=first):
            own = leg.compiled.strands_in(field)
            parts = (linearization.partials[number][own], strands[number][own, nodes])
            if number == first and leg.reduction is None:
                np.einsum("jp,jkp->kp", *parts, out=target)
                continue
            more = np.einsum("jp,jkp->kp", *parts)
            more = more if leg.reduction is None else more @ leg.reduction.T
            target[:] = more if number == first else target + more
