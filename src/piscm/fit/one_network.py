"""One network: grown, refined, and corrected on all points if growth used only some of them."""

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.assembly import Assembly
from piscm.assemble.system import System
from piscm.budget.budget import STOPS
from piscm.construct.chord import Chord
from piscm.construct.construction import Construction
from piscm.construct.correct import Corrector
from piscm.construct.line_search import correction_step
from piscm.construct.machine import GivesUp, Growth, grow
from piscm.fit.inherit import first_weights
from piscm.fit.refine import Refined, refine
from piscm.fit.slabs import correct_on_all, most_points
from piscm.network.network import Network
from piscm.network.nodes import Nodes
from piscm.result.history import HISTORY, Report, as_history
from piscm.result.status import Status

Floats = NDArray[np.float64]

# Gauss–Newton with given nodes ends after this many steps, or when one leaves more than this
# fraction of the residual.
_MAX_STEPS = 8
_WORTH_A_STEP = 0.7


@dataclass(frozen=True)
class OneNetwork:
    """A network fitted to an assembly.

    Attributes
    ----------
    network : Network
    growth : Growth
        Nodes, history and status, with the final state and without columns.
    refined : Refined
        The system that the weights minimize; columns for error bars.
    residual : float
        Under the row weights of the assembly, whatever the refinement used.
    inherited : int
        How many of the nodes are another window's.
    """

    network: Network
    growth: Growth
    refined: Refined
    residual: float
    inherited: int = 0

    @property
    def status(self) -> Status:
        """How the fit ended."""
        return self.growth.status

    def ended(self, status: Status) -> "OneNetwork":
        """The same network with another status."""
        return replace(self, growth=replace(self.growth, status=status))

    def without_columns(self) -> "OneNetwork":
        """The same network without the columns of its nodes and their factor, which are large."""
        growth = replace(self.growth, factor=None)
        return replace(self, growth=growth, refined=self.refined.without_columns())


def thinned(assembly: Assembly, method: Construction) -> Assembly:
    """The assembly at no more points than growth can handle."""
    most = most_points(method, len(assembly.part.problem.fields))
    if assembly.points.rows[0] <= most:
        return assembly
    return assembly.at(assembly.points.first(most))


def fit_network(
    assembly: Assembly,
    method: Construction,
    rng: np.random.Generator,
    report: Report,
    before: Growth | None = None,
    gives_up: GivesUp | None = None,
    unrefined: Sequence[Status] = (),
) -> OneNetwork:
    """Grow a network, from scratch or from an earlier growth, and refine it.

    The refinement is left out where growth ended in one of the ways that are `unrefined`, unless
    there are data to be weighed.

    If the run is stopped (Ctrl-C, a limit), the network is returned as growth left it.
    """
    system = assembly.system(method.activation)
    growth = grow(system, method, rng, report, before, gives_up)
    if growth.status in unrefined and not assembly.part.problem.observations:
        grown = Refined(growth.nodes, system, growth.columns, growth.state)
        return _network(assembly, grown, growth, method, growth.state.norm)
    return _refined(assembly, system, growth, method)


def fit_weights(
    assembly: Assembly, nodes: Nodes, guess: Network, method: Construction
) -> OneNetwork:
    """Gauss–Newton for the output weights of given nodes, until the method's tolerance is met.

    It begins at the state of another network, `guess`, and ends early if a step gains too little:
    these nodes can do no better.
    """
    system = assembly.system(method.activation)
    columns = system.evaluate(nodes)
    unknowns = guess.unknowns
    corrector = Corrector(system, method.threshold, method.selector.keeps_basis, len(nodes))
    first = first_weights(system, columns, guess, corrector, method.threshold)
    weights, kept = first or (np.zeros((len(nodes), system.fields)), None)
    state = system.state_with(columns, weights, unknowns)
    if not np.isfinite(state.energy):
        state, kept = system.state_with(columns, np.zeros_like(weights), unknowns), None
    everything, status = slice(0, len(nodes)), Status.NODE_LIMIT
    history = np.zeros(len(nodes), dtype=HISTORY)
    chord = Chord(system, kept=kept)
    for _ in range(_MAX_STEPS):
        if state.norm <= method.tolerance:
            status = Status.CONVERGED
            break
        before, linearization = state, chord.at(state)
        step = correction_step(
            system,
            columns,
            everything,
            state,
            method.search_steps,
            corrector.direction,
            linearization,
        )
        if step is None:
            status = Status.NOT_FINITE
            break
        state = step.state
        chord.moved(columns, before, state)
        if state.norm > _WORTH_A_STEP * before.norm and not chord.renew():
            break
    history["residual"], history["rank"] = state.norm, np.nan
    factor = corrector.factor(len(nodes))
    growth = Growth(nodes, columns, state, as_history(history), status, factor)
    if assembly.part.problem.observations:
        return _refined(assembly, system, growth, method)
    return _network(assembly, Refined(nodes, system, columns, state), growth, method, state.norm)


def _refined(
    assembly: Assembly, system: System, growth: Growth, method: Construction
) -> OneNetwork:
    grown = refined = Refined(growth.nodes, system, growth.columns, growth.state)
    residual = growth.state.norm
    if not growth.status.stopped:
        try:
            refined = refine(assembly, grown, method)
            residual = _residual(system, refined)
        except STOPS as stop:
            refined = grown
            growth = replace(growth, status=Status.after(stop))
    if refined.kept is not None:
        history = as_history(growth.history[refined.kept])
        growth = replace(growth, nodes=refined.nodes, history=history)
    if refined.system is not system or refined.kept is not None:  # other row weights, or nodes
        growth = replace(growth, factor=None)
    return _network(assembly, refined, growth, method, residual)


def _network(
    assembly: Assembly, refined: Refined, growth: Growth, method: Construction, residual: float
) -> OneNetwork:
    """The network of refined weights."""
    state = refined.state
    problem, start = assembly.part.problem, assembly.start
    network = Network(
        problem, start, method.activation, growth.nodes, state.weights, state.unknowns
    )
    growth = replace(growth, state=state, columns=growth.columns.take([]))
    return OneNetwork(network, growth, refined, residual)


def _residual(system: System, refined: Refined) -> float:
    """The residual under the row weights of a system, whatever the refinement used."""
    state = refined.state
    if refined.system is system:
        return state.norm
    columns = system.evaluate(refined.nodes)
    return system.state_with(columns, state.weights, state.unknowns).norm


def fit_to_all(
    fitted: OneNetwork,
    everything: Assembly,
    method: Construction,
    executor: Executor | None = None,
) -> OneNetwork:
    """Correct the weights on all points, if growth used only some of them.

    Data keep their row weights, which were set on the points used by growth as the noise was
    estimated.
    """
    if fitted.status.stopped or everything.part.problem.observations:
        return fitted
    state = fitted.growth.state
    try:
        corrected = correct_on_all(
            everything, fitted.growth.nodes, state.weights, state.unknowns, method, executor
        )
    except STOPS as stop:
        return fitted.ended(Status.after(stop))
    network = replace(fitted.network, weights=corrected.weights, unknowns=corrected.unknowns)
    return replace(fitted, network=network, residual=corrected.residual)
