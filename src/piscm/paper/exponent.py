"""How fast something grows."""

from collections.abc import Sequence

import numpy as np


def fitted_exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """The exponent p of ``values ~ sizes**p``: least squares on the logarithms.

    Values that were not measured (NaN), or were too small to be (zero), are left out; with fewer
    than two sizes there is no exponent, and it is NaN.

    >>> round(fitted_exponent([1, 10, 100], [3, 300, 30_000]), 6)
    2.0
    """
    size, value = np.asarray(sizes, dtype=float), np.asarray(values, dtype=float)
    known = np.isfinite(value) & (value > 0)
    if len(np.unique(size[known])) < 2:
        return float("nan")
    x, y = np.log(size[known]), np.log(value[known])
    x = x - x.mean()
    return float(x @ y / (x @ x))
