"""The pieces of a run joined into one network."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import sympy

from piscm.fit.piece import Piece
from piscm.march.fit_unknowns import FittedUnknowns
from piscm.network.network import Network, Panels
from piscm.network.nodes import Nodes, concatenate
from piscm.network.start import Start
from piscm.problem.problem import Problem
from piscm.result.history import HISTORY, History
from piscm.result.status import Status


@dataclass(frozen=True)
class Joined:
    """All windows of a run.

    Attributes
    ----------
    network : Network
        All windows as one.
    pieces : sequence of Piece
    status : Status
    history : numpy.recarray
    residual : float
        The largest of all windows, relative to the solution sought, as the tolerance is.
    unknowns : FittedUnknowns or None
        The fit of the unknowns, if all windows determined them together.
    bent : bool
        Whether what the observations miss may have bent the equations.
    """

    network: Network
    pieces: Sequence[Piece]
    status: Status
    history: History
    residual: float
    unknowns: FittedUnknowns | None
    bent: bool = False


def joined(
    problem: Problem,
    start: Start,
    coordinate: sympy.Symbol | None,
    pieces: Sequence[Piece],
    tolerance: float,
    lost: float,
    unknowns: FittedUnknowns | None = None,
) -> Joined:
    """Join pieces; data missed by more than the fraction `lost` are a misfit."""
    marched, pieces = pieces, sorted(pieces, key=lambda piece: piece.low)
    first = pieces[0].network
    none = Nodes.none(problem.domain.dimension)
    network = Network(
        problem,
        start,
        first.activation,
        concatenate([*(piece.network.nodes for piece in pieces), none]),
        np.concatenate(
            [*(piece.network.weights for piece in pieces), np.zeros((0, len(problem.fields)))]
        ),
        first.unknowns,
        None if coordinate is None else _panels(problem, coordinate, pieces),
        *((np.inf, -np.inf) if coordinate is None else _reached(problem, coordinate, pieces)),
    )
    parts = []
    for number, piece in enumerate(pieces):
        part = np.array(piece.fit.growth.history, dtype=HISTORY)
        part["window"] = number
        parts.append(part)
    residual = max(piece.error for piece in pieces)
    history = np.rec.array(np.concatenate(parts))
    status = _status(marched, tolerance, lost)
    return Joined(network, marched, status, history, residual, unknowns)


def _reached(
    problem: Problem, coordinate: sympy.Symbol, pieces: Sequence[Piece]
) -> tuple[float, float]:
    """How far the pieces go up and down; infinity if to the end."""
    low, high = problem.domain.span(coordinate)
    up, down = pieces[-1].high, pieces[0].low
    return up if up < high else np.inf, down if down > low else -np.inf


def _panels(problem: Problem, coordinate: sympy.Symbol, pieces: Sequence[Piece]) -> Panels | None:
    axis = problem.domain.axis(coordinate)
    low, high = problem.domain.span(coordinate)
    edges = [piece.high for piece in pieces]
    counts = [len(piece.network.nodes) for piece in pieces]
    activations = [piece.network.activation for piece in pieces]
    # Stopped midway: nothing is known beyond.
    if pieces[-1].high < high:
        counts.append(0)
        activations.append(activations[-1])
    else:
        edges.pop()
    if pieces[0].low > low:
        edges.insert(0, pieces[0].low)
        counts.insert(0, 0)
        activations.insert(0, activations[0])
    return Panels(axis, tuple(edges), tuple(counts), tuple(activations)) if edges else None


def _status(pieces: Sequence[Piece], tolerance: float, lost: float) -> Status:
    last = pieces[-1].status
    if last.stopped:
        return last
    endings = [piece.status for piece in pieces]
    if Status.NOT_FINITE in endings or not np.isfinite([piece.error for piece in pieces]).all():
        return Status.NOT_FINITE
    if max(piece.misfit for piece in pieces) > lost:
        return Status.MISFIT
    if len(pieces) == 1 and last is Status.SOLVED_AT_START:
        return last
    if tolerance == 0:
        return last if last is not Status.NODE_LIMIT else Status.FINISHED
    # Noisy data distort the solution; its residual need not be smaller than their misfit.
    known = (min(piece.error, piece.estimate) for piece in pieces)
    if all(
        error <= max(tolerance, piece.misfit) for error, piece in zip(known, pieces, strict=True)
    ):
        return Status.CONVERGED
    if last is Status.STALLED or Status.HOPELESS in endings:
        return last if last is Status.STALLED else Status.HOPELESS
    return Status.NODE_LIMIT
