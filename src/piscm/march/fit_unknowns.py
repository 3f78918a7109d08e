r"""Unknowns that all windows share, found from all observations together.

Each window alone would find its own unknowns. Instead the equations are kept as they are, and the
solution is followed as a function of the unknowns: with :math:`\delta\beta_w` the change of the
weights in window w and columns :math:`M_w` of its equations and conditions,

.. math:: M_w\, \delta\beta_w \approx -e_w - J_w\, \delta\lambda + T_w\, \delta\beta_{w-1},

where :math:`T_w` hands on what the window before has at its end. One least-squares factor a window
gives :math:`\delta\beta_w` for every unknown, and the observations of all windows, one small
least-squares problem, give :math:`\delta\lambda` (Gauss–Newton). Data never bend the equation, so
that noise stays out of the state, and the covariance of the unknowns is that of the small problem.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray

from piscm.assemble.row_scaling import equalizing, loudness
from piscm.assemble.system import System
from piscm.assemble.windows import in_window, window_blocks, with_values_of
from piscm.compile.blocks import Block, compile_blocks
from piscm.fit.piece import Piece
from piscm.inference.noise import deviation, trust
from piscm.inference.uncertainty import Uncertainty
from piscm.linalg.basis import Basis
from piscm.linalg.bounded import Bounds
from piscm.linalg.truncated import solve_least_squares
from piscm.network.activations import activation_named
from piscm.network.model import Network
from piscm.problem.problem import Problem

Floats = NDArray[np.float64]

_ROUNDS = 12
# The unknowns have settled when they move by less than this share.
_SETTLED = 1e-12
_TRUNCATION = 1e-13
_TINY = 1e-300
# Below this share a change of the data with an unknown is what the network misses.
_NOTHING = 1e-5


@dataclass(frozen=True)
class Shot:
    """Unknowns, the pieces that belong to them, and error bars."""

    unknowns: Floats
    pieces: list[Piece]
    uncertainty: Uncertainty
    misfit: float  # of the observations, as a share of them


@dataclass(frozen=True)
class _Observed:
    """Observations in one window: what is missed, and how weights and unknowns move it."""

    block: Block
    values: Floats
    residual: Floats
    base: Floats  # the move that the equations ask for anyway
    slopes: Floats  # (unknowns, points)


def fit_unknowns(
    problem: Problem, request: Any, pieces: Sequence[Piece], coordinate: sympy.Symbol, guess: Floats
) -> Shot | None:
    """Gauss–Newton for the unknowns; None where the data do not determine them or it diverges."""
    blocks = compile_blocks(problem)
    physics = [block for block in blocks if block.kind != "observations"]
    data = [block for block in blocks if block.kind == "observations"]
    bounds = Bounds(problem)
    unknowns, weights = np.array(guess, dtype=float), [piece.network.weights for piece in pieces]
    best = np.inf
    for _ in range(_ROUNDS):
        networks = [
            replace(piece.network, weights=own, unknowns=unknowns)
            for piece, own in zip(pieces, weights, strict=True)
        ]
        moves, observed = _followed(
            problem, request, physics, data, pieces, networks, coordinate, unknowns
        )
        steps, squares = _unknown_steps(observed, bounds, unknowns)
        if steps is None or not np.isfinite(steps).all() or squares > 1e3 * best:
            return None
        best = min(best, squares)
        weights = [
            old + base + np.tensordot(steps, slopes, axes=1)
            for old, (base, slopes) in zip(weights, moves, strict=True)
        ]
        unknowns = unknowns + steps
        if np.all(np.abs(steps) <= _SETTLED * np.maximum(np.abs(unknowns), _TINY)):
            break
    final: list[Piece] = []
    for piece, own in zip(pieces, weights, strict=True):
        inside = _with_unknowns(problem, piece, unknowns)
        network = replace(piece.network, problem=inside, weights=own, unknowns=unknowns)
        cut, handed = window_blocks(problem, physics, coordinate, piece.low, piece.high)
        before = final[-1].network if final else None
        tied = with_values_of(cut, handed, piece.points, before)
        final.append(replace(piece, network=network, blocks=tied))
    missed = np.concatenate([item.residual for item in observed])
    size = np.concatenate([block.data for block in data if block.data is not None])
    misfit = float(np.linalg.norm(missed)) / max(float(np.linalg.norm(size)), _TINY)
    errors = _uncertainty(observed, moves, len(unknowns), data)
    return Shot(unknowns, final, errors, misfit)


def _followed(
    problem: Problem,
    request: Any,
    physics: Sequence[Block],
    data: Sequence[Block],
    pieces: Sequence[Piece],
    networks: Sequence[Network],
    coordinate: sympy.Symbol,
    unknowns: Floats,
) -> tuple[list[tuple[Floats, Floats]], list[_Observed]]:
    """For each window how its weights move: towards the equations, and with each unknown."""
    axis = problem.domain.axis(coordinate)
    count = len(unknowns)
    moves: list[tuple[Floats, Floats]] = []
    observed: list[_Observed] = []
    before: Network | None = None
    for piece, network in zip(pieces, networks, strict=True):
        inside = _with_unknowns(problem, piece, unknowns)
        cut, handed = window_blocks(problem, physics, coordinate, piece.low, piece.high)
        points = piece.points[: len(cut)]
        tied = with_values_of(cut, handed, points, before)
        activation = activation_named(network.activation)
        plain = System(inside, tied, points, request.weights, activation, request.start)
        loud = loudness(plain, tied, np.random.default_rng(0))
        emphasis = equalizing(loud, tied, points)
        system = System(inside, tied, points, request.weights, activation, request.start, emphasis)
        rows = system.evaluate(network.nodes)
        state = system.state_with(rows, network.weights, unknowns)
        linearization = system.linearize(state)
        system.write_nonlinear(rows, slice(None), linearization)
        # Right sides: the residual, then each unknown, with what the window before hands on.
        right = -np.concatenate([state.residual[None], linearization.unknowns])
        if before is not None:
            base, slopes = moves[-1]
            for index in handed:
                placed = next(p for p in system.placed if p.block is tied[index])
                gradient = before.gradient(cut[index].compiled, points[index][0])
                size = base.size
                passed = np.concatenate([base[None], slopes]).reshape(count + 1, size)
                handed_on = passed @ gradient[:size]
                handed_on[1:] += gradient[size:]
                right[:, placed.rows] += placed.scale * handed_on
        basis = Basis(system.rows)
        basis.append(rows.design.reshape(-1, system.rows))
        solved = np.stack([basis.solve(target, _TRUNCATION).solution for target in right])
        shaped = solved.reshape(count + 1, *network.weights.shape)
        moves.append((shaped[0], shaped[1:]))
        observed += _observed_in(problem, data, network, piece, axis, solved)
        before = network
    return moves, observed


def _with_unknowns(problem: Problem, piece: Piece, unknowns: Floats) -> Problem:
    inside = problem.within(piece.network.problem.domain)
    inside.unknowns = dict(zip(problem.unknowns, map(float, unknowns), strict=True))
    return inside


def _observed_in(
    problem: Problem,
    data: Sequence[Block],
    network: Network,
    piece: Piece,
    axis: int,
    solved: Floats,
) -> list[_Observed]:
    found = []
    for block in data:
        assert isinstance(block.place, int)
        points = np.asarray(problem.observations[block.place].points)
        inside = in_window(points, problem.domain, axis, piece.low, piece.high)
        if not inside.any():
            continue
        assert block.data is not None
        own = replace(block, data=block.data[inside])
        gradient = network.gradient(block.compiled, points[inside])
        size = solved.shape[1]
        moved = solved @ gradient[:size]
        moved[1:] += gradient[size:]
        residual = network.residual(own, (points[inside],))
        found.append(_Observed(block, block.data[inside], residual, moved[0], moved[1:]))
    return found


def _row_weights(observed: Sequence[_Observed]) -> Floats:
    """What each datum counts, as the square root of its weight."""
    parts = []
    for item in observed:
        same = np.concatenate([o.residual + o.base for o in observed if o.block is item.block])
        sigma = item.block.noise
        if sigma is None:
            sigma = deviation(same, "huber") if item.block.loss == "huber" else 1.0
        weights = item.block.weight * trust(item.residual + item.base, sigma, item.block.loss)
        parts.append(np.sqrt(weights) / (sigma or 1.0))
    return np.concatenate(parts)


def _unknown_steps(
    observed: Sequence[_Observed], bounds: Bounds, unknowns: Floats
) -> tuple[Floats | None, float]:
    if not observed:
        return None, 0.0
    factor = _row_weights(observed)
    missed = factor * np.concatenate([item.residual + item.base for item in observed])
    slopes = factor * np.concatenate([item.slopes for item in observed], axis=1)
    lengths = np.linalg.norm(slopes, axis=1)
    size = np.linalg.norm(factor * np.concatenate([item.values for item in observed]))
    moved = np.where(unknowns == 0, 1.0, np.abs(unknowns))
    if not (lengths * moved > _NOTHING * size).all():
        return None, 0.0  # an unknown that no datum feels
    scaled = slopes / lengths[:, None]
    if np.linalg.svd(scaled, compute_uv=False)[-1] < _NOTHING:
        return None, 0.0  # a combination of them that no datum feels

    def free_steps(fixed: Floats) -> Floats:
        free = np.isnan(fixed)
        target = -missed - fixed[~free] @ slopes[~free]
        steps = fixed.copy()
        steps[free] = solve_least_squares(scaled[free], target, 1e-10).solution / lengths[free]
        return steps

    return bounds.solve(unknowns, free_steps), float(missed @ missed)


def _uncertainty(
    observed: Sequence[_Observed],
    moves: Sequence[tuple[Floats, Floats]],
    count: int,
    data: Sequence[Block],
) -> Uncertainty:
    """Error bars from the small problem; those of the state follow from the unknowns'."""
    factor = _row_weights(observed)
    slopes = factor * np.concatenate([item.slopes for item in observed], axis=1)
    missed = factor * np.concatenate([item.residual for item in observed])
    freedom = len(missed) - count
    known = all(block.noise is not None for block in data)
    spread = 1.0 if known else np.sqrt(missed @ missed / freedom) if freedom > 0 else np.nan
    _, singular, right = np.linalg.svd(slopes.T, full_matrices=False)
    root = spread * (right / singular[:, None])  # (count, count): the covariance is root.T @ root
    weights = np.concatenate([own.reshape(count, -1) for _, own in moves], axis=1)
    noise = {}
    for block in data:
        same = np.concatenate([item.residual for item in observed if item.block is block])
        noise[block.name] = block.noise or float(np.sqrt(np.mean(same**2)))
    return Uncertainty(np.concatenate([root @ weights, root], axis=1), np.zeros((0, count)), noise)
