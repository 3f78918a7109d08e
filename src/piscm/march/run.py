"""A whole run of `Auto` or `Windows`: the pieces put together as one network."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray

from piscm.assemble.sampling import Sampling
from piscm.assemble.windows import checked_coordinate, marching_coordinate
from piscm.compile.blocks import Block, compile_blocks
from piscm.construct.machine import HISTORY, Report
from piscm.construct.methods import Method
from piscm.fit.piece import STOPPED, Piece, Task, task_for
from piscm.march.fit_unknowns import Shot, fit_unknowns
from piscm.march.options import Auto, Windows
from piscm.march.policy import (
    MORE,
    Attempt,
    Window,
    auto_attempt,
    evenly,
    lone_attempt,
    march,
    plain_attempt,
)
from piscm.network.draw import Draw
from piscm.network.model import Network, Panels
from piscm.network.nodes import Nodes, concatenate
from piscm.network.start import Start
from piscm.problem.problem import Problem
from piscm.result.status import Status

Floats = NDArray[np.float64]

# Observations that are missed by more than this share may belong to another minimum.
_BAD_FIT = 0.1
# Windows that miss more than this share of the data, and more by this factor than one network did,
# have lost their way. (Some worse they may be: they do not bend the equation.)
_LOST, _WORSE = 0.5, 3.0


@dataclass(frozen=True)
class Outcome:
    """What a run leaves.

    Attributes
    ----------
    network : Network
        All windows as one.
    pieces : list of Piece
    status : Status
    history : numpy.recarray
    residual : float
        The fitted residual, the mean over the windows.
    shot : Shot or None
        How the unknowns were found, where all windows determined them together.
    """

    network: Network
    pieces: list[Piece]
    status: Status
    history: np.recarray[Any, Any]
    residual: float
    shot: Shot | None


@dataclass(frozen=True)
class Request:
    """What a run is about."""

    problem: Problem
    method: Auto | Windows
    sampling: Sampling | None
    weights: dict[str, float]
    start: Start

    @property
    def each(self) -> Any:
        """How one window is solved."""
        return self.method.each if isinstance(self.method, Windows) else self.method

    def coordinate(self) -> sympy.Symbol | None:
        """Along which to march; a coordinate that cannot be is told before any work."""
        if isinstance(self.method, Windows):
            return checked_coordinate(self.problem, self.method.coordinate)
        return marching_coordinate(self.problem)


def run(request: Request, rng: np.random.Generator, report: Report) -> Outcome:
    """Solve a problem by `Auto` or `Windows`."""
    if isinstance(request.each, Method):
        Draw(request.problem.domain, request.each.scale)  # a wrong scale is told before any work
    limit = request.each.max_seconds
    deadline = np.inf if limit is None else time.perf_counter() + limit
    coordinate = request.coordinate()
    problem = request.problem
    if not problem.unknowns and not (problem.observations and isinstance(request.method, Auto)):
        pieces = _marched(request, problem, coordinate, rng, report, deadline)
        return _outcome(request, coordinate, pieces)
    # Data know of all times at once: the whole domain comes first.
    whole = _whole(request, rng, report, deadline)
    if whole.misfit > _BAD_FIT and whole.growth.status not in STOPPED:
        # Other weights lead another way from the first guess, to another minimum perhaps.
        other = _whole(request, rng, report, deadline, equal=False)
        whole = min(whole, other, key=lambda piece: piece.misfit)
    lone = _outcome(request, None, [whole])
    enough = isinstance(request.method, Auto) and whole.error <= request.each.tolerance
    functions = len(problem.fields) > len(problem.equations)
    if enough or coordinate is None or functions or not problem.unknowns or lone.status in STOPPED:
        return lone
    forward = problem.forward([float(value) for value in whole.network.unknowns])
    pieces = _marched(replace(request, problem=forward), forward, coordinate, rng, report, deadline)
    stopped = next((p.growth.status for p in pieces if p.growth.status in STOPPED), None)
    if stopped is not None:
        return replace(lone, status=stopped)
    try:
        shot = fit_unknowns(problem, request, pieces, coordinate, whole.network.unknowns)
    except KeyboardInterrupt:
        return replace(lone, status=Status.INTERRUPTED)
    if shot is None or shot.misfit > max(_WORSE * whole.misfit, _LOST):
        return lone
    outcome = _outcome(request, coordinate, shot.pieces)
    network = replace(outcome.network, problem=problem, unknowns=shot.unknowns)
    status = Status.MISFIT if shot.misfit > _LOST else outcome.status
    return replace(outcome, network=network, status=status, shot=shot)


def _whole(
    request: Request,
    rng: np.random.Generator,
    report: Report,
    deadline: float,
    equal: bool = True,
) -> Piece:
    task = replace(_task(request, request.problem, None, rng), equal=equal)
    each = request.each
    make = lone_attempt if isinstance(each, Auto) else plain_attempt
    attempt = make(task, each, request.sampling, rng, report, deadline)
    activations = each.activations if isinstance(each, Auto) else (each.activation,)
    return attempt(Window(0.0, 1.0, None, each.tolerance, activations, give_up=False))


def _marched(
    request: Request,
    problem: Problem,
    coordinate: sympy.Symbol | None,
    rng: np.random.Generator,
    report: Report,
    deadline: float,
) -> list[Piece]:
    if coordinate is None:
        return [_whole(request, rng, report, deadline)]
    task, each = _task(request, problem, coordinate, rng), request.each
    axis = problem.domain.axis(coordinate)
    low, high = float(problem.domain.lower[axis]), float(problem.domain.upper[axis])
    attempt: Attempt
    if isinstance(each, Auto):
        attempt = auto_attempt(task, each, request.sampling, rng, report, deadline)
        activations = each.activations
    else:
        attempt = plain_attempt(task, each, request.sampling, rng, report, deadline)
        activations = (each.activation,)
    method = request.method
    if isinstance(method, Windows) and not isinstance(method.count, str):
        windows = evenly(attempt, low, high, method.count, each.tolerance, activations)
    else:
        more = MORE if isinstance(each, Auto) else 1  # a user's own settings stay as they are
        windows = march(attempt, low, high, each.tolerance, each.max_nodes, activations, more)
    pieces: list[Piece] = []
    try:
        for piece in windows:
            # The columns give error bars, where there are data.
            pieces.append(piece if problem.observations else piece.without_rows())
    except KeyboardInterrupt:
        if not pieces:
            raise
        growth = replace(pieces[-1].growth, status=Status.INTERRUPTED)
        pieces[-1] = replace(pieces[-1], growth=growth)
    return pieces


def _task(
    request: Request,
    problem: Problem,
    coordinate: sympy.Symbol | None,
    rng: np.random.Generator,
) -> Task:
    blocks: Sequence[Block] = compile_blocks(problem)
    return task_for(problem, blocks, coordinate, request.start, request.weights, rng)


def _outcome(request: Request, coordinate: sympy.Symbol | None, pieces: list[Piece]) -> Outcome:
    first = pieces[0].network
    dimension, fields = request.problem.domain.dimension, len(request.problem.fields)
    network = Network(
        request.problem,
        request.start,
        first.activation,
        concatenate([*(piece.network.nodes for piece in pieces), Nodes.none(dimension)]),
        np.concatenate([*(piece.network.weights for piece in pieces), np.zeros((0, fields))]),
        first.unknowns,
        None if coordinate is None else _panels(request.problem, coordinate, pieces),
    )
    parts = []
    for number, piece in enumerate(pieces):
        part = np.array(piece.growth.history, dtype=HISTORY)
        part["window"] = number
        parts.append(part)
    squares = [(piece.high - piece.low, (piece.fitted * piece.scale) ** 2) for piece in pieces]
    total = sum(length for length, _ in squares)
    residual = float(np.sqrt(sum(length * square for length, square in squares) / total))
    history = np.rec.array(np.concatenate(parts))
    return Outcome(network, pieces, _status(request, pieces), history, residual, None)


def _panels(problem: Problem, coordinate: sympy.Symbol, pieces: Sequence[Piece]) -> Panels | None:
    axis = problem.domain.axis(coordinate)
    edges = [piece.high for piece in pieces]
    counts = [len(piece.network.nodes) for piece in pieces]
    activations = [piece.network.activation for piece in pieces]
    if pieces[-1].high < problem.domain.upper[axis]:  # stopped on the way: nothing is known beyond
        counts.append(0)
        activations.append(activations[-1])
    else:
        edges.pop()
    return Panels(axis, tuple(edges), tuple(counts), tuple(activations)) if edges else None


def _status(request: Request, pieces: Sequence[Piece]) -> Status:
    last = pieces[-1].growth.status
    if last in STOPPED:
        return last
    endings = [piece.growth.status for piece in pieces]
    if Status.NOT_FINITE in endings or not np.isfinite([piece.error for piece in pieces]).all():
        return Status.NOT_FINITE
    if max(piece.misfit for piece in pieces) > _LOST:
        return Status.MISFIT
    if len(pieces) == 1 and last is Status.SOLVED_AT_START:
        return last
    tolerance = request.each.tolerance
    if tolerance == 0:
        return last if last is not Status.NODE_LIMIT else Status.FINISHED
    # Noisy data bend the equation; it need not be met any better than they are.
    if all(piece.error <= max(tolerance, piece.misfit) for piece in pieces):
        return Status.CONVERGED
    if last is Status.STALLED or Status.HOPELESS in endings:
        return last if last is Status.STALLED else Status.HOPELESS
    return Status.NODE_LIMIT
