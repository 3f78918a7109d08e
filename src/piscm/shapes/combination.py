"""Unions, differences and intersections of shapes."""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piscm.problem.box import Box
from piscm.problem.errors import ProblemError
from piscm.problem.numeric import Floats, finite_number
from piscm.problem.written import Number
from piscm.shapes.brick import Brick
from piscm.shapes.chords import Ends, combined_ends
from piscm.shapes.primitive import Primitive
from piscm.shapes.product import Product
from piscm.shapes.shape import Shape

_SIGNS = {"union": "|", "difference": "-", "intersection": "&"}
HOWS = tuple(_SIGNS)


class Combination(Shape):
    """Two shapes in the same coordinates, combined.

    Attributes
    ----------
    how : {"union", "difference", "intersection"}
    first, second : Shape
    """

    how: str
    first: Shape
    second: Shape

    def __init__(self, how: str, first: Shape, second: Shape) -> None:
        self._set(_coordinates=first.coordinates, how=how, first=first, second=second)

    def __repr__(self) -> str:
        return f"({self.first} {_SIGNS[self.how]} {self.second})"

    @property
    def primitives(self) -> tuple[Primitive, ...]:
        return (*self.first.primitives, *self.second.primitives)

    @property
    def uncertainty(self) -> float:
        return max(self.first.uncertainty, self.second.uncertainty)

    def level(self, points: Floats) -> Floats:
        first, second = self.first.level(points), self.second.level(points)
        if self.how == "union":
            return np.minimum(first, second)
        return np.maximum(first, second if self.how == "intersection" else -second)

    def inside(self, points: Floats) -> NDArray[np.bool_]:
        first, second = self.first.inside(points), self.second.inside(points)
        if self.how == "union":
            return np.asarray(first | second)
        return np.asarray(first & (second if self.how == "intersection" else ~second))

    @cached_property
    def fuzz(self) -> float:
        return max(super().fuzz, self.first.fuzz, self.second.fuzz)

    @cached_property
    def bounding_box(self) -> Box:
        first, second = self.first.bounding_box, self.second.bounding_box
        if self.how == "difference":
            return first
        if self.how == "union":
            lower = np.minimum(first.lower, second.lower)
            upper = np.maximum(first.upper, second.upper)
        else:
            lower = np.maximum(first.lower, second.lower)
            upper = np.minimum(first.upper, second.upper)
            if not (lower < upper).all():
                raise ProblemError(f"{self} is empty: {first} and {second} do not meet.")
        ends = zip(self.coordinates, lower, upper, strict=True)
        return Box({symbol: (low, high) for symbol, low, high in ends})

    def marks(self, axis: int) -> Floats:
        return np.concatenate([self.first.marks(axis), self.second.marks(axis)])

    @property
    def traced(self) -> bool:
        return self.first.traced or self.second.traced

    def breaks(self, axis: int, start: Floats) -> Floats:
        return np.concatenate([self.first.breaks(axis, start), self.second.breaks(axis, start)])

    def line_ends(self, axis: int, starts: Floats) -> Ends:
        if not self.traced:
            return super().line_ends(axis, starts)
        first, second = self.first.line_ends(axis, starts), self.second.line_ends(axis, starts)
        later = second._replace(owner=second.owner + len(self.first.primitives))
        return combined_ends(self.how, first, later)

    def buffer(self, distance: Number) -> Shape:
        """Grown by a distance, or shrunk by a negative one.

        A union is grown, an intersection and a difference shrunk by doing so to both; the other way
        round all sides must be straight.
        """
        from piscm.shapes.straight import as_polygon

        reach = finite_number(distance, "The distance of buffer")
        if reach == 0:
            return self
        if (self.how == "union") == (reach > 0):
            other = -reach if self.how == "difference" else reach
            return combined(self.how, self.first.buffer(reach), self.second.buffer(other))
        return as_polygon(self, f"so {self} has no exact buffer({reach:g})").buffer(reach)

    @property
    def document(self) -> Any:
        return {"shape": self.how, "of": [self.first.document, self.second.document]}


def combined(how: str, first: Shape | Box, second: Shape | Box) -> Shape:
    """A union, difference or intersection; an empty one is refused."""
    one, other = (Brick(own) if isinstance(own, Box) else own for own in (first, second))
    for own in (one, other):
        if isinstance(own, Product):
            raise ProblemError(
                f"{own} is a product; combine the factors first: (disk - hole) * Interval(t, 0, 1)."
            )
    if set(one.coordinates) != set(other.coordinates):
        raise ProblemError(
            f"{one} {_SIGNS[how]} {other}: both must have the same coordinates; with others use *."
        )
    if one.coordinates != other.coordinates:
        raise ProblemError(
            f"{one} {_SIGNS[how]} {other}: write their coordinates in the same order."
        )
    made = Combination(how, one, other)
    made._known_inside  # noqa: B018  (an empty combination is refused here)
    return made
