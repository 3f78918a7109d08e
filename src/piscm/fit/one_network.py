"""One network: grown, refined, and corrected on all points if growth used only some of them."""

from dataclasses import dataclass, replace

import numpy as np

from piscm.assemble.assembly import Assembly
from piscm.assemble.system import System
from piscm.budget.budget import STOPS
from piscm.construct.construction import Construction
from piscm.construct.machine import GivesUp, Growth, grow
from piscm.fit.refine import Refined, refine
from piscm.fit.slabs import correct_on_all, most_points
from piscm.network.network import Network
from piscm.result.history import Report, as_history
from piscm.result.status import Status


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
    """

    network: Network
    growth: Growth
    refined: Refined
    residual: float

    @property
    def status(self) -> Status:
        """How the fit ended."""
        return self.growth.status

    def ended(self, status: Status) -> "OneNetwork":
        """The same network with another status."""
        return replace(self, growth=replace(self.growth, status=status))

    def without_columns(self) -> "OneNetwork":
        """The same network without the columns of its nodes, which are large."""
        return replace(self, refined=self.refined.without_columns())


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
) -> OneNetwork:
    """Grow a network, from scratch or from an earlier growth, and refine it.

    If the run is stopped (Ctrl-C, a limit), the network is returned as growth left it.
    """
    system = assembly.system(method.activation)
    growth = grow(system, method, rng, report, before, gives_up)
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
        growth = replace(
            growth, nodes=refined.nodes, history=as_history(growth.history[refined.kept])
        )
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


def fit_to_all(fitted: OneNetwork, everything: Assembly, method: Construction) -> OneNetwork:
    """Correct the weights on all points, if growth used only some of them.

    Data keep their row weights, which were set on the points used by growth as the noise was
    estimated.
    """
    if fitted.status.stopped or everything.part.problem.observations:
        return fitted
    state = fitted.growth.state
    try:
        corrected = correct_on_all(
            everything, fitted.growth.nodes, state.weights, state.unknowns, method
        )
    except STOPS as stop:
        return fitted.ended(Status.after(stop))
    network = replace(fitted.network, weights=corrected.weights, unknowns=corrected.unknowns)
    return replace(fitted, network=network, residual=corrected.residual)
