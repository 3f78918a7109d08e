r"""One new node: draw candidates, fit each alone, keep the best that contracts enough.

A candidate with the columns M takes the step :math:`\theta = \alpha M^\dagger v` with
:math:`v = -\tilde e`, and is admissible if the true residual after it satisfies

.. math:: \xi = (r + \mu_L) E_{L-1}^2 - E_L^2 > 0, \qquad \mu_L = (1 - r)/(L + 1).

The admissible candidate with the largest :math:`\xi` is kept.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.state import Linearization, NodeRows, State
from piscm.assemble.system import System
from piscm.construct.methods import Method
from piscm.linalg.bounded import Bounds
from piscm.linalg.truncated import gain_of_each, solve_each
from piscm.network.draw import Draw
from piscm.network.nodes import Nodes

Floats = NDArray[np.float64]

# Candidates of a batch that are judged in full precision.
_PROMISING = 3


@dataclass(frozen=True)
class Proposal:
    """Nodes that were kept, with what the history wants to know."""

    nodes: Nodes
    rows: NodeRows
    state: State
    range: float
    damping: float


class Ladder:
    """The contraction r, which never goes back: after the last rung any decrease is admissible."""

    def __init__(self, contractions: object) -> None:
        self._rungs = [*np.asarray(contractions, dtype=float), 1.0]
        self._index = 0

    def bound(self, energy: float, node: int) -> float:
        """What the squared residual must get below with this node."""
        r = self._rungs[self._index]
        return float((r + (1.0 - r) / (node + 1)) * energy)

    def move_on(self) -> None:
        self._index = min(self._index + 1, len(self._rungs) - 1)


def select(
    system: System,
    state: State,
    linearization: Linearization,
    method: Method,
    draw: Draw,
    bounds: Bounds,
    ladder: Ladder,
    rng: np.random.Generator,
) -> Proposal | None:
    """The best admissible node of the first range and damping that has one, or None.

    Single precision and the linearized gain are enough to find the few best of a batch; those are
    judged in full. Only where none of them is admissible the whole batch is.
    """
    for damping in method.dampings:
        for factor in method.ranges:
            nodes = draw(method.candidates, factor, rng)
            promising = _promising(system, state, linearization, nodes)
            bound = ladder.bound(state.energy, len(state.weights) + 1)
            for some in (promising, np.arange(len(nodes))):
                batch = Nodes(nodes.weights[some], nodes.biases[some])
                proposal = _best(
                    system, state, linearization, method, bounds, batch, damping, factor
                )
                if proposal.state.energy < bound:
                    return proposal
            ladder.move_on()
    return None


def _promising(
    system: System, state: State, linearization: Linearization, nodes: Nodes
) -> NDArray[np.intp]:
    """The few nodes of a batch that would gain most if the problem were linear."""
    columns = system.screen(nodes, linearization)
    shared = linearization.unknowns.astype(np.float32)
    gains = gain_of_each(columns, shared, state.residual.astype(np.float32))
    return np.argsort(-gains, kind="stable")[:_PROMISING]


def _best(
    system: System,
    state: State,
    linearization: Linearization,
    method: Method,
    bounds: Bounds,
    nodes: Nodes,
    damping: float,
    factor: float,
) -> Proposal:
    """The node of a batch with the least true residual after its own step."""
    rows = system.evaluate(nodes)
    system.write_nonlinear(rows, slice(None), linearization)
    steps = damping * solve_each(
        rows.design, linearization.unknowns, -state.residual, method.threshold
    )
    weights = steps[:, : system.fields]
    unknowns = bounds.clip(state.unknowns, steps[:, system.fields :])
    change = system.each_alone(rows, weights, unknowns)
    residuals = system.residuals(state, change)
    energies = np.einsum("kn,kn->k", residuals, residuals)
    energies[~np.isfinite(energies)] = np.inf
    best = int(np.argmin(energies))
    return Proposal(
        nodes=Nodes(nodes.weights[[best]], nodes.biases[[best]]),
        rows=rows.take([best]),
        state=replace(
            state,
            weights=np.vstack([state.weights, weights[best]]),
            unknowns=state.unknowns + unknowns[best],
            strands=change.added(state, best),
            residual=residuals[best],
        ),
        range=float(factor),
        damping=float(damping),
    )
