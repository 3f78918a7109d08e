r"""Least squares by truncated SVD: the solver behind every step.

The solvers return the minimum-norm minimizer of :math:`\|M\theta - v\|_2` over the singular
directions above ``truncation`` times the largest singular value. Columns are given as rows (the
transpose of M), as stored by `piscm.assemble.system`.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from piscm.budget.clock import check_work, singular_value_work
from piscm.linalg.deflated import solve_without_smallest
from piscm.linalg.rank import MARGIN, least_share

Floats = NDArray[np.float64]


# Eigenvalues of a Gram matrix of normalized columns below this fraction are round-off.
_GRAM_NOISE = 1e-14
# From so many unknowns on, the dropped singular values are looked for alone: a third of gelsd's
# time with 800 sigmoid nodes, of which 55 directions are dropped; nothing is gained with 500.
MANY = 500


class LeastSquares(NamedTuple):
    """A minimizer, and the number of singular values kept (NaN if not computed)."""

    solution: Floats
    rank: float


def solve_least_squares(columns: Floats, target: Floats, truncation: float) -> LeastSquares:
    """Solve one problem.

    Parameters
    ----------
    columns : ndarray, shape (unknowns, rows)
    target : ndarray, shape (rows,)
    truncation : float
        The relative truncation threshold of singular values, the paper's eta.
    """
    for driver in ("gelsd", "gelss"):  # the plain iteration converges where the fast one fails
        count, rows = columns.shape
        check_work(singular_value_work(rows, count, vectors=False), slow=True)
        try:
            solution, _, rank, _ = scipy.linalg.lstsq(
                columns.T, target, cond=truncation, lapack_driver=driver, check_finite=False
            )
        except np.linalg.LinAlgError:
            continue
        if np.isfinite(solution).all():
            return LeastSquares(solution, int(rank))
    # Columns too large or too many for the arithmetic: the line search will take no step.
    return LeastSquares(np.zeros(len(columns)), 0)


def solve_by_triangle(
    columns: Floats, target: Floats, truncation: float, dropped: int = 0
) -> LeastSquares:
    """The same by a QR, several times as fast; singular values only if some may be dropped.

    Takes what `solve_least_squares` takes, and about how many singular values will be dropped: if
    these are few, only they are looked for.
    """
    count = len(columns)
    check_work(2.0 * columns.size * count)
    both = np.concatenate([columns, target[None]]).T
    lapack = scipy.linalg.lapack
    size = int(lapack.dgeqrf_lwork(*both.shape)[0])
    reduced = lapack.dgeqrf(both, lwork=size, overwrite_a=1)[0]
    # Below the diagonal is something else, which triangular solves do not look at.
    triangle, inner = np.asfortranarray(reduced[:count, :count]), reduced[:count, count]
    if len(triangle) < count or not np.isfinite(triangle).all():
        return solve_least_squares(columns, target, truncation)
    if least_share(triangle) > MARGIN * truncation:
        return LeastSquares(np.asarray(scipy.linalg.blas.dtrsv(triangle, inner)), count)
    triangle = np.asfortranarray(np.triu(triangle))
    if count >= MANY:
        found = solve_without_smallest(triangle, inner, truncation, dropped)
        if found is not None:
            return LeastSquares(*found)
    return solve_least_squares(triangle.T, inner, truncation)


def solve_triangle(triangle: Floats, truncation: float) -> LeastSquares:
    """Solve a problem with columns of any length from the R of a QR of columns and target.

    The triangle is used directly while it is well conditioned; otherwise singular values are
    dropped.

    Parameters
    ----------
    triangle : ndarray, shape (at most unknowns + 1, unknowns + 1)
        Its last column is that of the target.
    truncation : float
        Relative to columns of unit length.
    """
    matrix, target = triangle[:, :-1], triangle[:, -1]
    count = matrix.shape[1]
    lengths = np.linalg.norm(matrix, axis=0)
    lengths[lengths == 0] = 1.0
    scaled = matrix / lengths
    if len(scaled) >= count and scipy.linalg.lapack.dtrcon(scaled[:count])[0] > truncation:
        solution = scipy.linalg.solve_triangular(scaled[:count], target[:count], check_finite=False)
        if np.isfinite(solution).all():
            return LeastSquares(solution / lengths, count)
    solution, rank = solve_least_squares(scaled.T, target, truncation)
    return LeastSquares(solution / lengths, rank)


def solve_each(columns: Floats, shared: Floats, target: Floats, truncation: float) -> Floats:
    """Solve many small problems with one target, shape (problems, own + shared unknowns).

    Parameters
    ----------
    columns : ndarray, shape (problems, unknowns, rows)
    shared : ndarray, shape (unknowns, rows)
        Columns that every problem has in addition to its own.
    target : ndarray, shape (rows,)
    truncation : float

    The normal equations of normalized columns suffice here: a candidate has one column per field,
    and its step is judged by the true residual afterwards.
    """
    threshold = max(truncation**2, _GRAM_NOISE)
    inverse, right, lengths = _small_systems(columns, shared, target, threshold)
    return np.asarray(np.einsum("kij,kj->ki", inverse, right) / lengths)


def gain_of_each(columns: Any, shared: Any, target: Any) -> Floats:
    """The decrease of the squared norm of the target due to each of many small problems.

    Takes the arguments of `solve_each`, also in single precision.
    """
    inverse, right, _ = _small_systems(columns, shared, target, float(np.finfo(np.float32).eps))
    return np.asarray(np.einsum("ki,kij,kj->k", right, inverse, right))


def _small_systems(
    columns: Any, shared: Any, target: Any, threshold: float
) -> tuple[Floats, Floats, Floats]:
    """Inverse Gram matrices of normalized columns, their products with the target, the lengths."""
    if len(shared):
        others = np.broadcast_to(shared, (len(columns), *shared.shape))
        columns = np.concatenate([columns, others], axis=1)
    gram = (columns @ np.swapaxes(columns, 1, 2)).astype(float)
    right = (columns @ target).astype(float)
    # A node that overflows takes no step; off-diagonal entries are bounded by a finite diagonal.
    squares = np.einsum("kii->ki", gram)
    overflowed = ~(np.isfinite(squares) & np.isfinite(right)).all(axis=1)
    gram[overflowed], right[overflowed] = 0.0, 0.0
    lengths = np.sqrt(np.einsum("kii->ki", gram))
    lengths[lengths == 0] = 1.0
    gram /= lengths[:, :, None] * lengths[:, None, :]
    if gram.shape[1] == 1:
        inverse = np.where(gram > 0, 1.0, 0.0)
    else:
        inverse = np.linalg.pinv(gram, rcond=threshold, hermitian=True)
    return inverse, right / lengths, lengths


def balance(columns: Floats, others: Floats) -> Floats:
    """The factors that scale columns to the norm of the largest of some others.

    Unknowns of any physical size are then on a par with the nodes, and none is truncated because of
    its units. Shapes (unknowns, rows) and (..., rows).
    """
    if not len(columns):  # the others need not be looked at
        return np.ones(0)
    norms = np.sqrt(np.einsum("kn,kn->k", columns, columns))
    flat = others.reshape(-1, others.shape[-1])
    largest = np.sqrt(np.einsum("kn,kn->k", flat, flat).max(initial=0.0)) or 1.0
    with np.errstate(divide="ignore"):
        return np.where(norms > 0, largest / norms, 1.0)
