r"""Least squares with a triangle whose smallest singular values are dropped, and they are few.

With R = U Σ Vᵀ, truncation drops the directions U₀, V₀ of the singular values below a threshold.
The singular value decomposition of all of R gives them, and everything else, which is not needed:
inverse iteration with a block of vectors finds just these, and some above the threshold,

.. math:: U \leftarrow \mathrm{orth}(R^{-T} V), \quad V \leftarrow \mathrm{orth}(R^{-1} U),

and the small matrix UᵀRV says where the threshold lies among them. Both sides are needed: RV alone
is round-off for the smallest of them. R is then solved with the dropped singular values raised to
the threshold, R + τ U₀V₀ᵀ, which is as well conditioned as what is left, for a target without its
part along U₀; the solution has no part along V₀.
"""

import numpy as np
import scipy
from numpy.typing import NDArray

from piscm.budget.clock import check_work

Floats = NDArray[np.float64]

# Vectors in the block beyond those that were dropped last time.
_SPARE = 30
# Iterations from random vectors. What is not in the block fades by the square of the ratio of the
# threshold and its largest singular value in each; with a ratio of at least `_APART` two leave less
# than LAPACK's own drivers differ by (1e-7 in the solution, 1e-10 in the residual).
_ITERATIONS = 2
_APART = 16.0
# A larger share of all directions costs as much as the decomposition.
_MOST = 0.3
# For the largest singular value: vectors, iterations, and how near two of these must be.
# Round-off moves singular values at the threshold by more than that.
_LARGEST_BLOCK, _LARGEST_ITERATIONS, _LARGEST_NEAR = 8, 60, 1e-9


def solve_without_smallest(
    triangle: Floats, target: Floats, truncation: float, dropped: int
) -> tuple[Floats, int] | None:
    """The truncated solution and the number of singular values kept; None if this is not the way.

    Parameters
    ----------
    triangle : ndarray, shape (unknowns, unknowns), upper, in Fortran order
    target : ndarray, shape (unknowns,)
    truncation : float
        Singular values below this fraction of the largest are dropped.
    dropped : int
        About how many are, for a beginning.
    """
    count = len(triangle)
    threshold = truncation * _largest(triangle)
    size = dropped + _SPARE
    while size <= _MOST * count:
        check_work(10.0 * size * count**2)
        found = _smallest(triangle, size)
        if found is None:
            return None
        left, singular, right = found
        some = singular <= threshold
        if singular[0] >= _APART * threshold:
            return _solved(triangle, target, threshold, left[:, some], right[:, some])
        size += size // 2
    return None


def _largest(triangle: Floats) -> float:
    """The largest singular value."""
    block = _random(len(triangle), min(_LARGEST_BLOCK, len(triangle)))
    last = 0.0
    for _ in range(_LARGEST_ITERATIONS):
        image = scipy.linalg.blas.dtrmm(1.0, triangle, block)
        now = float(scipy.linalg.svdvals(image, check_finite=False)[0])
        if abs(now - last) <= _LARGEST_NEAR * now:
            break
        last = now
        block = _orthonormal(scipy.linalg.blas.dtrmm(1.0, triangle, image, trans_a=1))
    return now


def _smallest(triangle: Floats, size: int) -> tuple[Floats, Floats, Floats] | None:
    """So many of the smallest singular values, in decreasing order, between their vectors."""
    blas = scipy.linalg.blas
    right = _random(len(triangle), size)
    for iteration in range(_ITERATIONS + 1):
        left = blas.dtrsm(1.0, triangle, right, trans_a=1)
        if not np.isfinite(left).all():
            return None
        left = _orthonormal(left)
        if iteration < _ITERATIONS:
            right = blas.dtrsm(1.0, triangle, left)
            if not np.isfinite(right).all():
                return None
            right = _orthonormal(right)
    inner = left.T @ blas.dtrmm(1.0, triangle, right)
    one, singular, other = scipy.linalg.svd(inner, check_finite=False)
    return left @ one, singular, right @ other.T


def _solved(
    triangle: Floats, target: Floats, threshold: float, left: Floats, right: Floats
) -> tuple[Floats, int] | None:
    count = len(triangle)
    check_work(count**3)
    raised = triangle + (threshold * left) @ right.T
    rest = target - left @ (left.T @ target)
    solution, info = scipy.linalg.lapack.dgesv(raised, rest, overwrite_a=1)[2:]
    if info or not np.isfinite(solution).all():
        return None
    return solution - right @ (right.T @ solution), count - left.shape[1]


def _random(count: int, size: int) -> Floats:
    """The same vectors every time: whoever starts from them finds the same digits."""
    return np.asfortranarray(np.random.default_rng(0).standard_normal((count, size)))


def _orthonormal(vectors: Floats) -> Floats:
    """A basis of what they span."""
    factors, scales = scipy.linalg.lapack.dgeqrf(vectors, overwrite_a=1)[:2]
    return np.asarray(scipy.linalg.lapack.dorgqr(factors, scales, overwrite_a=1)[0])
