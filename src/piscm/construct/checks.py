"""Checks of options shared by several methods."""

from typing import Any

import numpy as np

from piscm.problem.errors import ProblemError

_MOST = 1_000_000


def is_number(value: Any) -> bool:
    """Whether a value is a finite Python or NumPy number."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        return False
    try:
        return bool(np.isfinite(float(value)))
    except OverflowError:
        return False


def check_count(value: Any, what: str) -> None:
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or not 1 <= value <= _MOST:
        raise ProblemError(f"{what} is {value!r:.40}: give a whole number from 1 to {_MOST}.")


def check_positive(value: Any, what: str) -> None:
    if not is_number(value) or value <= 0:
        raise ProblemError(f"{what} holds {value!r:.40}: give a positive number.")


def check_ladder(value: Any, what: str, most: float = 1.0, zero: bool = False) -> None:
    """Require a list of positive numbers up to `most`; `zero` allows zero as well."""
    if not isinstance(value, tuple) or len(value) == 0:
        raise ProblemError(f"{what} is {value!r:.40}: give a list of numbers.")
    for number in value:
        if not (is_number(number) and 0 <= number <= most and (number > 0 or zero)):
            limits = "positive numbers" if np.isinf(most) else "numbers from 0 to 1"
            raise ProblemError(f"{what} holds {number!r:.40}: give {limits}.")


def plain_numbers(value: Any) -> Any:
    """Lists and arrays as tuples, so that options compare and print as intended."""
    if not isinstance(value, list | np.ndarray):
        return value
    value = np.asarray(value).tolist()  # a number if the array has no axes
    return tuple(value) if isinstance(value, list) else value
