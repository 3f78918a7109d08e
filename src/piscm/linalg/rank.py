"""Whether truncation would drop any singular value, decided without computing them.

Growth solves with triangular factors, which is valid only if there is nothing to truncate. Inverse
iteration on a kept factor gives the smallest singular value for a few triangular solves.
"""

from collections.abc import Callable

import numpy as np
import scipy
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Iterations. The singular values of a grown design matrix fall fast at the end, so few are needed;
# how near they come was not measured, only that truncated runs agree with the literal algorithm.
_STEPS = 3
# The estimate may be too large by this factor before a truncation is missed. A larger margin means
# more unnecessary SVDs.
MARGIN = 3.0


def least_singular_value(solve: Callable[[Floats], Floats], count: int) -> float:
    """An estimate from above of the smallest singular value of some columns; 0 if it fails.

    Parameters
    ----------
    solve : callable
        ``solve(x)`` solves a system with the Gram matrix of the columns.
    count : int
        The number of columns.
    """
    vector = np.cos(np.arange(count))  # favors no direction
    for _ in range(_STEPS):
        vector = solve(vector / np.linalg.norm(vector))
    size = float(np.linalg.norm(vector))
    return 1.0 / float(np.sqrt(size)) if 0.0 < size < np.inf else 0.0


def least_share(triangle: Floats) -> float:
    """The least singular value of an upper triangle as a share of the largest, estimated."""
    count, blas = len(triangle), scipy.linalg.blas
    # The least singular value is at most the least diagonal entry, zero for a dependent column.
    corner = float(np.abs(np.diagonal(triangle)).min(initial=np.inf))
    if corner == 0.0:
        return 0.0

    def solve(x: Floats) -> Floats:
        return np.asarray(blas.dtrsv(triangle, blas.dtrsv(triangle, x, trans=1)))

    def multiply(x: Floats) -> Floats:
        return np.asarray(blas.dtrmv(triangle, blas.dtrmv(triangle, x), trans=1))

    largest = largest_singular_value(multiply, count)
    return min(corner, least_singular_value(solve, count)) / (largest or 1.0)


def largest_singular_value(multiply: Callable[[Floats], Floats], count: int) -> float:
    """An estimate from below of the largest; ``multiply(x)`` multiplies by the Gram matrix."""
    vector = np.cos(np.arange(count))
    for _ in range(_STEPS):
        vector = multiply(vector / np.linalg.norm(vector))
    return float(np.sqrt(np.linalg.norm(vector)))
