r"""Unknowns that all windows share, determined from all observations together.

Each window alone would find its own unknowns. Instead the equations are kept as they are, and the
solution is treated as a function of the unknowns: with :math:`\delta\beta_w` the change of the
output weights in window w and :math:`M_w` the columns of its equations and conditions,

.. math:: M_w\, \delta\beta_w \approx -e_w - J_w\, \delta\lambda + T_w\, \delta\beta_{w-1},

where :math:`T_w` passes on the values at the end of the previous window. One least-squares
factorization per window gives :math:`\delta\beta_w` for every unknown, and the observations of all
windows, one small least-squares problem, give :math:`\delta\lambda` (Gauss–Newton). The equation is
never compromised for the data, so noise stays out of the state, and the covariance of the unknowns
is that of the small problem.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import sympy
from numpy.typing import NDArray

from piscm.assemble.assembly import Assembly
from piscm.assemble.row_scaling import row_scaling
from piscm.assemble.sampling import Sampling
from piscm.assemble.sites import draw_points
from piscm.assemble.unknowns import bounds_of
from piscm.assemble.windows import Part, cut_at
from piscm.compile.blocks import Block
from piscm.fit.piece import Piece
from piscm.inference.noise import deviation, trust
from piscm.inference.uncertainty import Uncertainty
from piscm.linalg.basis import Basis
from piscm.linalg.bounded import Bounds
from piscm.linalg.truncated import solve_least_squares
from piscm.network.network import Network
from piscm.result.method import Request

Floats = NDArray[np.float64]

_ROUNDS = 12
# The unknowns have settled when their relative change is below this.
_SETTLED = 1e-12
_TRUNCATION = 1e-13
_TINY = 1e-300
# A relative sensitivity of the data to an unknown below this is approximation error.
_NOTHING = 1e-5


@dataclass(frozen=True)
class FittedUnknowns:
    """Unknowns, the corresponding pieces, and error bars."""

    unknowns: Floats
    pieces: list[Piece]
    uncertainty: Uncertainty
    misfit: float  # of the observations, relative to their size


@dataclass(frozen=True)
class Observed:
    """Observations in one window: their residual, and its response to weights and unknowns."""

    block: Block
    values: Floats
    residual: Floats
    base: Floats  # the change required by the equations alone
    slopes: Floats  # (unknowns, points)
    spread: Floats  # the standard deviation of each, relative to that of all


@dataclass(frozen=True)
class Move:
    """The change of a window's weights: the one required by its equations, and one per unknown."""

    base: Floats  # (nodes, fields)
    slopes: Floats  # (unknowns, nodes, fields)

    @property
    def together(self) -> Floats:
        """Both as rows, shape (1 + unknowns, weights)."""
        count = 1 + len(self.slopes)
        return np.concatenate([self.base[None], self.slopes]).reshape(count, self.base.size)


def fit_unknowns(
    request: Request, pieces: Sequence[Piece], coordinate: sympy.Symbol | None, guess: Floats
) -> FittedUnknowns | None:
    """Gauss–Newton for the unknowns; None if the data do not determine them or it diverges.

    Without a coordinate there is one piece, for the whole domain.
    """
    whole = Part.whole(request.problem)
    data = [block for block in whole.blocks if block.observed]
    physics = whole.without_observations()
    bounds = bounds_of(request.problem)
    unknowns, weights = np.array(guess, dtype=float), [piece.network.weights for piece in pieces]
    best = np.inf
    for _ in range(_ROUNDS):
        chain = _Chain(request, physics, data, coordinate, unknowns)
        for piece, own in zip(pieces, weights, strict=True):
            chain.follow(piece, own)
        steps, squares = unknown_steps(chain.observed, bounds, unknowns)
        if steps is None or not np.isfinite(steps).all() or squares > 1e3 * best:
            return None
        best = min(best, squares)
        weights = [
            old + move.base + np.tensordot(steps, move.slopes, axes=1)
            for old, move in zip(weights, chain.moves, strict=True)
        ]
        unknowns = unknowns + steps
        if np.all(np.abs(steps) <= _SETTLED * np.maximum(np.abs(unknowns), _TINY)):
            break
    missed = np.concatenate([item.residual for item in chain.observed])
    size = np.concatenate([block.data for block in data if block.data is not None])
    misfit = float(np.linalg.norm(missed)) / max(float(np.linalg.norm(size)), _TINY)
    errors = spread_of(chain.observed, chain.moves, len(unknowns), data)
    final = _Chain(request, physics, data, coordinate, unknowns)
    moved = [final.moved(piece, own) for piece, own in zip(pieces, weights, strict=True)]
    return FittedUnknowns(unknowns, moved, errors, misfit)


class _Chain:
    """Consecutive windows for given unknowns; each passes its changes on to the next."""

    def __init__(
        self,
        request: Request,
        physics: Part,
        data: Sequence[Block],
        coordinate: sympy.Symbol | None,
        unknowns: Floats,
    ) -> None:
        self._request, self._data, self._coordinate = request, data, coordinate
        guessed = physics.problem.guessing([float(value) for value in unknowns])
        self._physics, self._unknowns = Part(guessed, physics.blocks), unknowns
        self._before: Network | None = None
        self.moves: list[Move] = []
        self.observed: list[Observed] = []

    def _window(self, piece: Piece, weights: Floats) -> tuple[Part, Network]:
        """What must hold in a window given the previous one, and its network."""
        part = self._physics
        if self._coordinate is not None:
            part = part.window(self._coordinate, piece.low, piece.high, self._before)
        network = replace(
            piece.network, problem=part.problem, weights=weights, unknowns=self._unknowns
        )
        return part, network

    def moved(self, piece: Piece, weights: Floats) -> Piece:
        """A piece with its final weights and unknowns; it becomes the last of the chain."""
        part, network = self._window(piece, weights)
        self._before = network
        assembly = replace(piece.assembly, part=part)
        return replace(piece, assembly=assembly, fit=replace(piece.fit, network=network))

    def follow(self, piece: Piece, weights: Floats) -> None:
        """Add the changes of the next window's weights, and those of its observations."""
        request, unknowns = self._request, self._unknowns
        part, network = self._window(piece, weights)
        points, start = piece.assembly.points, request.start
        pool = np.random.default_rng(0)
        scaling = row_scaling(part.problem, part.blocks, points, start, pool)
        assembly = Assembly(part, points, request.weights, start, scaling)
        system = assembly.system(network.activation)
        columns = system.evaluate(network.nodes)
        state = system.state_with(columns, weights, unknowns)
        linearization = system.linearize(state)
        # Right-hand sides: the residual, then each unknown, plus what the previous window passes
        # on.
        right = -np.concatenate([state.residual[None], linearization.unknowns])
        for placed in system.placed:
            if placed.block.inherited is not None:
                handed_on = self._handed_on(placed.block, placed.legs[0].seen)
                right[:, placed.rows] += placed.root_weight * handed_on
        basis = Basis(system.rows)
        basis.append(columns.at(linearization).reshape(-1, system.rows))
        solved = np.stack([basis.solve(target, _TRUNCATION).solution for target in right])
        shaped = solved.reshape(len(unknowns) + 1, *weights.shape)
        self.moves.append(Move(shaped[0], shaped[1:]))
        self.observed += self._observed_in(piece, network, solved)
        self._before = network

    def _handed_on(self, block: Block, points: Floats) -> Floats:
        """The changes at the end of the previous window, shape (1 + unknowns, points)."""
        assert self._before is not None
        return _followed(self.moves[-1].together, self._before.gradient(block.compiled, points))

    def _observed_in(self, piece: Piece, network: Network, solved: Floats) -> list[Observed]:
        found = []
        for block in self._data:
            for own in self._within(block, piece):
                assert own.data is not None
                domain, rng = self._physics.problem.domain, np.random.default_rng(0)
                legs = draw_points(domain, [own], Sampling(), rng)[0]  # nothing is actually drawn
                moved = _followed(solved, network.gradient(block.compiled, legs[0].points))
                residual = network.residual(own, legs)
                spread = own.spread * np.ones(len(own.data))
                found.append(Observed(block, own.data, residual, moved[0], moved[1:], spread))
        return found

    def _within(self, block: Block, piece: Piece) -> list[Block]:
        """Those of some observations that lie in a window."""
        if self._coordinate is None:
            return [block]
        cut = cut_at(self._physics.problem, self._coordinate, piece.low, piece.high)
        made = []
        for kept in block.place.within(cut):
            assert kept.rows is not None
            made.append(replace(block, place=kept.place).kept(kept.rows))
        return made


def _followed(moves: Floats, gradient: Floats) -> Floats:
    """The change of an expression with the weights, and directly with the unknowns."""
    size = moves.shape[1]
    followed = moves @ gradient[:size]
    followed[1:] += gradient[size:]
    return np.asarray(followed)


def _row_weights(observed: Sequence[Observed]) -> Floats:
    """The square root of the weight of each datum."""
    parts = []
    for item in observed:
        same = np.concatenate([o.residual + o.base for o in observed if o.block is item.block])
        sigma = item.block.noise
        if sigma is None:  # next to data of known noise it matters how noisy these are
            estimated = item.block.loss == "huber" or any(o.block.noise for o in observed)
            sigma = deviation(same, item.block.loss) if estimated else 1.0
        missed = (item.residual + item.base) / item.spread
        weights = item.block.weight * trust(missed, sigma, item.block.loss)
        parts.append(np.sqrt(weights) / ((sigma or 1.0) * item.spread))
    return np.concatenate(parts)


def unknown_steps(
    observed: Sequence[Observed], bounds: Bounds, unknowns: Floats
) -> tuple[Floats | None, float]:
    """The step that meets the data best, and their squares; none if they do not determine it."""
    if not observed:
        return None, 0.0
    factor = _row_weights(observed)
    missed = factor * np.concatenate([item.residual + item.base for item in observed])
    slopes = factor * np.concatenate([item.slopes for item in observed], axis=1)
    lengths = np.linalg.norm(slopes, axis=1)
    size = np.linalg.norm(factor * np.concatenate([item.values for item in observed]))
    moved = np.where(unknowns == 0, 1.0, np.abs(unknowns))
    if not (lengths * moved > _NOTHING * size).all():
        return None, 0.0  # no datum depends on some unknown
    scaled = slopes / lengths[:, None]
    if np.linalg.svd(scaled, compute_uv=False)[-1] < _NOTHING:
        return None, 0.0  # no datum depends on some combination of unknowns

    def solve(free: NDArray[np.bool_], target: Floats) -> tuple[Floats, None]:
        return solve_least_squares(scaled[free], target, 1e-10).solution / lengths[free], None

    steps, _ = bounds.least_squares(unknowns, slopes, -missed, solve)
    return steps, float(missed @ missed)


def spread_of(
    observed: Sequence[Observed],
    moves: Sequence[Move],
    count: int,
    data: Sequence[Block],
) -> Uncertainty:
    """Error bars from the small problem; those of the state follow from those of the unknowns."""
    factor = _row_weights(observed)
    slopes = factor * np.concatenate([item.slopes for item in observed], axis=1)
    missed = factor * np.concatenate([item.residual for item in observed])
    freedom = len(missed) - count
    known = all(block.noise is not None for block in data)
    spread = 1.0 if known else np.sqrt(missed @ missed / freedom) if freedom > 0 else np.nan
    _, singular, right = np.linalg.svd(slopes.T, full_matrices=False)
    root = spread * (right / singular[:, None])  # (count, count): the covariance is root.T @ root
    weights = np.concatenate([move.slopes.reshape(count, -1) for move in moves], axis=1)
    noise = {}
    for block in data:
        same = np.concatenate([item.residual for item in observed if item.block is block])
        noise[block.name] = block.noise or float(np.sqrt(np.mean(same**2)))
    return Uncertainty(np.concatenate([root @ weights, root], axis=1), np.zeros((0, count)), noise)
