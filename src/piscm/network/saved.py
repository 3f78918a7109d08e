"""Reading the parts of a saved network, without trusting them."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piscm.problem.errors import ProblemError, brief

Floats = NDArray[np.float64]


class UnknownKindError(ProblemError):
    """A file is not damaged, but of a kind that this process does not know."""


def class_named(base: Any, name: str) -> Any:
    """The subclass of that name, at any depth."""
    known = [kind for kind in _descendants(base) if kind.__name__ == name]
    if known:
        return known[-1]  # the latest, where a notebook has defined it again
    raise UnknownKindError(
        f"it holds a {base.__name__} called {brief(name)}, which is not known here: import the "
        "module that defines it first."
    )


def _descendants(base: Any) -> Iterable[Any]:
    for kind in base.__subclasses__():
        yield kind
        yield from _descendants(kind)


def numbers(arrays: Mapping[str, np.ndarray], name: str, shape: tuple[int, ...]) -> Floats:
    """An array of finite numbers of a given shape."""
    array = arrays[name]
    if array.dtype != np.float64 or array.shape != shape or not np.isfinite(array).all():
        raise ProblemError(f"its array {name!r} is not {shape} finite numbers.")
    return array


def whole_number(value: Any, what: str) -> int:
    """A whole number from 0 up."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ProblemError(f"its {what} is {brief(value)}, not a whole number.")
    return value
