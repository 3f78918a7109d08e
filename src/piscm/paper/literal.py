r"""PI-SC-I, II and III as the paper writes them, forward and inverse: the yardstick for the engine.

One function for each step of the paper's algorithm boxes, in their order. Every candidate is judged
in full, every least-squares problem is solved by a singular value decomposition with the paper's
truncation, and nothing is kept from one step to the next but the columns themselves. The code is
meant to be checked against the paper line by line; it uses the same arrays and residuals as the
library, so that it is simple without being slow.
"""

from collections.abc import Mapping

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from piscm.assemble.assembly import Assembly
from piscm.assemble.columns import Columns
from piscm.assemble.sampling import Sampling
from piscm.assemble.sites import draw_points
from piscm.assemble.state import State
from piscm.assemble.system import System
from piscm.assemble.weighting import EVEN
from piscm.assemble.windows import Part
from piscm.construct.construction import Construction
from piscm.network.draw import Draw
from piscm.network.network import Network
from piscm.network.nodes import Nodes, concatenate
from piscm.network.start import Start
from piscm.problem.problem import Problem

Floats = NDArray[np.float64]


def literal(
    problem: Problem,
    method: Construction,
    sampling: Sampling,
    seed: int,
    weights: Mapping[str, float] = EVEN,
) -> Network:
    """Solve a problem with one plain step after the other.

    `method` is a `PISC1`, `PISC2` or `PISC3` with the paper's selection; points and candidates are
    those that `solve` draws with the same seed.
    """
    point_rng, _, rng = np.random.default_rng(seed).spawn(3)
    part, start = Part.whole(problem), Start(problem)
    points = draw_points(problem.domain, part.blocks, sampling, point_rng)
    system = Assembly(part, points, {**EVEN, **weights}, start).system(method.activation)
    construction = _Literal(system, method, rng)
    while len(construction.state.weights) < method.max_nodes:
        if construction.state.norm <= method.tolerance or not construction.add_node():
            break
        construction.correct()
    state = construction.state
    nodes = concatenate(construction.nodes)
    return Network(problem, start, method.activation, nodes, state.weights, state.unknowns)


class _Literal:
    """Where the algorithm is: nodes, their columns, weights and unknowns, and the index of r."""

    def __init__(self, system: System, method: Construction, rng: np.random.Generator) -> None:
        self._system, self._method, self._rng = system, method, rng
        self._draw = Draw(system.problem.domain, method.scale)
        self._columns = system.allocate(method.max_nodes)
        self._contractions = [*method.contractions, 1.0]  # R, and after it any decrease
        self._index = 0  # moves on for good
        self.nodes = [Nodes.none(system.problem.domain.dimension)]
        self.state = system.start()

    def add_node(self) -> bool:
        """Steps of PI-SC-I: the best admissible candidate of the first range that has one."""
        for damping in self._method.dampings:  # alpha_1 in A_1
            for factor in self._method.ranges:  # tau in Upsilon
                nodes = self._draw(self._method.candidates, factor, self._rng)
                batch = self._system.evaluate(nodes)
                states = self._after_each(batch, damping)
                best = min(range(len(nodes)), key=lambda k: states[k].energy)
                if self._margin(states[best]) > 0:
                    count = len(self.state.weights)
                    self._columns.put(slice(count, count + 1), batch.take([best]))
                    self.nodes.append(nodes.some([best]))
                    self.state = states[best]
                    return True
                self._index = min(self._index + 1, len(self._contractions) - 1)
        return False

    def _after_each(self, batch: Columns, damping: float) -> list[State]:
        """The state after each candidate's own step, theta = alpha_1 M^+ v."""
        system, state = self._system, self.state
        linearization = system.linearize(state)
        steps = damping * np.stack(
            [
                _least_squares(
                    np.concatenate([own, linearization.unknowns]),
                    -state.residual,
                    self._method.truncation,
                )
                for own in batch.at(linearization)
            ]
        )
        weights = steps[:, : system.fields]
        unknowns = system.bounds.clip(state.unknowns, steps[:, system.fields :])
        change = system.each_alone(batch, weights, unknowns)
        residuals = system.residuals(state, change)
        return [
            State(
                np.concatenate([state.weights, weights[[k]]]),
                state.unknowns + unknowns[k],
                change.added(state, k),
                residuals[k],
            )
            for k in range(len(weights))
        ]

    def _margin(self, after: State) -> float:
        """xi_L = (r + mu_L) E_{L-1}^2 - E_L^2 with mu_L = (1 - r) / (L + 1)."""
        r = self._contractions[self._index]
        mu = (1.0 - r) / (len(after.weights) + 1)
        return (r + mu) * self.state.energy - after.energy

    def correct(self) -> None:
        """The rest of PI-SC-II and III: new weights for a window of nodes, or all; alpha_2."""
        system, state, method = self._system, self.state, self._method
        active = method.correction.active(len(state.weights))
        if active.start == active.stop:  # PI-SC-I
            return
        linearization = system.linearize(state)
        design = self._columns.at(linearization, active).reshape(-1, system.rows)
        old = state.weights[active]
        target = old.ravel() @ design - state.residual
        solved = _least_squares(
            np.concatenate([design, linearization.unknowns]), target, method.truncation
        )
        move = solved[: old.size].reshape(old.shape) - old
        steps = system.bounds.clip(state.unknowns, solved[old.size :])
        full = system.together(self._columns, active, move, steps)
        lengths = np.asarray(method.steps)  # alpha_2 in A_2
        energies = np.sum(system.residuals(state, full.times(lengths)) ** 2, axis=1)
        length = lengths[int(np.argmin(energies))]
        weights = state.weights.copy()
        weights[active] += length * move
        moved = system.state_with(self._columns, weights, state.unknowns + length * steps)
        self.state = moved


def _least_squares(columns: Floats, target: Floats, truncation: float) -> Floats:
    """The minimizer by singular values; those below `truncation` times the largest are dropped."""
    return np.asarray(scipy.linalg.lstsq(columns.T, target, cond=truncation)[0])
