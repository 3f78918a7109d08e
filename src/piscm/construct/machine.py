"""The machine: select a node, correct, search the step, until done."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.state import Linearization, NodeRows, State
from piscm.assemble.system import System
from piscm.construct.correct import Corrector
from piscm.construct.line_search import line_search
from piscm.construct.methods import Method
from piscm.construct.orthogonal import best_block
from piscm.construct.select import Ladder, Proposal, select
from piscm.linalg.bounded import Bounds
from piscm.network.draw import Draw
from piscm.network.nodes import Nodes, concatenate
from piscm.result.status import Status

Floats = NDArray[np.float64]

HISTORY = np.dtype(
    [
        ("residual", float),
        ("range", float),
        ("damping", float),
        ("step", float),
        ("rank", int),
        ("seconds", float),
        ("window", int),
    ]
)
"""One record a node: the residual after it (or its block), how it was found, its seconds."""

# A block is at least this share of the nodes that are there, of so many times as many candidates or
# of as many times as many as the method has.
_SHARE = 0.05
_CHOICE = 6

Report = Callable[[int, float], None]
"""``report(nodes, residual)`` is called after each node or block of nodes."""


@dataclass(frozen=True)
class Growth:
    """What a run leaves: nodes, their columns, weights and unknowns in `state`, its history."""

    nodes: Nodes
    rows: NodeRows
    state: State
    history: np.recarray[Any, Any]
    status: Status


def grow(
    system: System,
    method: Method,
    rng: np.random.Generator,
    report: Report,
    before: Growth | None = None,
    hopeless: Callable[[Floats], bool] | None = None,
) -> Growth:
    """Grow a network on a system, from nothing or from what an earlier run left.

    Each round takes a node from `select` (the paper's PI-SC-I) or a block of them from orthogonal
    selection, then corrects the newest nodes (none, a window or all of them: PI-SC-I, II, III)
    along a direction whose length is searched on the true residual. Ctrl-C ends the run after the
    last whole round, and `hopeless`, which sees the residuals so far, may end it too.
    """
    draw, bounds = Draw(system.problem.domain, method.scale), Bounds(system.problem)
    corrector, ladder = Corrector(system, method), Ladder(method.contractions)
    rows = system.allocate(method.max_nodes)
    history = np.zeros(method.max_nodes, dtype=HISTORY)
    batches: list[Nodes] = []
    none = Nodes.none(system.problem.domain.dimension)
    state = system.start()
    if before is not None and len(before.nodes):
        old = len(before.nodes)
        batches.append(before.nodes)
        rows.put(slice(0, old), system.evaluate(before.nodes))
        state = system.state_with(rows, before.state.weights, before.state.unknowns)
        history[:old] = before.history
    began = time.perf_counter()
    already = float(np.sqrt(state.energy)) <= method.tolerance
    status = (Status.CONVERGED if batches else Status.SOLVED_AT_START) if already else None
    failures = 0
    try:
        while status is None:
            started = time.perf_counter()
            linearization = system.linearize(state)
            if not linearization.finite:
                status = Status.NOT_FINITE
                break
            if method.selection == "local":
                proposal = select(system, state, linearization, method, draw, bounds, ladder, rng)
            else:
                kept = concatenate([*batches, none])
                proposal = _block(
                    system, rows, state, linearization, method, draw, corrector, failures, kept, rng
                )
            if proposal is not None:
                old, new = len(state.weights), len(proposal.state.weights)
                rows.put(slice(old, new), proposal.rows)
                corrected, step, rank = _correct(
                    system, rows, method, corrector, linearization, proposal.state, new - old
                )
            if proposal is None or not corrected.energy < state.energy:
                # What helps nothing is not kept; the next block draws from a wider range.
                failures += 1
                if method.selection == "local" or failures == len(method.ranges):
                    status = Status.STALLED
                continue
            failures = 0
            batches.append(proposal.nodes)
            residual = float(np.sqrt(corrected.energy))
            seconds = (time.perf_counter() - started) / (new - old)
            history[old:new] = (residual, proposal.range, proposal.damping, step, rank, seconds, 0)
            state = corrected
            report(new, residual)
            status = _ending(method, new, residual, time.perf_counter() - began)
            if status is None and hopeless is not None and hopeless(history["residual"][:new]):
                status = Status.HOPELESS
    except KeyboardInterrupt:
        status = Status.INTERRUPTED
    count = len(state.weights)
    nodes = concatenate([*batches, none])
    nodes = Nodes(nodes.weights[:count], nodes.biases[:count])
    return Growth(nodes, rows.first(count), state, np.rec.array(history[:count]), status)


def _block(
    system: System,
    rows: NodeRows,
    state: State,
    linearization: Linearization,
    method: Method,
    draw: Draw,
    corrector: Corrector,
    failures: int,
    kept: Nodes,
    rng: np.random.Generator,
) -> Proposal | None:
    """A block of nodes by orthogonal selection, with weights still at zero."""
    count = len(state.weights)
    factor = method.ranges[failures]
    # The more nodes there are, the more can be taken at a time without harm.
    size = max(method.block, int(_SHARE * count))
    choice = min(_CHOICE, method.candidates / method.block)
    candidates_count = max(method.candidates, int(choice * size))
    # A wave is everywhere; a step or a bump has a place, best where the residual is large.
    local = method.activation != "sin"
    centers = system.troubled_points(state, candidates_count, rng) if local else None
    nodes = draw.free(candidates_count, factor, rng, kept, centers)
    candidates = system.evaluate(nodes)
    system.write_nonlinear(candidates, slice(None), linearization)
    room = min(size, method.max_nodes - count)
    # Of the window, the new nodes take their share: the rest is corrected together with them.
    others = min(max(method.correction_window - room, 0), count)
    active = slice(count - others, count)
    system.write_nonlinear(rows, active, linearization)
    basis = corrector.basis(rows, active, linearization)
    chosen = best_block(candidates, basis, state.residual, room)
    if not chosen:
        return None
    weights = np.concatenate([state.weights, np.zeros((len(chosen), system.fields))])
    return Proposal(
        nodes=Nodes(nodes.weights[chosen], nodes.biases[chosen]),
        rows=candidates.take(chosen),
        state=replace(state, weights=weights),
        range=factor,
        damping=1.0,
    )


def _active(method: Method, count: int, added: int) -> slice:
    """The nodes whose weights are corrected: the newest ones of the window."""
    window = method.correction_window
    if method.selection == "orthogonal":
        window = max(window, added)  # new nodes have no weight of their own yet
    return slice(count - min(window, count), count)


def _correct(
    system: System,
    rows: NodeRows,
    method: Method,
    corrector: Corrector,
    linearization: Linearization,
    state: State,
    added: int,
) -> tuple[State, float, int]:
    """The corrected state, the length of the step, and the rank (1 where nothing is corrected)."""
    active = _active(method, len(state.weights), added)
    if active.start == active.stop:
        return state, 0.0, 1
    if method.selection == "local":  # a node with a weight of its own has moved the state
        linearization = system.linearize(state)
        if not linearization.finite:
            return state, 0.0, 1
        system.write_nonlinear(rows, active, linearization)
    direction = corrector.direction(rows, active, linearization, state)
    moved, step = line_search(system, rows, active, state, direction, method.search_steps)
    if method.selection == "orthogonal" and step > 0.0:
        # Large weights on the way leave round-off that only a fresh evaluation takes out again.
        moved = system.state_with(rows, moved.weights, moved.unknowns)
    return moved, step, direction.rank


def _ending(method: Method, nodes: int, residual: float, seconds: float) -> Status | None:
    if residual <= method.tolerance:
        return Status.CONVERGED
    if nodes >= method.max_nodes:
        return Status.NODE_LIMIT if method.tolerance > 0 else Status.FINISHED
    if method.max_seconds is not None and seconds >= method.max_seconds:
        return Status.TIME_LIMIT
    return None
