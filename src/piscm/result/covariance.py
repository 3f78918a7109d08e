"""Covariance and correlation of the unknowns, from the error bars of a run."""

import numpy as np
from numpy.typing import NDArray

from piscm.inference.identifiability import involved
from piscm.inference.uncertainty import Uncertainty

Floats = NDArray[np.float64]


def covariance(count: int, uncertainty: Uncertainty | None) -> Floats:
    """That of the last `count` columns, the unknowns; infinite where these are not determined."""
    if uncertainty is None:
        return np.full((count, count), np.nan)
    factor = uncertainty.factor
    last = factor[:, factor.shape[1] - count :]
    found = np.asarray(last.T @ last)
    for direction in uncertainty.undetermined:
        moved = np.flatnonzero(involved(direction))
        found[moved, moved] = np.inf
    return found


def correlation(covariance: Floats) -> Floats:
    """NaN for what is not determined, which is not uncorrelated."""
    errors = np.sqrt(np.diag(covariance))
    with np.errstate(invalid="ignore"):
        found = np.asarray(covariance / np.outer(errors, errors))
    found[~np.isfinite(errors)] = np.nan
    found[:, ~np.isfinite(errors)] = np.nan
    return found
