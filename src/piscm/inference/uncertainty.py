r"""Error bars: how noise in the rows affects the weights and the unknowns.

At the solution the weighted system is :math:`M\beta + J\lambda \approx v`. Noise of standard
deviation :math:`\sigma_i` in row i (the noise of the observations; for equations and conditions the
remaining residual) moves the minimizer linearly. The freedom of the weights is projected out first
(the Schur complement): with Q a basis of the columns of M,

.. math::

    J_\perp = J - QQ^T J, \qquad
    \delta\lambda = J_\perp^+ \delta, \qquad
    \delta\beta = M^+ (\delta - J\,\delta\lambda).

A direction of the unknowns in which :math:`J_\perp` vanishes is not determined: the weights can
compensate any move along it.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from piscm.assemble.columns import Columns
from piscm.assemble.state import State
from piscm.assemble.system import System
from piscm.budget.clock import check_work, singular_value_work
from piscm.inference.noise import deviation

Floats = NDArray[np.float64]

# A column of the unknowns with less than this fraction of its length outside the span of the nodes'
# columns lies in it, as far as a few dozen nodes can tell: misfit, not information. A hundred data
# leave 1e-3 and more.
NOTHING_LEFT = 3e-5
# A direction with a larger relative standard error is not determined by the data.
_RELATIVE_LIMIT = 1.0
# With fewer residual degrees of freedom than this fraction of the rows, noise cannot be estimated.
_LEAST_FREEDOM = 0.02


@dataclass(frozen=True)
class Uncertainty:
    """The uncertainty of weights and unknowns.

    Attributes
    ----------
    factor : ndarray, shape (k, weights + unknowns)
        The covariance is ``factor.T @ factor``; weights are ordered as (node, field).
    undetermined : ndarray, shape (directions, unknowns)
        Unit vectors of relative changes of the unknowns that the data cannot detect.
    noise : dict of block name to float
        The standard deviation of the observations, as given or estimated.
    """

    factor: Floats
    undetermined: Floats
    noise: Mapping[str, float]


def uncertainty(
    system: System, columns: Columns, state: State, sizes: Floats, truncation: float
) -> Uncertainty:
    """Error bars at a state.

    Parameters
    ----------
    columns : those of all nodes
    sizes : ndarray, shape (unknowns,)
        The size of a change of order one in each unknown.
    """
    q, singular, vt = _node_space(system, columns, state, truncation)
    unknowns = system.linearize(state).unknowns.T  # (rows, unknowns)
    left, lengths, right, null = _unknown_space(unknowns * sizes, q)

    deviations, noise = _deviations(system, state, _squared_rows(q) + _squared_rows(left))
    check_work(6.0 * q.size * len(vt))
    by_unknowns = sizes[:, None] * (right.T / lengths) @ left.T * deviations
    passed_on = q.T * deviations - (q.T @ unknowns) @ by_unknowns
    by_weights = (vt.T / singular) @ passed_on
    moves = np.concatenate([by_weights, by_unknowns])
    factor = scipy.linalg.qr(moves.T, mode="r", check_finite=False)[0][: len(moves)]
    relative = factor[:, len(by_weights) :] / sizes
    return Uncertainty(factor, np.concatenate([null, vague(relative)]), noise)


def leverage(system: System, columns: Columns, state: State, truncation: float) -> Floats:
    """The leverage of each row: the diagonal of the hat matrix, from 0 to 1."""
    q, _, _ = _node_space(system, columns, state, truncation)
    unknowns = system.linearize(state).unknowns.T
    lengths = np.linalg.norm(unknowns, axis=0)
    left, *_ = _unknown_space(unknowns / np.where(lengths > 0, lengths, 1.0), q)
    return _squared_rows(q) + _squared_rows(left)


def _node_space(
    system: System, columns: Columns, state: State, truncation: float
) -> tuple[Floats, Floats, Floats]:
    """Truncated SVD of the columns of all nodes: (rows, k), (k,), (k, weights)."""
    every = slice(0, len(state.weights))
    design = columns.at(system.linearize(state), every).reshape(-1, system.rows)
    check_work(singular_value_work(*design.shape), slow=True)
    q, singular, vt = scipy.linalg.svd(design.T, full_matrices=False, check_finite=False)
    keep = singular > truncation * singular[0]
    return q[:, keep], singular[keep], vt[keep]


def _squared_rows(matrix: Floats) -> Floats:
    return np.asarray(np.einsum("nk,nk->n", matrix, matrix))


def _unknown_space(scaled: Floats, q: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """SVD of what the unknowns add beyond the nodes, and directions in which they add nothing."""
    count = scaled.shape[1]
    if count == 0:
        return np.zeros((len(scaled), 0)), np.zeros(0), np.zeros((0, 0)), np.zeros((0, 0))
    rows = len(scaled)
    if rows < count:  # the SVD below gives no more directions than rows
        empty = count - rows
        scaled = np.concatenate([scaled, np.zeros((empty, count))])
        q = np.concatenate([q, np.zeros((empty, q.shape[1]))])
    beyond = scaled - q @ (q.T @ scaled)
    beyond -= q @ (q.T @ beyond)  # again: the first pass leaves round-off of the large part
    left, lengths, right = np.linalg.svd(beyond, full_matrices=False)
    full = np.linalg.norm(scaled @ right.T, axis=0)
    # A direction in which the columns cancel has no length of its own for comparison.
    largest = np.linalg.norm(scaled, axis=0).max()
    keep = (lengths > NOTHING_LEFT * full) & (lengths > NOTHING_LEFT * largest)
    return left[:rows, keep], lengths[keep], right[keep], right[~keep]


def vague(relative: Floats) -> Floats:
    """Directions in which the relative standard error is large."""
    count = relative.shape[1]
    if count == 0 or not np.isfinite(relative).all():  # nothing follows from unknown noise
        return np.zeros((0, count))
    _, errors, directions = np.linalg.svd(relative, full_matrices=False)
    return np.asarray(directions[errors > _RELATIVE_LIMIT])


def _deviations(system: System, state: State, leverage: Floats) -> tuple[Floats, dict[str, float]]:
    """The standard deviation of every weighted row, and the noise of the observations."""
    deviations = np.empty(system.rows)
    noise: dict[str, float] = {}
    for placed in system.placed:
        block = placed.block
        residual = state.residual[placed.rows] / placed.root_weight
        freedom = len(residual) - float(leverage[placed.rows].sum())
        if block.noise is not None:
            sigma = block.noise
        elif freedom > _LEAST_FREEDOM * len(residual):
            sigma = deviation(residual, block.loss) * float(np.sqrt(len(residual) / freedom))
        elif block.kind == "observations":
            sigma = float("nan")  # the network interpolates the data: noise cannot be estimated
        else:
            sigma = deviation(residual, "square")
        deviations[placed.rows] = placed.root_weight * sigma * block.spread
        if block.kind == "observations":
            noise[block.name] = sigma
    return deviations, noise
