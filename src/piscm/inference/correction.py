"""The solution of a window, corrected in a richer space: what is left of its error equation."""

import numpy as np
from numpy.typing import NDArray
from sympy import Symbol

from piscm.inference.even_rows import even_rows
from piscm.inference.fresh_points import FittedPoints, beside, by_block
from piscm.inference.richer import RicherSpace, richer_space, triangle_at
from piscm.linalg.damped import solve_damped, solve_damped_triangle
from piscm.network.network import Network
from piscm.problem.problem import Problem

# The correction is repeated while the true residual of what it leads to is above this fraction of
# the one before, at most so often.
_FALLEN, _STEPS = 0.5, 4
# A residual below this fraction of the fields that does not fall is round-off.
_ROUND_OFF = 1e-9
# The corrected residual is looked at elsewhere at most so often: while it is so many times larger
# there, and no small fraction of the residual of the solution.
_LOOKS, _PARTED, _ENOUGH = 3, 2.0, 0.3
# Random rows that tell whether errors grow, and from where on they do so beyond what is seen: near
# an unstable steady state of a reactor noise was answered 500- to 4,500-fold, and the error was a
# million times the residual.
_PROBES, _GROWS = 3, 100.0


def checked_correction(
    space: RicherSpace,
    known: FittedPoints,
    rng: np.random.Generator,
    problem: Problem,
    along: Symbol | None,
) -> tuple[Network, float, RicherSpace]:
    """The correction, how much of the residual it leaves, and the space in which both hold.

    A richer space needs more points than the fit had. So the corrected residual is looked at
    elsewhere, and where it is much larger there, more points come in addition.
    """
    for turn in range(_LOOKS):
        corrected, left = _corrected(space)
        seen = space.elsewhere(corrected, rng)
        if turn == _LOOKS - 1 or not seen.after > max(_PARTED * left, _ENOUGH * seen.before):
            break
        others = space.draw(len(space.points), rng)[1]
        known = by_block(space.part, beside(space.part, others, known))
        space = richer_space(space.part, space.own, known, rng, whole=problem, along=along)
    # Data that are needed to determine the fields may be noisy: no space should follow the noise.
    unseen = 0.0 if space.part.problem.observations else max(0.0, 2.0 * seen.after - seen.before)
    if not np.isfinite(left):
        return corrected, float("inf"), space
    corrected = _further(space, corrected)
    return corrected, unseen * (_growth(space) if unseen else 1.0), space


def _growth(space: RicherSpace) -> float:
    """How many times as large as a residual of no known form the error is that it leaves.

    It is taken for noise. In most problems noise in the rows moves the fields less than its own
    size (0.1 to 0.6 of it), so it counts as an error of that size. Where small errors grow it moves
    them further; where they grow much, no space shows how much, and nothing is known.
    """
    count = space.weights.size
    triangle, squares = space.triangle[:count, :-1], []
    rows = np.random.default_rng(0).standard_normal((_PROBES, len(triangle)))
    for noise in rows / np.sqrt(space.system.rows):
        move = solve_damped_triangle(np.column_stack([triangle, noise]))
        squares.append(max(float(np.sum((part @ move) ** 2)) for part in space.fields))
    answer = float(np.sqrt(np.mean(squares)))
    return max(1.0, answer) if answer < _GROWS else float("inf")


def _further(space: RicherSpace, corrected: Network) -> Network:
    """The correction, or the one that rows of even loudness lead to if that moves further.

    What an equation is multiplied by changes no solution, but the least squares of what a space
    cannot resolve: where rows are faint, as near a corner whose solution is not smooth, little is
    corrected although much may be wrong. An answer is right if both ways of weighing agree.
    """
    factors = None if space.part.problem.observations else even_rows(space)
    if factors is None:
        return corrected
    amplitudes = _amplitudes(space)
    moves = space.system.linearize(space.state).unknowns[amplitudes]
    design = np.concatenate([space.design_at(space.state), moves]) * factors
    step = solve_damped(design, -space.state.residual * factors)
    shift = step[: space.weights.size].reshape(space.weights.shape)
    unknowns = space.own.unknowns.copy()
    unknowns[amplitudes] += step[space.weights.size :]
    other = space.network(space.weights + shift, unknowns)
    return max(corrected, other, key=lambda network: _moved(space, network))


def _moved(space: RicherSpace, network: Network) -> float:
    """How far a member of the space is from the solution."""
    total = 0.0
    for item in space.part.problem.fields:
        points = space.home(item)
        here, there = (own.value(own.compile(item), points) for own in (space.own, network))
        total += float(np.mean((there - here) ** 2))
    return total


def _corrected(space: RicherSpace) -> tuple[Network, float]:
    """The solution corrected in the richer space, and its residual.

    Gauss–Newton: one step where the linearization holds, a few more where the true residual falls
    too little; infinite if it does not fall.
    """
    weights, state = space.weights, space.state
    unknowns, amplitudes = space.own.unknowns, _amplitudes(space)
    first = last = float(state.norm)
    triangle = space.triangle if not len(amplitudes) else None
    for turn in range(_STEPS):
        if turn > 0 or triangle is None:
            moves = space.system.linearize(state).unknowns[amplitudes]
            triangle = triangle_at(np.concatenate([space.design_at(state), moves]), state)
        step = solve_damped_triangle(triangle)
        weights = weights + step[: weights.size].reshape(weights.shape)
        unknowns = unknowns.copy()
        unknowns[amplitudes] += step[weights.size :]
        state = space.system.state_with(space.columns, weights, unknowns)
        left = float(state.norm)
        if space.system.is_linear or not left > _FALLEN * last:
            break
        last = left
    if not left <= first and not space.system.is_linear and not left < _ROUND_OFF * space.size:
        left = float("inf")
    return space.network(weights, unknowns), left


def _amplitudes(space: RicherSpace) -> NDArray[np.intp]:
    """The unknowns that are factors of singular functions: a part of the fields."""
    problem = space.part.problem
    return np.flatnonzero([symbol in problem.amplitudes for symbol in problem.unknowns])
