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

from piscm.blocks import Block
from piscm.construct.bounds import Bounds
from piscm.construct.correct import correction
from piscm.construct.line_search import line_search
from piscm.construct.methods import Method
from piscm.design import System
from piscm.network.nodes import Nodes
from piscm.state import NodeRows, State
from piscm.uncertainty import leverage, robust_deviation

Floats = NDArray[np.float64]
Emphasis = Mapping[int, Floats]

_HUBER = 1.35  # 95 % efficient where there are no outliers
_ROUNDS = 10
_CORRECTIONS = 3
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


def refine(
    make_system: Callable[[Emphasis], System],
    blocks: Sequence[Block],
    nodes: Nodes,
    state: State,
    method: Method,
) -> Refined:
    """Weigh the observations and solve again, until the weights settle."""
    refined = _at(make_system({}), nodes, state.weights, state.unknowns)
    data = [index for index, block in enumerate(blocks) if block.kind == "observations"]
    if not len(nodes) or not data:
        return refined
    asked = any(block.noise is not None or block.loss == "huber" for block in blocks)
    # PI-SC-I and II leave old nodes alone; only a user who speaks of noise asks for more.
    if not asked and method.correction_window < len(nodes):
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
    bounds, everything = Bounds(system.problem), slice(0, len(state.weights))
    for _ in range(_CORRECTIONS):
        linearization = system.linearize(state)
        if not linearization.finite:
            break
        system.write_nonlinear(rows, everything, linearization)
        direction = correction(rows, everything, linearization, state, bounds, method)
        state, step = line_search(system, rows, everything, state, direction, method.search_steps)
        if step == 0.0:
            break
    system.write_nonlinear(rows, everything, system.linearize(state))
    return Refined(refined.nodes, system, rows, state)


def _share(refined: Refined, blocks: Sequence[Block], index: int) -> Floats:
    """The factor on the weight of every row of one set of observations."""
    block = blocks[index]
    known = [other.noise for other in blocks if other.noise is not None]
    share = 1.0 if block.noise is None else (min(known) / block.noise) ** 2
    residual = refined.system.unweighted(refined.state, block)
    if block.loss != "huber":
        return np.full(len(residual), share)
    sigma = robust_deviation(residual) if block.noise is None else block.noise
    far = np.abs(residual) / (_HUBER * max(sigma, np.finfo(float).tiny))
    return np.asarray(share / np.maximum(1.0, far))


def _score(refined: Refined, method: Method) -> float:
    """Generalized cross-validation of the observations, each row in units of its own weight."""
    system, state = refined.system, refined.state
    if not system.linearize(state).finite:
        return float("inf")
    share = leverage(system, refined.rows, state, method.threshold)
    squares = freedom = total = 0.0
    for placed in system.placed:
        if placed.block.kind != "observations":
            continue
        weights = placed.scale**2 * np.ones(placed.rows.stop - placed.rows.start)
        weights = weights / weights.max()
        residual = system.unweighted(state, placed.block)
        squares += float(weights @ residual**2)
        total += float(weights.sum())
        freedom += float(weights @ (1.0 - share[placed.rows]))
    return squares * total / freedom**2 if freedom > 0 else float("inf")
