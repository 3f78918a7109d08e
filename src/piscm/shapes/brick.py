"""Intervals, rectangles and bricks: boxes that can be named and combined."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import sympy

from piscm.problem.box import Box
from piscm.problem.errors import ProblemError
from piscm.problem.numeric import Floats, finite_number
from piscm.problem.written import Number
from piscm.shapes.pieces import End, Face, Piece, Segment
from piscm.shapes.primitive import Primitive, checked_part_name, shown_name
from piscm.shapes.shape import Shape


class Brick(Primitive):
    """A box with faces along the coordinates, in any number of them.

    Parameters
    ----------
    bounds : mapping of sympy.Symbol to (low, high), or Box
    name : str, optional
        The name of its part of the boundary; face by face it is ``domain.boundary({x: 0})``.
    """

    _box: Box

    def __init__(
        self,
        bounds: Mapping[sympy.Symbol, tuple[Number, Number]] | Box,
        *,
        name: str | None = None,
    ) -> None:
        box = bounds if isinstance(bounds, Box) else Box(bounds)
        self._set(_coordinates=box.coordinates, _box=box, name=checked_part_name(name))

    def __repr__(self) -> str:
        parts = (f"{s}: [{low:g}, {high:g}]" for s, (low, high) in self._box.bounds.items())
        return f"{type(self).__name__}({', '.join(parts)}{shown_name(self.name)})"

    @property
    def bounding_box(self) -> Box:
        return self._box

    def level(self, points: Floats) -> Floats:
        away = np.abs(points - self._box.center) - self._box.width / 2
        return np.asarray(away.max(axis=1))

    @property
    def pieces(self) -> Sequence[Piece]:
        box = self._box
        if self.dimension == 1:
            ends = ((box.lower, -1.0), (box.upper, 1.0))
            return [End(self.names, point, np.array([side])) for point, side in ends]
        if self.dimension == 2:
            (a, b), (c, d) = box.lower, box.upper
            corners = np.array([[a, b], [c, b], [c, d], [a, d]])
            pairs = zip(corners, np.roll(corners, -1, axis=0), strict=True)
            return [Segment(self.names, start, end) for start, end in pairs]
        faces = [(axis, side) for axis in range(self.dimension) for side in (-1, 1)]
        return [Face(self.names, box.lower, box.upper, axis, side) for axis, side in faces]

    def marks(self, axis: int) -> Floats:
        return np.array([self._box.lower[axis], self._box.upper[axis]])

    def is_product_along(self, coordinate: sympy.Symbol) -> bool:
        return True

    def cut(self, coordinate: sympy.Symbol, low: float, high: float) -> "Brick":
        return Brick(self._box.cut(coordinate, low, high), name=self.name)

    def quadrature(self, order: int) -> tuple[Floats, Floats]:
        return self._box.quadrature(order)

    def face_quadrature(
        self, face: Mapping[sympy.Symbol, float], order: int
    ) -> tuple[Floats, Floats]:
        return self._box.face_quadrature(face, order)

    def buffer(self, distance: Number) -> Shape:
        """Grown by a distance, with round corners in the plane, or shrunk by a negative one."""
        from piscm.shapes.polygon import Polygon

        reach = finite_number(distance, "The distance of buffer")
        if reach <= 0 or self.dimension == 1:
            if 2 * reach <= -(self._box.upper - self._box.lower).min():
                raise ProblemError(f"{self}.buffer({reach:g}) leaves nothing of it.")
            bounds = {s: (a - reach, b + reach) for s, (a, b) in self._box.bounds.items()}
            return Brick(bounds, name=self.name)
        if self.dimension > 2:
            return super().buffer(distance)
        first, second = self.coordinates
        corners = [piece.at(np.zeros((1, 1))).points[0] for piece in self.pieces]
        plain = Polygon((first, second), corners, name=self.name, numbered=False)
        return plain.buffer(reach)

    @property
    def document(self) -> Any:
        return {"shape": "brick", "bounds": self._box.document, "name": self.name}


class Rectangle(Brick):
    """A rectangle along the coordinates: ``Rectangle({x: (0, 2), y: (0, 1)}, name="rim")``."""

    def __init__(
        self,
        bounds: Mapping[sympy.Symbol, tuple[Number, Number]] | Box,
        *,
        name: str | None = None,
    ) -> None:
        super().__init__(bounds, name=name)
        if self.dimension != 2:
            raise ProblemError(
                f"A Rectangle lives in two coordinates, not in {self.dimension}; use a Brick."
            )


class Interval(Brick):
    """A range of one coordinate, such as time: ``Disk(...) * Interval(t, 0, 1)``."""

    def __init__(
        self, coordinate: sympy.Symbol, low: Number, high: Number, *, name: str | None = None
    ) -> None:
        super().__init__({coordinate: (low, high)}, name=name)
