"""Looks at the clock, between parts of a computation and before a part that cannot be cut."""

import math
import time
from functools import cache

import numpy as np
import scipy

from piscm.budget.budget import OutOfTimeError, current
from piscm.budget.interrupts import check_interrupt

# Rates (operations a second) that every machine reaches; below them nothing is measured.
_LEAST = {False: 1e9, True: 1e9}
# Pieces of so many operations tell whether this machine is as fast as it was.
_LONG = 1e9
# Factorizations of large matrices reach this share of the rate of a product of small ones, and
# large singular value decompositions at least that of small ones (measured: 2 to 3 times as much).
_SHARE = {False: 0.5, True: 1.0}


def check_time() -> None:
    """Raise `OutOfTimeError` once the deadline has passed, and Ctrl-C if it was pressed."""
    check_interrupt()
    budget = current()
    budget.pace.end()
    if budget.left < 0:
        raise OutOfTimeError


def check_work(operations: float, slow: bool = False) -> None:
    """Do not begin what cannot be interrupted and would end too late.

    Parameters
    ----------
    operations : float
        Additions and multiplications of a matrix product or factorization.
    slow : bool
        Whether singular values are among them, which take longer.
    """
    check_time()
    budget = current()
    left = (budget.left + budget.grace) / budget.pace.slowdown
    if operations > _LEAST[slow] * left and operations > _rate(slow) * left:
        raise OutOfTimeError
    if operations > _LONG and left < math.inf:
        budget.pace.begun = time.perf_counter(), operations / _rate(slow)


@cache
def _rate(slow: bool) -> float:
    """Operations a second on this machine: the best of a few small examples."""
    size = 256 if slow else 320
    matrix = np.cos(np.arange(size * size, dtype=float) ** 2).reshape(size, size)
    least = np.inf
    for _ in range(3):
        began = time.perf_counter()
        if slow:
            scipy.linalg.svd(matrix, check_finite=False)
        else:
            matrix @ matrix.T
        least = min(least, time.perf_counter() - began)
    operations = singular_value_work(size, size) if slow else 2.0 * size**3
    return float(_SHARE[slow] * operations / max(least, 1e-9))


def singular_value_work(rows: int, columns: int, vectors: bool = True) -> float:
    """Operations of a singular value decomposition, with or without all its vectors."""
    few, many = sorted((rows, columns))
    return (1.0 if vectors else 0.5) * (6.0 * many * few**2 + 20.0 * few**3)
