r"""Damped least squares: what truncated singular values do, for the price of a QR.

The minimizer of :math:`\|M\theta - v\|^2 + \epsilon^2\|\theta\|^2` over columns of unit length,
with :math:`\epsilon` above the round-off of the largest singular value. Directions in which the
columns depend on each other get no large weights, and none is cut off: random nodes have singular
values that fall over all the digits there are, and a truncation at 1e-13 costs up to one of them.
"""

import numpy as np
import scipy
from numpy.typing import NDArray

from piscm.budget.clock import check_work
from piscm.linalg.rank import largest_singular_value
from piscm.linalg.upper import upper_factor

Floats = NDArray[np.float64]

DAMPING = 1e-14
"""The default damping, relative to the largest singular value of columns of unit length."""

_PANEL = 64  # columns that LAPACK treats together


def solve_damped(columns: Floats, target: Floats, damping: float = DAMPING) -> Floats:
    """Solve one problem; columns that vanish or overflow get no weight.

    Parameters
    ----------
    columns : ndarray, shape (unknowns, rows)
    target : ndarray, shape (rows,)
    damping : float
        Relative to the largest singular value.
    """
    check_work(2.0 * columns.size * len(columns))
    usable = np.isfinite(np.einsum("kn,kn->k", columns, columns))
    safe = columns if usable.all() else np.where(usable[:, None], columns, 0.0)
    both = np.concatenate([safe, target[None]]).T
    return solve_damped_triangle(upper_factor(both), damping)


def solve_damped_triangle(triangle: Floats, damping: float = DAMPING) -> Floats:
    """The same from the R of a QR of columns and target, whose column is the last one."""
    count = triangle.shape[1] - 1
    if not count or not np.isfinite(triangle).all():
        return np.zeros(count)
    square = np.zeros((count + 1, count + 1), order="F")
    square[: len(triangle)] = triangle
    lengths = np.linalg.norm(square, axis=0)
    lengths[count] = 1.0
    lengths[lengths == 0] = 1.0
    square /= lengths
    inner = square[:count, :count]
    largest = largest_singular_value(lambda x: inner.T @ (inner @ x), count)
    bounded = with_diagonal(square, np.append(np.full(count, damping * largest), 0.0))
    solution = scipy.linalg.solve_triangular(
        bounded[:count, :count], bounded[:count, count], check_finite=False
    )
    return np.asarray(np.where(np.isfinite(solution), solution / lengths[:count], 0.0))


def with_diagonal(triangle: Floats, diagonal: Floats) -> Floats:
    """R of a QR of an upper triangle with a diagonal matrix below it."""
    count = len(triangle)
    check_work(count**3)
    below = np.zeros((count, count), order="F")
    np.fill_diagonal(below, diagonal)
    found = scipy.linalg.lapack.dtpqrt(count, min(_PANEL, count), triangle, below, overwrite_b=True)
    return np.asarray(found[0])
