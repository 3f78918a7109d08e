"""The triangular factor of a matrix that comes in slabs of rows.

Each slab is reduced to a triangle by itself, and triangles are merged in pairs, those of equal
weight first, as digits are carried in a binary number. Which ones meet is decided by the order of
the slabs alone, so the bits do not depend on who reduced them; and no more triangles are alive than
the number of slabs has binary digits.
"""

import numpy as np
import scipy
from numpy.typing import NDArray

from piscm.budget.clock import check_work

Floats = NDArray[np.float64]


def triangle_of(rows: Floats) -> Floats:
    """R of a QR factorization; the rows are overwritten."""
    check_work(2.0 * rows.shape[0] * rows.shape[1] ** 2)
    found = scipy.linalg.qr(rows, mode="r", check_finite=False, overwrite_a=True)[0]
    return np.asarray(found[: rows.shape[1]])


class Triangles:
    """Triangles of slabs, merged as they come."""

    def __init__(self) -> None:
        self._carried: list[tuple[int, Floats]] = []  # slabs in it, triangle; fewer and fewer

    def add(self, triangle: Floats) -> None:
        """The next slab's triangle."""
        self._carried.append((1, triangle))
        while len(self._carried) > 1 and self._carried[-1][0] == self._carried[-2][0]:
            self._merge()

    def merged(self) -> Floats:
        """The triangle of all slabs."""
        while len(self._carried) > 1:
            self._merge()
        return self._carried[0][1]

    def _merge(self) -> None:
        (second, below), (first, above) = self._carried.pop(), self._carried.pop()
        self._carried.append((first + second, triangle_of(np.concatenate([above, below]))))
