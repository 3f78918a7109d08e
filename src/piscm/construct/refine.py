r"""After growth: observations weighed by their noise, and outliers held off.

A row counts for as much as it is certain. Equations are met to within some misfit
:math:`\varepsilon` by this network, observations to within their noise :math:`\sigma`; a row's
weight should go as one over the square. The paper's weights are right for exact data; where the
noise is larger, the weight of the data is lowered to :math:`(\varepsilon/\sigma)^2` of an
equation's row. With the Huber loss a datum beyond 1.35 :math:`\sigma` is lowered further, in
proportion to its residual. All weights are then solved for again, and so on until they settle.
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
from piscm.design import NodeRows, Placed, State, System
from piscm.network.nodes import Nodes
from piscm.uncertainty import robust_deviation

Floats = NDArray[np.float64]
Emphasis = Mapping[int, Floats]

_HUBER = 1.35  # 95 % efficient where there are no outliers
_ROUNDS = 8
_CORRECTIONS = 3
# Weights that change by less than this share have settled; data weighed down by less are clean.
_SETTLED = 0.05
_CLEAN = 0.5


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
    """Weigh the observations by their noise and solve again, until the weights settle."""
    refined = _at(make_system({}), nodes, state.weights, state.unknowns)
    if not len(nodes) or not any(block.kind == "observations" for block in blocks):
        return refined
    # PI-SC-I and II leave old nodes alone; only a user who speaks of noise asks for more.
    asked = any(block.noise is not None or block.loss == "huber" for block in blocks)
    if not asked and method.correction_window < len(nodes):
        return refined
    emphasis: dict[int, Floats] = {}
    for _ in range(_ROUNDS):
        wanted = _emphasis(refined, blocks)
        if _settled(emphasis, wanted):
            break
        emphasis = wanted
        weights, unknowns = refined.state.weights, refined.state.unknowns
        refined = _corrected(_at(make_system(emphasis), nodes, weights, unknowns), method)
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
        direction = correction(rows, everything, linearization, state, bounds, method.truncation)
        state, step = line_search(system, rows, everything, state, direction, method.steps)
        if step == 0.0:
            break
    system.write_nonlinear(rows, everything, system.linearize(state))
    return Refined(refined.nodes, system, rows, state)


def _emphasis(refined: Refined, blocks: Sequence[Block]) -> dict[int, Floats]:
    """The factor on the weight of every row of every block of observations."""
    placed = {id(item.block): item for item in refined.system.placed}
    plain = {id(block): _raw(refined, placed[id(block)]) for block in blocks}
    equations = [block for block in blocks if block.kind == "equations"]
    misfit = float(np.sqrt(np.mean([np.mean(plain[id(block)] ** 2) for block in equations])))
    row_weight = 1.0 / len(plain[id(equations[0])])
    data_rows = sum(len(plain[id(block)]) for block in blocks if block.kind == "observations")
    factors: dict[int, Floats] = {}
    for index, block in enumerate(blocks):
        if block.kind != "observations":
            continue
        residual = plain[id(block)]
        sigma = block.noise
        if sigma is None:
            robust = block.loss == "huber"
            sigma = robust_deviation(residual) if robust else float(np.sqrt(np.mean(residual**2)))
        sigma = max(sigma, np.finfo(float).tiny)
        factor = min(1.0, row_weight * (misfit / sigma) ** 2 * data_rows)
        share = np.full(len(residual), factor if factor < _CLEAN else 1.0)
        if block.loss == "huber":
            share /= np.maximum(1.0, np.abs(residual) / (_HUBER * sigma))
        factors[index] = share
    return factors


def _raw(refined: Refined, placed: Placed) -> Floats:
    return np.asarray(refined.state.residual[placed.rows] / placed.scale)


def _settled(old: Mapping[int, Floats], new: Mapping[int, Floats]) -> bool:
    if not old:
        return all((factor == 1.0).all() for factor in new.values())
    return all(np.allclose(old[index], new[index], rtol=_SETTLED) for index in new)
