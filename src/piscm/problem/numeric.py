"""Numbers and arrays of numbers from user input; anything else is a `ProblemError`."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from piscm.problem.errors import ProblemError, brief

Floats = NDArray[np.float64]


def finite_number(value: Any, what: str) -> float:
    """A Python, NumPy or SymPy number as a float; `what` names it in the error message."""
    try:
        if isinstance(value, str):
            raise TypeError("text")
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise ProblemError(f"{what} is {brief(value)}, not a number.") from None
    if not np.isfinite(number):
        raise ProblemError(f"{what} is {brief(value)}; it must be finite.")
    return number


def float_array(values: ArrayLike, what: str) -> Floats:
    """A copy of the values as an array of floats, including NaN and infinite ones."""
    if np.ma.is_masked(values):
        raise ProblemError(f"{what} hold masked entries; leave them out first.")
    try:
        if np.iscomplexobj(values):
            raise TypeError("complex")
        return np.array(values, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ProblemError(f"{what} are not an array of real numbers.") from None


def checked_array(values: Any, what: str) -> NDArray[Any]:
    """An array of whatever it is; lists of different lengths are none."""
    try:
        return np.asarray(values)
    except (TypeError, ValueError, OverflowError, RecursionError):
        raise ProblemError(f"{what} are not an array of numbers.") from None


def finite_array(values: ArrayLike, what: str) -> Floats:
    """A copy of the values as an array of finite floats."""
    array = float_array(values, what)
    bad = int(np.count_nonzero(~np.isfinite(array)))
    if bad:
        raise ProblemError(f"{what} hold {bad} NaN or infinite numbers; remove them first.")
    return array


def as_points(values: ArrayLike, dimension: int) -> Floats:
    """Points as an array whose last axis has one entry for each coordinate."""
    try:
        points = np.asarray(values, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ProblemError(f"{brief(values)} are not points of {dimension} coordinates.") from None
    if not points.ndim or points.shape[-1] != dimension:
        raise ProblemError(
            f"Points of shape {points.shape} are given; give (points, {dimension}), one column for "
            "each coordinate."
        )
    return points
