"""Growth by selection from where one-shot networks stall."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from piscm.construct.machine import Growth
from piscm.fit.one_network import fit_network
from piscm.fit.piece import Piece
from piscm.fit.pisc import PISC3
from piscm.fit.portfolio import Found
from piscm.fit.trial import Level
from piscm.fit.trials import Laboratory
from piscm.result.history import Report
from piscm.result.status import Status

Floats = NDArray[np.float64]

# Nodes between two changes of the points.
_STAGE = 100
# Growth ends where this many nodes have not brought the residual below this fraction. It does not
# depend on the tolerance: a tighter one must not end with something worse.
_NODES, _FRACTION = 200, 0.7
# Factor on the tolerance of the fitted residual where that between the points missed it.
_CLOSER = 0.3


def grow_on(
    found: Found,
    lab: Laboratory,
    method: PISC3,
    rng: np.random.Generator,
    report: Report,
) -> Piece:
    """Nodes added one block after the other; most take after those that are there.

    Growth ends with the tolerance of `method`, relative to the size of the solution, with its
    number of nodes, or as soon as more of them hardly help.
    """
    best = piece = found.piece
    count, closer = len(piece.network.nodes), 1.0
    while count < method.max_nodes:
        count = min(method.max_nodes, count + _STAGE)  # points go with it, used up or not
        level = lab.level(count, found.member.nearest, found.member.faces)
        size = level.size or piece.size  # points near faces may see no source
        own = replace(method, max_nodes=count, tolerance=closer * method.tolerance * size)
        piece = _grown(piece.fit.growth, level, size, own, rng, report)
        if piece.error < best.error:
            best = piece
        # A fitted residual that met the tolerance alone gets more points, and more nodes for them.
        parted = piece.status is Status.CONVERGED and piece.error > method.tolerance
        closer *= _CLOSER if parted else 1.0
        if piece.status is not Status.NODE_LIMIT and not parted:
            return best.ended(piece.status)
    return best.ended(Status.NODE_LIMIT)


def _grown(
    before: Growth,
    level: Level,
    size: float,
    method: PISC3,
    rng: np.random.Generator,
    report: Report,
) -> Piece:
    fit = fit_network(level.assembly, method, rng, report, before, _stalls)
    fitted, held_out = (
        level.norm(fit.network, points) / size for points in (level.assembly.points, level.fresh)
    )
    return Piece(0.0, 1.0, level.assembly, fit, size, fitted, held_out)


def _stalls(residuals: Floats) -> bool:
    return len(residuals) > _NODES and residuals[-1] > _FRACTION * residuals[-1 - _NODES]
