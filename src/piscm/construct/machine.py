"""The machine: select a node, correct, search the step, until done."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piscm.construct.bounds import Bounds
from piscm.construct.correct import correction
from piscm.construct.line_search import line_search
from piscm.construct.methods import Method
from piscm.construct.select import Draw, Ladder, Proposal, select
from piscm.design import NodeRows, State, System
from piscm.network.nodes import Nodes, concatenate
from piscm.status import Status

Floats = NDArray[np.float64]

HISTORY = np.dtype(
    [
        ("residual", float),
        ("range", float),
        ("damping", float),
        ("step", float),
        ("rank", int),
        ("seconds", float),
    ]
)
"""One record a node: the residual after it, how it was found, and the seconds it took."""

Report = Callable[[int, float], None]
"""``report(nodes, residual)`` is called after each node."""


@dataclass(frozen=True)
class Growth:
    """What a run leaves: nodes, their weights and the unknowns in `state`, and its history."""

    nodes: Nodes
    state: State
    history: np.recarray[Any, Any]
    status: Status


def grow(system: System, method: Method, rng: np.random.Generator, report: Report) -> Growth:
    """Grow a network on a system.

    Each round takes one node from `select` (the paper's PI-SC-I), then corrects the newest nodes
    (none, a window or all of them: PI-SC-I, II, III) along a direction whose length is searched
    on the true residual. Ctrl-C ends the run after the last whole round.
    """
    draw = Draw(system.problem.domain, method.scale)
    bounds = Bounds(system.problem)
    ladder = Ladder(method.contractions)
    rows = system.allocate(method.max_nodes)
    nodes: list[Nodes] = []
    history = np.zeros(method.max_nodes, dtype=HISTORY)
    state = system.start()
    began = time.perf_counter()
    status = None
    try:
        while status is None:
            started = time.perf_counter()
            linearization = system.linearize(state)
            if not linearization.finite:
                status = Status.NOT_FINITE
                break
            proposal = select(system, state, linearization, method, draw, bounds, ladder, rng)
            if proposal is None:
                status = Status.STALLED
                break
            _store(rows, len(nodes), proposal)
            corrected, step, rank = _correct(system, rows, method, bounds, proposal.state)
            nodes.append(proposal.node)
            residual = float(np.sqrt(corrected.energy))
            seconds = time.perf_counter() - started
            record = (residual, proposal.range, proposal.damping, step, rank, seconds)
            history[len(nodes) - 1] = record
            state = corrected
            report(len(nodes), residual)
            status = _ending(method, len(nodes), residual, time.perf_counter() - began)
    except KeyboardInterrupt:
        status = Status.INTERRUPTED
    count = len(state.weights)
    grown = concatenate(nodes[:count]) if count else draw(0, 1.0, rng)
    return Growth(grown, state, np.rec.array(history[:count]), status)


def _store(rows: NodeRows, index: int, proposal: Proposal) -> None:
    rows.design[index] = proposal.rows.design[0]
    for own, new in zip(rows.features, proposal.rows.features, strict=True):
        own[:, index] = new[:, 0]


def _correct(
    system: System, rows: NodeRows, method: Method, bounds: Bounds, state: State
) -> tuple[State, float, int]:
    """The corrected state, the length of the step, and the rank (1 where nothing is corrected)."""
    count = len(state.weights)
    window = min(method.correction_window, count)
    if window == 0:
        return state, 0.0, 1
    linearization = system.linearize(state)
    if not linearization.finite:
        return state, 0.0, 1
    active = slice(count - window, count)
    system.write_nonlinear(rows, active, linearization)
    direction = correction(rows, active, linearization, state, bounds, method.truncation)
    moved, step = line_search(system, rows, active, state, direction, method.steps)
    return moved, step, direction.rank


def _ending(method: Method, nodes: int, residual: float, seconds: float) -> Status | None:
    if residual <= method.tolerance:
        return Status.CONVERGED
    if nodes >= method.max_nodes:
        return Status.NODE_LIMIT if method.tolerance > 0 else Status.FINISHED
    if method.max_seconds is not None and seconds >= method.max_seconds:
        return Status.TIME_LIMIT
    return None
