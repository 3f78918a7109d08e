r"""What the rows of a problem leave free: a move of the fields that hardly any row notices.

With M the rows of the problem for small moves of the weights and F the fields themselves, both
measured in units of the fields, the move that is noticed least is

.. math:: \min_\delta \frac{\|M\delta\|^2 + \epsilon^2\|\delta\|^2}{\|F\delta\|^2}.

It is about 0.01 to 1 where a problem determines its answer and falls towards zero, the more nodes
there are the further, where a condition is missing. The term with epsilon keeps out moves that are
nothing but cancellation of large weights.
"""

from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from piscm.budget.clock import check_work
from piscm.inference.counting import surely_missing
from piscm.inference.covering import bare_boundary
from piscm.inference.fresh_points import FittedPoints
from piscm.inference.initial_values import is_initial_value_problem
from piscm.inference.richer import RicherSpace, richer_space
from piscm.linalg.damped import with_diagonal
from piscm.linalg.upper import upper_factor

Floats = NDArray[np.float64]

# A move that is noticed less than this is looked at again, in a space with twice as many nodes; it
# is free if it is noticed less than half as much there. (Where a solution merely grows by
# e**10, a move is hardly noticed in any space, and no less in a richer one.)
_SUSPICIOUS, _STILL = 1e-3, 0.5
_AT_LEAST_AGAIN = 200  # new ones
# Fewer nodes than this in all may not be able to move where they are free to.
_ABLE = 300
_NOTHING = 2e-9  # noticed less than this, it is free without comparison
_INVOLVED = 0.1  # share of a field in the move that counts
_EPSILON = 1e-8  # relative to columns of unit length
_VECTORS, _ROUNDS = 4, 6  # of the subspace iteration
_UNIT_ROUND_OFF = float(np.finfo(float).eps) / 2
_COLUMNS = 1200  # enough of them for systems of several fields


class Freest(NamedTuple):
    """The move that the rows notice least."""

    noticed: float
    """The norm of the rows over that of the fields."""
    by_field: Floats
    """The share of each field in the move; the largest is 1."""


class Freedom(NamedTuple):
    """What a problem leaves free."""

    fields: tuple[int, ...]
    """By their index."""
    round_off: float = 0.0
    """The relative error of the fields that the rounding of the rows alone can cause."""


def freedom(space: RicherSpace, fitted: FittedPoints) -> Freedom:
    """The fields that the problem leaves free, and what rounding does to those it hardly fixes."""
    if surely_missing(space.part, space.own, space.points):
        return Freedom((0,))
    if is_initial_value_problem(space.part, space.own, space.points):
        return Freedom(())
    if bare_boundary(space.part, space.own) is not None:
        return Freedom((0,))
    if len(space.nodes) < _ABLE and space.part.problem.domain.dimension > 1:
        space = _again(space, fitted, _ABLE - len(space.own.nodes))
    first = _freest_in(space)
    if first.noticed >= _SUSPICIOUS:
        return Freedom((), _UNIT_ROUND_OFF / first.noticed)
    more = max(_AT_LEAST_AGAIN, 2 * len(space.nodes) - len(space.own.nodes))
    second = _freest_in(_again(space, fitted, more))
    if second.noticed >= _NOTHING and not second.noticed < _STILL * first.noticed:
        return Freedom((), _UNIT_ROUND_OFF / second.noticed)
    return Freedom(tuple(int(i) for i in np.flatnonzero(second.by_field > _INVOLVED)))


def _again(space: RicherSpace, fitted: FittedPoints, more: int) -> RicherSpace:
    """The same solution with other new nodes and as many as said, its rows measured alike."""
    rng = np.random.default_rng(0)
    return richer_space(space.part, space.own, fitted, rng, 0.0, more, space.scaling)


def _freest_in(space: RicherSpace) -> Freest:
    """The freest move in a space, relative to the size of each field."""
    fields = space.fields
    count = len(fields)
    if count == 1:
        return freest_move(space.triangle[:, :-1], fields)
    # Of many nodes some: the moves that matter are smooth, and rows are weighed anew here.
    every = -(-space.weights.size // _COLUMNS)
    kept = np.arange(space.weights.size).reshape(space.weights.shape)[::every].ravel()
    design = space.design_at(space.state)[kept]
    sizes = [
        np.sqrt(np.mean(space.own.value(space.own.compile(item), space.home(item)) ** 2))
        for item in space.part.problem.fields
    ]
    largest = max(sizes) or 1.0
    scale = np.array([size if size > _EPSILON * largest else 1.0 for size in sizes])
    each = np.tile(scale, len(design) // count)
    design *= each[:, None]
    fields = [part[:, kept] * (each / own) for part, own in zip(fields, scale, strict=True)]
    some = []
    for placed in space.system.placed:
        block = design[:, placed.rows]
        if every > 1:  # at random: every second Sobol point lies in one half of a square
            some_rows = np.random.default_rng(0).permutation(block.shape[1])
            block = block[:, some_rows[: -(-block.shape[1] // every)]]
        own = np.linalg.norm(block, axis=1)
        some.append(block / np.median(own[own > 0]) if (own > 0).any() else block)
    design = np.concatenate(some, axis=1)
    check_work(2.0 * design.size * len(design))
    return freest_move(upper_factor(design.T), fields)


def freest_move(rows: Floats, fields: list[Floats]) -> Freest:
    """The move of the weights that changes the fields most for what it does to the rows.

    Parameters
    ----------
    rows : ndarray, shape (any, weights)
        The rows of the problem, or the R of their QR.
    fields : list of ndarray, shape (points, weights) each
        The fields at some points, divided by the root of their number.
    """
    stacked = np.concatenate(fields)
    lengths = np.sqrt(np.sum(rows**2, axis=0) + np.sum(stacked**2, axis=0))
    lengths[lengths == 0] = 1.0
    rows, stacked = rows / lengths, stacked / lengths
    count = rows.shape[1]
    triangle = _bounded(rows)
    moves = np.random.default_rng(0).standard_normal((count, min(_VECTORS, count)))
    for _ in range(_ROUNDS):
        pushed = stacked.T @ (stacked @ moves)
        half = scipy.linalg.solve_triangular(triangle, pushed, trans="T", check_finite=False)
        moves = scipy.linalg.solve_triangular(triangle, half, check_finite=False)
        moves = np.linalg.qr(moves)[0]
    moved, noticed = stacked @ moves, rows @ moves
    # Within the few directions found, the one that is noticed least.
    _, mixes = scipy.linalg.eigh(moved.T @ moved, noticed.T @ noticed + _floor(noticed))
    best = moves @ mixes[:, -1]
    each = np.array([np.linalg.norm(part @ (best / lengths)) for part in fields])
    size = float(np.linalg.norm(each))
    ratio = float(np.linalg.norm(rows @ best)) / size if size > 0 else np.inf
    return Freest(ratio, each / each.max() if size > 0 else each)


def _bounded(rows: Floats) -> Floats:
    """R of a QR of the rows and the term with epsilon, cheaper where the rows are one already."""
    count = rows.shape[1]
    if len(rows) >= count and not np.tril(rows, -1).any():
        return with_diagonal(rows[:count], np.full(count, _EPSILON))
    check_work(4.0 * count**3)
    both = np.concatenate([rows, _EPSILON * np.eye(count)])
    return upper_factor(both)


def _floor(noticed: Floats) -> Floats:
    """What keeps a Gram matrix positive."""
    return _EPSILON**2 * np.eye(noticed.shape[1])
