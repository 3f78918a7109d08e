"""PI-SC-III as the paper writes it: the yardstick for the engine.

Every candidate is judged in full, and after every node one singular value decomposition solves for
all weights. Nothing is kept from one step to the next but the columns themselves. It is written to
be simple, and not to be slow: it uses the same arrays and the same vectorized residuals.
"""

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from piscm.assemble.sampling import Sampling, block_points
from piscm.assemble.state import NodeRows, State
from piscm.assemble.system import System
from piscm.compile.blocks import compile_blocks
from piscm.construct.methods import Method
from piscm.network.activations import activation_named
from piscm.network.draw import Draw
from piscm.network.model import Network
from piscm.network.nodes import Nodes, concatenate
from piscm.network.start import Start
from piscm.problem.problem import Problem

Floats = NDArray[np.float64]


def literal_pisc3(problem: Problem, method: Method, sampling: Sampling, seed: int) -> Network:
    """Solve a forward problem with the paper's PI-SC-III, one plain step after the other."""
    point_rng, _, rng = np.random.default_rng(seed).spawn(3)
    blocks = compile_blocks(problem)
    points = block_points(problem, blocks, sampling, point_rng)
    start = Start(problem)
    weights = {"equations": 1.0, "conditions": 1.0, "observations": 1.0}
    activation = activation_named(method.activation)
    system = System(problem, blocks, points, weights, activation, start)
    draw = Draw(problem.domain, method.scale)
    rows = system.allocate(method.max_nodes)
    contractions = [*method.contractions, 1.0]
    state, kept, contraction = system.start(), [draw(0, 1.0, rng)], 0
    while len(state.weights) < method.max_nodes:
        count = len(state.weights)
        found = False
        for damping in method.dampings:
            for factor in method.ranges:
                nodes = draw(method.candidates, factor, rng)
                batch = system.evaluate(nodes)
                system.write_nonlinear(batch, slice(None), system.linearize(state))
                steps = damping * np.stack(
                    [scipy.linalg.lstsq(own.T, -state.residual)[0] for own in batch.design]
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
        kept.append(Nodes(nodes.weights[[best]], nodes.biases[[best]]))
        rows.put(slice(count, count + 1), batch.take([best]))
        local = np.concatenate([state.weights, steps[[best]]])
        state = _corrected(system, rows, system.state_with(rows, local, np.zeros(0)), method)
    return Network(problem, start, method.activation, concatenate(kept), state.weights, np.zeros(0))


def _corrected(system: System, rows: NodeRows, state: State, method: Method) -> State:
    active = slice(0, len(state.weights))
    system.write_nonlinear(rows, active, system.linearize(state))
    columns = rows.design[active].reshape(-1, system.rows)
    target = state.weights.ravel() @ columns - state.residual
    new = scipy.linalg.lstsq(columns.T, target, cond=method.truncation)[0]
    step = new.reshape(state.weights.shape) - state.weights
    full = system.together(rows, active, step, np.zeros(0))
    lengths = np.asarray(method.steps)
    energies = np.sum(system.residuals(state, full.times(lengths)) ** 2, axis=1)
    length = lengths[int(np.argmin(energies))]
    return system.state_with(rows, state.weights + length * step, np.zeros(0))
