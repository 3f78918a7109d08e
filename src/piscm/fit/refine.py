r"""After growth: reweighting of the observations, and of outliers among them.

Growth uses the paper's row weights, which suit exact data. Noisy data need less weight, or the
network violates the equation to follow the noise; with too little, the unknowns drift to wherever
the equation residual is smallest. The factor on the data's weight is lowered by powers of ten as
long as that improves the generalized cross-validation score

.. math:: \frac{\|r_d\|^2 / N_d}{(1 - \mathrm{tr} H_{dd} / N_d)^2},

which estimates how well held-out data would be predicted. Sets of observations with known noise are
weighted relative to each other by its inverse square, and with the Huber loss the weight of a datum
beyond 1.35 standard deviations is inversely proportional to its residual.

A prior may contradict the data, and then a network that violates the equation predicts both better.
With priors the score is therefore not asked: the factor is lowered until the residual of equations
and conditions falls no further, which is what the nodes leave anyway.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.assembly import Assembly
from piscm.assemble.columns import Columns
from piscm.assemble.state import State
from piscm.assemble.system import System
from piscm.assemble.weighting import Emphasis
from piscm.compile.blocks import Block
from piscm.construct.construction import Construction
from piscm.construct.correct import Corrector
from piscm.construct.line_search import correction_step
from piscm.inference.noise import deviation, trust
from piscm.inference.uncertainty import leverage
from piscm.network.nodes import Nodes

Floats = NDArray[np.float64]

_ROUNDS = 10
_MAX_CORRECTIONS = 10
_STILL_GAINING = 0.999  # of the squared residual, after one more correction
# Row weights have settled when they change by less than this fraction.
_SETTLED = 0.02
_FACTORS = (0.1, 0.01, 1e-3, 1e-4)
# A lower weight must bring the score below this fraction; the score itself is noisy.
_IMPROVED = 0.98
# With priors: the equations are as good as they become if a lower weight of the data leaves more
# than this fraction of their squared residual.
_PRIOR_FACTORS = tuple(10.0**-power for power in range(1, 6))
_BENT_NO_MORE = 0.5


@dataclass(frozen=True)
class Refined:
    """A system with its final row weights, the columns of all nodes in it, and the state."""

    nodes: Nodes
    system: System
    columns: Columns
    state: State
    kept: NDArray[np.intp] | None = None  # which nodes of growth these are, unless all

    def without_columns(self) -> "Refined":
        """The same without the columns of its nodes, which are large."""
        return replace(self, columns=self.columns.take([]))


def refine(assembly: Assembly, grown: Refined, method: Construction) -> Refined:
    """Correct to the minimum, reweight the observations, and repeat until the weights settle."""
    nodes, blocks = grown.nodes, assembly.part.blocks
    asked = any(block.noise is not None or block.loss == "huber" for block in blocks)
    # The paper's algorithms end with growth; only a noise level or a Huber loss asks for more.
    refines = method.selector.refines and method.correction.size(len(nodes)) == len(nodes)
    if not len(nodes) or not (refines or asked):
        return grown
    refined = _corrected(grown, method)
    data = [index for index, block in enumerate(blocks) if block.observed]
    if not data:
        return refined

    def again(emphasis: Emphasis, from_: Refined) -> Refined:
        system = assembly.system(method.activation, emphasis)
        columns = system.evaluate(from_.nodes)
        state = system.state_with(columns, from_.state.weights, from_.state.unknowns)
        return _corrected(Refined(from_.nodes, system, columns, state, from_.kept), method)

    emphasis: dict[int, Floats] = {index: np.ones(1) for index in data}
    for _ in range(_ROUNDS if asked else 0):
        wanted = {index: _share(refined, blocks, index) for index in data}
        if all(np.allclose(emphasis[i], wanted[i], rtol=_SETTLED) for i in data):
            break
        emphasis, refined = wanted, again(wanted, refined)
    if assembly.part.problem.priors:
        for factor in _PRIOR_FACTORS:
            other = again({index: factor * share for index, share in emphasis.items()}, refined)
            if not _physics(other) < _BENT_NO_MORE * _physics(refined):
                break
            refined = other
        return refined
    score = _score(refined, method)
    for factor in _FACTORS:
        other = again({index: factor * share for index, share in emphasis.items()}, refined)
        other_score = _score(other, method)
        if not other_score < _IMPROVED * score:
            break
        refined, score = other, other_score
    return refined


def _corrected(refined: Refined, method: Construction) -> Refined:
    system, columns, state = refined.system, refined.columns, refined.state
    keeps_basis = method.selector.keeps_basis
    corrector = Corrector(system, method.threshold, keeps_basis, method.max_nodes)
    everything, find = slice(0, len(state.weights)), partial(corrector.direction, safe=True)
    for _ in range(_MAX_CORRECTIONS):
        before = state.energy
        step = correction_step(system, columns, everything, state, method.search_steps, find)
        if step is None:
            break
        state = step.state
        if step.length == 0.0 or state.energy > _STILL_GAINING * before:
            break
    return replace(refined, state=state)


def _physics(refined: Refined) -> float:
    """The squared residual of equations and conditions."""
    rows = [item.rows for item in refined.system.placed if not item.block.observed]
    return sum(float(np.sum(refined.state.residual[own] ** 2)) for own in rows)


def _share(refined: Refined, blocks: Sequence[Block], index: int) -> Floats:
    """The factor on the row weights of one set of observations."""
    block = blocks[index]
    residual = refined.system.unweighted(refined.state, block)
    sigma = _noise(refined, block)
    share = 1.0
    if any(other.noise is not None for other in blocks):
        data = [other for other in blocks if other.observed]
        share = (min(_noise(refined, other) for other in data) / sigma) ** 2
    return share * trust(residual / block.spread, sigma, block.loss)


def _noise(refined: Refined, block: Block) -> float:
    """The standard deviation of a set of observations, as given or estimated from the residual."""
    if block.noise is not None:
        return block.noise
    residual = refined.system.unweighted(refined.state, block)
    return max(deviation(residual, block.loss), float(np.finfo(float).tiny))


def _score(refined: Refined, method: Construction) -> float:
    """Generalized cross-validation of the observations, with their relative weights."""
    system, state = refined.system, refined.state
    if not system.linearize(state).finite:
        return float("inf")
    share = leverage(system, refined.columns, state, method.threshold)
    data = [placed for placed in system.placed if placed.block.observed]
    largest = max(float(np.max(placed.root_weight)) for placed in data)
    squares = freedom = total = 0.0
    for placed in data:
        weights = (placed.root_weight / largest) ** 2 * np.ones(
            placed.rows.stop - placed.rows.start
        )
        residual = system.unweighted(state, placed.block)
        squares += float(weights @ residual**2)
        total += float(weights.sum())
        freedom += float(weights @ (1.0 - share[placed.rows]))
    return squares * total / freedom**2 if freedom > 0 else float("inf")
