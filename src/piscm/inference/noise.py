"""The standard deviation of data, and the weight of each datum."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_HUBER = 1.35  # 95 % efficient without outliers


def deviation(residual: Floats, loss: str) -> float:
    """The standard deviation of data; with the Huber loss that of the bulk, without outliers."""
    if loss == "huber":
        return float(1.4826 * np.median(np.abs(residual)))
    return float(np.sqrt(np.mean(residual**2)))


def trust(residual: Floats, sigma: float, loss: str) -> Floats:
    """The weight of each datum: the Huber loss bounds the pull of an outlier."""
    if loss != "huber" or not sigma:
        return np.ones(len(residual))
    return np.asarray(1.0 / np.maximum(1.0, np.abs(residual) / (_HUBER * sigma)))
