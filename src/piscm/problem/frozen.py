"""Immutable objects."""

from copy import copy
from dataclasses import FrozenInstanceError
from typing import Any, Self

import numpy as np


class ReadOnly(dict[Any, Any]):
    """A dictionary that stays as it was made."""

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise TypeError("what belongs to a problem is read-only; make a new problem instead")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[type, tuple[dict[Any, Any]]]:
        return ReadOnly, (dict(self),)


def restore(made: Any, state: dict[str, Any]) -> None:
    """Give a copy its attributes; arrays among them become read-only."""
    for name, value in state.items():
        if isinstance(value, np.ndarray):
            value.setflags(write=False)
        object.__setattr__(made, name, value)


class Frozen:
    """Attributes are set only during construction; arrays among them become read-only.

    For classes whose arguments differ from what they store, where a frozen dataclass would need a
    field for every argument.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        raise FrozenInstanceError(f"cannot assign to {name!r}: a {type(self).__name__} is frozen")

    def __delattr__(self, name: str) -> None:
        raise FrozenInstanceError(f"cannot delete {name!r}: a {type(self).__name__} is frozen")

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._set(**state)  # a copy is as frozen as the original

    def _set(self, **attributes: Any) -> None:
        restore(self, attributes)

    def _with(self, **attributes: Any) -> Self:
        """A copy with some attributes replaced, without checking them again."""
        other = copy(self)
        other._set(**attributes)
        return other
