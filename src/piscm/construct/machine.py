"""The growth loop: select nodes, correct, search the step length, accept, until done."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.columns import Columns
from piscm.assemble.state import Linearization, State
from piscm.assemble.system import System
from piscm.budget.budget import STOPS, OutOfMemoryError, check_memory, current
from piscm.budget.clock import check_time
from piscm.budget.parts import at_once
from piscm.construct.chord import Chord
from piscm.construct.construction import Construction
from piscm.construct.correct import Corrector
from piscm.construct.line_search import correction_step
from piscm.construct.selection import Proposal, Run
from piscm.linalg.basis import Factor
from piscm.network.draw import Draw
from piscm.network.nodes import Nodes, concatenate
from piscm.result.history import HISTORY, History, Report
from piscm.result.status import Status

Floats = NDArray[np.float64]
GivesUp = Callable[[Floats], bool]
"""``gives_up(residuals)``, given those of all nodes so far, says whether growth is hopeless."""


@dataclass(frozen=True)
class Growth:
    """The result of a run: nodes, columns, weights and unknowns in `state`, and the history.

    The factor of the columns at the linearization of the last step, if it is known, is where growth
    at other points may begin, and tells which nodes are worth passing on.
    """

    nodes: Nodes
    columns: Columns
    state: State
    history: History
    status: Status
    factor: Factor | None = None


def grow(
    system: System,
    method: Construction,
    rng: np.random.Generator,
    report: Report,
    before: Growth | None = None,
    gives_up: GivesUp | None = None,
) -> Growth:
    """Grow a network on a system, from scratch or from the result of an earlier run.

    Each round selects a node or a block of nodes, corrects the newest nodes (none, a window of
    nodes, or all of them: PI-SC-I, II, III) by a line search on the true residual, and accepts the
    result if the residual has fallen. Ctrl-C, the time limit and the memory limit end the run after
    the last complete round.
    """
    growing = _Growing(system, method, rng, before)
    status: Status | None = None
    if growing.state.norm <= method.tolerance:
        status = Status.CONVERGED if growing.count else Status.SOLVED_AT_START
    try:
        while status is None:
            status = growing.round()
            if status is None and growing.advanced:
                report(growing.count, growing.state.norm)
                status = growing.ending()
                if status is None and gives_up is not None and gives_up(growing.residuals):
                    status = Status.HOPELESS
    except STOPS as stop:
        if isinstance(stop, OutOfMemoryError) and not growing.count:
            raise
        status = Status.after(stop)
    return growing.left(status)


def _room(system: System, method: Construction, old: int) -> int:
    """The number of nodes there is memory for, up to those asked for."""
    each, candidates = system.bytes_per_node, method.selector.candidates
    if method.selector.weighs_nodes:  # looks at one after another
        candidates = min(candidates, at_once(system.rows))
    check_memory(
        (old + 1 + candidates) * each,
        f"{old + 1} nodes and {candidates} candidates at {system.rows} rows",
        "give fewer points (Sampling) or candidates",
    )
    return int(min(method.max_nodes, current().memory / each - candidates))


class _Growing:
    """A network being grown."""

    def __init__(
        self,
        system: System,
        method: Construction,
        rng: np.random.Generator,
        before: Growth | None,
    ) -> None:
        self._system, self._method = system, method
        self._selection, self._correction = method.selector, method.correction
        threshold = method.threshold
        self._corrector = Corrector(
            system,
            threshold,
            self._selection.keeps_basis,
            method.max_nodes,
            None if before is None else before.factor,
        )
        draw = Draw(system.problem.domain, method.scale)
        old = 0 if before is None else len(before.nodes)
        self._room = _room(system, method, old)
        run = Run(system, draw, self._correction, self._corrector, self._room, threshold, rng)
        self._selector = self._selection.begin(run)
        self._columns = system.allocate(self._room)
        self._history = np.zeros(self._room, dtype=HISTORY)
        self._steps = method.search_steps
        # Fields and unknowns that move together leave a kept linearization behind at once.
        renews = self._selection.weighs_nodes or bool(system.problem.unknowns)
        self._chord = Chord(system, renews)
        self._nodes = Nodes.none(system.problem.domain.dimension)
        self.state = system.start()
        self.advanced = False
        if before is not None and old:
            self._nodes = before.nodes
            self._columns.put(slice(0, old), system.evaluate(before.nodes))
            weights, unknowns = before.state.weights, before.state.unknowns
            self.state = system.state_with(self._columns, weights, unknowns)
            self._history[:old] = before.history

    @property
    def count(self) -> int:
        return len(self.state.weights)

    @property
    def residuals(self) -> Floats:
        return np.asarray(self._history["residual"][: self.count])

    def round(self) -> Status | None:
        """Select, correct, search, accept; return a status if nothing is left to do."""
        began = time.perf_counter()
        check_time()
        self.advanced = False
        linearization = self._chord.at(self.state)
        if not linearization.finite:
            return Status.NOT_FINITE
        proposal = self._selector.propose(self.state, linearization, self._columns, self._nodes)
        if proposal is not None:
            self._columns.put(slice(self.count, len(proposal.state.weights)), proposal.columns)
            corrected, step, rank = self._corrected(proposal, linearization)
        if proposal is None or not corrected.energy < self.state.energy:
            self._corrector.forget(self.count)
            if self._chord.renew():
                return None
            return Status.STALLED if self._selector.rejected() else None
        self._selector.accepted()
        self._chord.moved(self._columns, self.state, corrected)
        self._accept(proposal, corrected, step, rank, time.perf_counter() - began)
        return None

    def _corrected(
        self, proposal: Proposal, linearization: Linearization
    ) -> tuple[State, float, float]:
        """The corrected state, the step length, and the rank."""
        system, state = self._system, proposal.state
        added = len(state.weights) - self.count
        weighed = self._selection.weighs_nodes
        active = self._correction.active(len(state.weights), 0 if weighed else added)
        if active.start == active.stop:
            return state, 0.0, 1.0
        # A node with a weight of its own has moved the state, and with it the linearization.
        step = correction_step(
            system,
            self._columns,
            active,
            state,
            self._steps,
            self._corrector.direction,
            None if weighed else linearization,
        )
        if step is None:
            return state, 0.0, np.nan
        corrected = step.state
        if step.length > 0.0 and not weighed:
            # Large intermediate weights leave round-off that only a fresh evaluation removes.
            weights, unknowns = corrected.weights, corrected.unknowns
            corrected = system.state_with(self._columns, weights, unknowns)
        return corrected, step.length, step.rank

    def _accept(
        self, proposal: Proposal, state: State, step: float, rank: float, seconds: float
    ) -> None:
        old, new = self.count, len(state.weights)
        each = seconds / (new - old)
        record = (state.norm, proposal.range, proposal.damping, step, rank, each, 0)
        self._history[old:new] = record
        self._nodes = concatenate([self._nodes, proposal.nodes])
        self.state, self.advanced = state, True

    def ending(self) -> Status | None:
        """Why growth ends here, or None if it goes on."""
        method = self._method
        if self.state.norm <= method.tolerance:
            return Status.CONVERGED
        if self.count >= method.max_nodes:
            return Status.NODE_LIMIT if method.tolerance > 0 else Status.FINISHED
        return Status.MEMORY_LIMIT if self.count >= self._room else None

    def left(self, status: Status) -> Growth:
        """The result after the last complete round."""
        nodes = self._nodes.some(slice(self.count))
        history = np.rec.array(self._history[: self.count])
        factor = None if status.stopped else self._corrector.factor(self.count)
        return Growth(nodes, self._columns.first(self.count), self.state, history, status, factor)
