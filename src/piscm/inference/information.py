"""Which unknowns a problem determines at all, whatever the noise.

Three things leave an unknown open. Its equation may hold for any factor on it: ``k*u.diff(x, 2)``
with the unknown k, or ``a*u.diff(x, 2) + b`` with both. The fit may have driven it to where its
equation vanishes. Or the fields may follow any change of it without a trace in the rows. The last
is decided in a richer space than the solution's: what a few nodes miss is no evidence.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray

from piscm.assemble.windows import Part
from piscm.budget.clock import check_work
from piscm.compile.blocks import Block
from piscm.compile.differentiable import derivative
from piscm.compile.expression import Compiled
from piscm.compile.numeric_code import function_of
from piscm.inference.counting import just_enough
from piscm.inference.richer import RicherSpace, richer_space
from piscm.linalg.upper import upper_factor
from piscm.network.network import Network
from piscm.problem.problem import Problem

Floats = NDArray[np.float64]

# A move of the unknowns is felt if this fraction of it is left when the fields have followed.
_FELT = 3e-5
# It is not felt either if a richer space leaves less than this fraction of what was left before.
_FALLS = 0.1
_AGAIN: dict[str, Any] = {"share": 1.0, "at_least": 100}
# Nor if what is left is less than so many times what the equations and conditions are missed by;
# the larger one where it is below the tolerance as well.
_EVIDENCE, _EVIDENCE_BELOW = 3.0, 10.0
# An equation has vanished if its terms are this small compared with those at the first guess.
_VANISHED = 1e-3
_EPSILON = 1e-10  # keeps weights from growing where columns are alike
_NEW = 0.3  # of a direction that lies outside of those known already
_SAMPLES = 20


def undetermined_unknowns(
    network: Network, tolerance: float, seed: int = 0, by_data: bool = False
) -> Floats:
    """Relative changes of the unknowns that nothing forbids, shape (directions, unknowns).

    Where the equations were solved and data alone have determined the unknowns (`by_data`, and in
    windows), those have seen every one, and error bars say how well.
    """
    problem = network.problem
    count = len(problem.unknowns)
    asked = problem.asked
    if not asked.any():
        return np.zeros((0, count))
    if just_enough(problem):  # the fields are determined for any value
        return np.eye(count)[asked]
    part, rng = Part.whole(problem), np.random.default_rng(seed)
    space = richer_space(part, network, {}, rng)
    open_ones = [*_scalable(problem, part.blocks, rng), *_vanished(space)]
    directions = [np.array([1.0 * (i in own) for i in range(count)]) for own in open_ones]
    if network.panels is None and not by_data:
        directions += list(_unfelt(space, tolerance, rng))
    found: list[Floats] = []
    for direction in directions:  # the same may be found in several ways
        unit = direction / np.linalg.norm(direction)
        if not np.linalg.norm(unit[asked]) > _NEW:  # factors of singular functions are no data's
            continue
        known = np.array(found).reshape(-1, count)
        if np.linalg.norm(unit - known.T @ np.linalg.lstsq(known.T, unit)[0]) > _NEW:
            found.append(unit)
    return np.array(found).reshape(-1, count)


def _scalable(
    problem: Problem, blocks: Sequence[Block], rng: np.random.Generator
) -> Iterator[tuple[int, ...]]:
    """Sets of unknowns that any common factor suits."""
    symbols = list(problem.unknowns)
    appears = [
        {
            i
            for i, symbol in enumerate(symbols)
            for part in (block.compiled, *block.integrands)
            if part.written[0].has(symbol)
        }
        for block in blocks
    ]
    sets = {(i,) for i in range(len(symbols))} | {tuple(sorted(own)) for own in appears if own}
    for chosen in sorted(sets, key=len):
        own = [block for block, has in zip(blocks, appears, strict=True) if has & set(chosen)]
        if own and all(_takes_factor(block, chosen, symbols, rng) for block in own):
            yield chosen


def _takes_factor(
    block: Block, chosen: Sequence[int], symbols: Sequence[sympy.Symbol], rng: np.random.Generator
) -> bool:
    """Whether an expression is multiplied by a power of the factor on some unknowns."""
    if block.integrands or (block.data is not None and np.any(block.data != 0)):
        return False
    compiled = block.compiled
    points = rng.uniform(0.5, 1.5, (_SAMPLES, len(compiled.coordinates)))
    jets = rng.uniform(0.5, 1.5, (len(compiled.jets), _SAMPLES))
    plain = rng.uniform(0.5, 1.5, len(symbols))
    values = []
    for factor in (1.0, 2.0, 4.0):
        scaled = plain.copy()
        scaled[list(chosen)] *= factor
        values.append(np.asarray(compiled.value(points, jets, scaled)))
    first, second, third = values
    if not np.isfinite(values).all() or not np.any(first):
        return False
    ratio = second / np.where(first == 0, 1.0, first)
    grows = np.allclose(ratio, ratio[0], rtol=1e-9) and ratio[0] > 1.0
    return bool(grows and np.allclose(third, ratio[0] ** 2 * first, rtol=1e-9))


def _vanished(space: RicherSpace) -> Iterator[tuple[int, ...]]:
    """The unknowns of an equation whose terms have become small."""
    problem, network = space.part.problem, space.own
    symbols = list(problem.unknowns)
    guesses = np.array(list(problem.unknowns.values()))
    equations = [block for block in space.part.blocks if block.kind == "equations"]
    for block, points in zip(equations, space.inside, strict=True):
        compiled = block.compiled
        own = tuple(i for i, s in enumerate(symbols) if compiled.written[0].has(s))
        if not own:
            continue
        jets = network.jets(compiled, points)
        sizes = []
        for unknowns in (network.unknowns, guesses):
            by_jets, _ = compiled.linearize(points, jets, unknowns)
            rest = compiled.value(points, np.zeros_like(jets), unknowns)
            terms = np.abs(by_jets * jets).sum(axis=0) + np.abs(rest)
            sizes.append(float(np.sqrt(np.mean(terms**2))))
        if sizes[0] <= _VANISHED * sizes[1]:
            yield own


def _unfelt(space: RicherSpace, tolerance: float, rng: np.random.Generator) -> Iterator[Floats]:
    """Relative moves of the unknowns that the fields can follow without a trace."""
    guesses = np.array(list(space.part.problem.unknowns.values()))
    sizes = np.maximum(np.abs(space.own.unknowns), np.abs(guesses))
    sizes = np.where(sizes > 0, sizes, 1.0)
    before = _outside(space, sizes)
    richer = richer_space(space.part, space.own, {}, rng, **_AGAIN)
    after = _outside(richer, sizes)
    felt = np.linalg.norm(_terms(richer) * sizes, axis=0)
    missed, enough = _missed(richer), tolerance * space.size
    # A fit that missed its tolerance promises nothing, and is no evidence of a free unknown either.
    least = max(_EVIDENCE * missed, min(_EVIDENCE_BELOW * missed, enough))
    least = least if missed <= enough else 0.0
    _, lengths, directions = np.linalg.svd(after)
    for length, direction in zip(lengths, directions, strict=True):
        scale = float(np.linalg.norm(felt * direction))
        earlier = float(np.linalg.norm(before @ direction))
        if not length > max(_FELT * scale, least) or length < _FALLS * earlier:
            yield direction


def _missed(space: RicherSpace) -> float:
    """The norm of the rows of equations and conditions."""
    blocks, residual = space.part.blocks, space.state.residual
    squares = [
        float(np.sum(residual[placed.rows] ** 2))
        for placed in space.system.placed
        if not blocks[placed.number].observed
    ]
    return float(np.sqrt(sum(squares)))


def _outside(space: RicherSpace, sizes: Floats) -> Floats:
    """What is left of moves of the unknowns when the weights have followed.

    A square matrix; the norm of its product with a move is that of the rows.
    """
    design = space.design_at(space.state)
    moves = space.system.linearize(space.state).unknowns * sizes[:, None]
    lengths = np.linalg.norm(design, axis=1)
    design = design[lengths > 0] / lengths[lengths > 0, None]
    count = len(design)
    check_work(2.0 * design.size * count)
    bounded = np.zeros((space.system.rows + count, count + len(moves)))
    bounded[: space.system.rows] = np.concatenate([design, moves]).T
    bounded[space.system.rows :, :count] = _EPSILON * np.eye(count)
    triangle = upper_factor(bounded)
    return np.asarray(triangle[count : count + len(moves), count:])


def _terms(space: RicherSpace) -> Floats:
    """The sizes of the terms in the partials by each unknown, weighted as the rows are.

    In ``a*(u.diff(x, 2) + 1)`` the partial by a vanishes where the equation holds; its terms do
    not.
    """
    unknowns = tuple(space.part.problem.unknowns)
    network = space.network(space.weights)
    made = np.zeros((space.system.rows, len(unknowns)))
    for placed in space.system.placed:
        for leg in placed.legs:
            for index, function in enumerate(_sizes_of_terms(leg.compiled, unknowns)):
                jets = network.jets(leg.compiled, leg.leg.points)
                values = np.broadcast_to(
                    function(*leg.seen.T, *jets, *network.unknowns)[0], leg.size
                )
                own = values if leg.leg.sums is None else values @ abs(leg.leg.sums).T
                made[placed.rows, index] += placed.root_weight * own
    return made


@lru_cache(maxsize=64)  # the legs of a block have it in common
def _sizes_of_terms(
    compiled: Compiled, unknowns: tuple[sympy.Symbol, ...]
) -> list[Callable[..., Any]]:
    """The sum of the absolute terms of the partial by each unknown."""
    expression, _ = compiled.written
    made = []
    for symbol in unknowns:
        partial = sympy.expand_mul(derivative(expression, symbol, compiled.where))
        sizes = sympy.Add(*(sympy.Abs(term) for term in sympy.Add.make_args(partial)))
        made.append(function_of(compiled.symbols, [sizes], compiled.where))
    return made
