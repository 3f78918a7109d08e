r"""After growth: how much the observations should count, and outliers held off.

Growth uses the paper's weights, which are right for exact data. Noisy data deserve less, or the
network bends the equation to follow the noise; too little, and the unknowns drift to where the
network misses the equation least. The factor on the data's weight is lowered by tens for as long
as that improves the generalized cross-validation score

.. math:: \frac{\|r_d\|^2 / N_d}{(1 - \mathrm{tr} H_{dd} / N_d)^2},

which estimates how well data that were left out would be predicted. Sets of observations with
known noise count among each other as one over its square, and with the Huber loss a datum beyond
1.35 standard deviations counts less in proportion to its residual.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.state import NodeRows, State
from piscm.assemble.system import System
from piscm.compile.blocks import Block
from piscm.construct.correct import Corrector
from piscm.construct.line_search import line_search
from piscm.construct.methods import Method
from piscm.inference.noise import deviation, trust
from piscm.inference.uncertainty import leverage
from piscm.network.nodes import Nodes

Floats = NDArray[np.float64]
Emphasis = Mapping[int, Floats]

_ROUNDS = 10
_MAX_CORRECTIONS = 10
_STILL_GAINING = 0.999  # of the squared residual, after one correction more
# Weights that change by less than this share have settled.
_SETTLED = 0.02
_FACTORS = (0.1, 0.01, 1e-3, 1e-4)
# A lower weight must improve the score by more than this share; the score itself is noisy.
_IMPROVED = 0.98


@dataclass(frozen=True)
class Refined:
    """A system with its final weights, the columns of all nodes in it, and the state."""

    nodes: Nodes
    system: System
    rows: NodeRows
    state: State


def as_grown(system: System, nodes: Nodes, rows: NodeRows, state: State) -> Refined:
    """The state as growth left it."""
    system.write_nonlinear(rows, slice(None), system.linearize(state))
    return Refined(nodes, system, rows, state)


def refine(
    make_system: Callable[[Emphasis], System],
    blocks: Sequence[Block],
    grown: Refined,
    method: Method,
) -> Refined:
    """Correct to the minimum, weigh the observations, and solve again until the weights settle."""
    nodes = grown.nodes
    asked = any(block.noise is not None or block.loss == "huber" for block in blocks)
    # The paper's algorithms end with growth; only a user who speaks of noise asks for more.
    literal = method.selection == "local" or method.correction_window < len(nodes)
    if not len(nodes) or (literal and not asked):
        return grown
    refined = _corrected(grown, method)
    data = [index for index, block in enumerate(blocks) if block.kind == "observations"]
    if not data:
        return refined

    def again(emphasis: Emphasis, from_: Refined) -> Refined:
        system = make_system(emphasis)
        return _corrected(_at(system, nodes, from_.state.weights, from_.state.unknowns), method)

    emphasis: dict[int, Floats] = {index: np.ones(1) for index in data}
    for _ in range(_ROUNDS if asked else 0):
        wanted = {index: _share(refined, blocks, index) for index in data}
        if all(np.allclose(emphasis[i], wanted[i], rtol=_SETTLED) for i in data):
            break
        emphasis, refined = wanted, again(wanted, refined)
    score = _score(refined, method)
    for factor in _FACTORS:
        other = again({index: factor * share for index, share in emphasis.items()}, refined)
        other_score = _score(other, method)
        if not other_score < _IMPROVED * score:
            break
        refined, score = other, other_score
    return refined


def _at(system: System, nodes: Nodes, weights: Floats, unknowns: Floats) -> Refined:
    rows = system.evaluate(nodes)
    state = system.state_with(rows, weights, unknowns)
    system.write_nonlinear(rows, slice(None), system.linearize(state))
    return Refined(nodes, system, rows, state)


def _corrected(refined: Refined, method: Method) -> Refined:
    system, rows, state = refined.system, refined.rows, refined.state
    corrector, everything = Corrector(system, method), slice(0, len(state.weights))
    for _ in range(_MAX_CORRECTIONS):
        linearization = system.linearize(state)
        if not linearization.finite:
            break
        before = state.energy
        system.write_nonlinear(rows, everything, linearization)
        direction = corrector.direction(rows, everything, linearization, state, safe=True)
        state, step = line_search(system, rows, everything, state, direction, method.search_steps)
        if step == 0.0 or state.energy > _STILL_GAINING * before:
            break
    system.write_nonlinear(rows, everything, system.linearize(state))
    return Refined(refined.nodes, system, rows, state)


def _share(refined: Refined, blocks: Sequence[Block], index: int) -> Floats:
    """The factor on the weight of every row of one set of observations."""
    block = blocks[index]
    residual = refined.system.unweighted(refined.state, block)
    sigma = _noise(refined, block)
    share = 1.0
    if any(other.noise is not None for other in blocks):
        data = [other for other in blocks if other.kind == "observations"]
        share = (min(_noise(refined, other) for other in data) / sigma) ** 2
    return share * trust(residual, sigma, block.loss)


def _noise(refined: Refined, block: Block) -> float:
    """The standard deviation of a set of observations, as given or as the residual has it."""
    if block.noise is not None:
        return block.noise
    residual = refined.system.unweighted(refined.state, block)
    return max(deviation(residual, block.loss), float(np.finfo(float).tiny))


def _score(refined: Refined, method: Method) -> float:
    """Generalized cross-validation of the observations, rows weighed among each other."""
    system, state = refined.system, refined.state
    if not system.linearize(state).finite:
        return float("inf")
    share = leverage(system, refined.rows, state, method.threshold)
    data = [placed for placed in system.placed if placed.block.kind == "observations"]
    largest = max(float(np.max(placed.scale)) for placed in data)
    squares = freedom = total = 0.0
    for placed in data:
        weights = (placed.scale / largest) ** 2 * np.ones(placed.rows.stop - placed.rows.start)
        residual = system.unweighted(state, placed.block)
        squares += float(weights @ residual**2)
        total += float(weights.sum())
        freedom += float(weights @ (1.0 - share[placed.rows]))
    return squares * total / freedom**2 if freedom > 0 else float("inf")
