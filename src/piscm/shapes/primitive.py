"""Shapes that are not made of others."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import sympy

from piscm.problem.errors import ProblemError, brief
from piscm.problem.numeric import Floats, finite_number
from piscm.problem.symbols import checked_name
from piscm.shapes.pieces import Piece
from piscm.shapes.shape import Shape


class Primitive(Shape):
    """A shape with a boundary of its own; its name is that of its part of the boundary."""

    name: str | None

    @property
    def primitives(self) -> tuple["Primitive", ...]:
        return (self,)

    @property
    @abstractmethod
    def pieces(self) -> Sequence[Piece]:
        """The boundary."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names that all its pieces have."""
        return () if self.name is None else (self.name,)


def checked_part_name(name: Any) -> str | None:
    """The name of a part of the boundary; None for no name."""
    if name is None or (isinstance(name, str) and name.strip() and name != "boundary"):
        return name
    raise ProblemError(f"name={brief(name)}: give a word for this part of the boundary.")


def checked_coordinates(given: Any, count: int | None, what: str) -> tuple[sympy.Symbol, ...]:
    """Distinct coordinates, `count` of them if it is given."""
    symbols = tuple(given) if isinstance(given, tuple | list | sympy.Tuple | Mapping) else ()
    if not symbols or any(not isinstance(symbol, sympy.Symbol) for symbol in symbols):
        raise ProblemError(f"{what} is given {brief(given)} for coordinates; give (x, y).")
    names = [checked_name(symbol.name) for symbol in symbols]
    if len(set(names)) < len(names):
        raise ProblemError(f"{what} names a coordinate twice: {brief(given)}.")
    if count is not None and len(symbols) != count:
        raise ProblemError(f"{what} lives in {count} coordinates, not in {len(symbols)}.")
    return symbols


def checked_center(given: Any, what: str) -> tuple[tuple[sympy.Symbol, ...], Floats]:
    """Coordinates and values of a center, given as ``{x: 0, y: 0}``."""
    if not isinstance(given, Mapping):
        raise ProblemError(f"{what} needs its center, as {{x: 0, y: 0}}, not {brief(given)}.")
    symbols = checked_coordinates(given, None, what)
    center = [finite_number(given[s], f"The center {s} of {what}") for s in symbols]
    return symbols, np.array(center)


def checked_length(given: Any, what: str) -> float:
    """A positive number."""
    length = finite_number(given, what)
    if length <= 0:
        raise ProblemError(f"{what} is {length:g}; it must be positive.")
    return length


def shown_name(name: str | None) -> str:
    return "" if name is None else f", name={name!r}"
