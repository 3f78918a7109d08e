"""The R of a QR alone, without what `scipy.linalg.qr` does to the rows below it."""

import numpy as np
import scipy
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def upper_factor(matrix: Floats) -> Floats:
    """R, shape (at most as many rows as columns, columns); a matrix in column order is lost."""
    rows, columns = matrix.shape
    if not matrix.size:
        return np.zeros((min(rows, columns), columns))
    work = scipy.linalg.lapack.dgeqrf_lwork(rows, columns)[0]
    found = scipy.linalg.lapack.dgeqrf(matrix, lwork=int(work), overwrite_a=True)[0]
    return np.asarray(np.triu(found[:columns]))
