"""PI-SC-III as the paper writes it: the yardstick for the engine.

Every candidate is judged in full, and after every node one singular value decomposition solves for
all weights. Nothing is kept from one step to the next but the columns themselves. It is written to
be simple, and not to be slow: it uses the same arrays and the same vectorized residuals.
"""

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
from piscm.network.nodes import concatenate
from piscm.network.start import Start
from piscm.problem.problem import Problem

Floats = NDArray[np.float64]


def literal_pisc3(problem: Problem, method: Construction, sampling: Sampling, seed: int) -> Network:
    """Solve a forward problem with the paper's PI-SC-III, one plain step after the other."""
    point_rng, _, rng = np.random.default_rng(seed).spawn(3)
    part, start = Part.whole(problem), Start(problem)
    points = draw_points(problem.domain, part.blocks, sampling, point_rng)
    system = Assembly(part, points, EVEN, start).system(method.activation)
    draw = Draw(problem.domain, method.scale)
    columns = system.allocate(method.max_nodes)
    contractions = [*method.contractions, 1.0]
    state, kept, contraction = system.start(), [draw(0, 1.0, rng)], 0
    while len(state.weights) < method.max_nodes:
        count = len(state.weights)
        found = False
        for damping in method.dampings:
            for factor in method.ranges:
                nodes = draw(method.candidates, factor, rng)
                batch = system.evaluate(nodes)
                design = batch.at(system.linearize(state))
                steps = damping * np.stack(
                    [scipy.linalg.lstsq(own.T, -state.residual)[0] for own in design]
                )
                change = system.each_alone(batch, steps, np.zeros((len(nodes), 0)))
                residuals = system.residuals(state, change)
                energies = np.sum(residuals**2, axis=1)
                best = int(np.argmin(energies))
                r = contractions[contraction]
                if energies[best] < (r + (1 - r) / (count + 2)) * state.energy:
                    found = True
                    break
                contraction = min(contraction + 1, len(contractions) - 1)
            if found:
                break
        if not found:
            break
        kept.append(nodes.some([best]))
        columns.put(slice(count, count + 1), batch.take([best]))
        local = np.concatenate([state.weights, steps[[best]]])
        state = system.state_with(columns, local, np.zeros(0))
        state = _corrected(system, columns, state, method)
    return Network(problem, start, method.activation, concatenate(kept), state.weights, np.zeros(0))


def _corrected(system: System, columns: Columns, state: State, method: Construction) -> State:
    active = slice(0, len(state.weights))
    design = columns.at(system.linearize(state), active).reshape(-1, system.rows)
    target = state.weights.ravel() @ design - state.residual
    new = scipy.linalg.lstsq(design.T, target, cond=method.truncation)[0]
    step = new.reshape(state.weights.shape) - state.weights
    full = system.together(columns, active, step, np.zeros(0))
    lengths = np.asarray(method.steps)
    energies = np.sum(system.residuals(state, full.times(lengths)) ** 2, axis=1)
    length = lengths[int(np.argmin(energies))]
    return system.state_with(columns, state.weights + length * step, np.zeros(0))
