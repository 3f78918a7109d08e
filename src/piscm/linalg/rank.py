"""Whether any singular value would be dropped, told without computing them.

Growth solves with triangular factors, which is only right where the truncation has nothing to drop.
Inverse iteration on a kept factor gives the least singular value for a few triangular solves.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Steps of iteration. The singular values of a grown design fall fast at their end, so that
# a few steps are within a factor 2 of the least one.
_STEPS = 3
# The estimate may be too large by this factor before a truncation is overlooked. Larger, and more
# singular values are computed for nothing.
MARGIN = 3.0


def least_singular_value(solve: Callable[[Floats], Floats], count: int) -> float:
    """An estimate from above of the least singular value of some columns; 0 where it fails.

    Parameters
    ----------
    solve : callable
        ``solve(x)`` solves a system with the Gram matrix of the columns.
    count : int
        The number of columns.
    """
    vector = np.cos(np.arange(count))  # no direction is special to it
    for _ in range(_STEPS):
        vector = solve(vector / np.linalg.norm(vector))
    size = float(np.linalg.norm(vector))
    return 1.0 / float(np.sqrt(size)) if 0.0 < size < np.inf else 0.0


def largest_singular_value(multiply: Callable[[Floats], Floats], count: int) -> float:
    """An estimate from below of the largest; ``multiply(x)`` multiplies with the Gram matrix."""
    vector = np.cos(np.arange(count))
    for _ in range(_STEPS):
        vector = multiply(vector / np.linalg.norm(vector))
    return float(np.sqrt(np.linalg.norm(vector)))
