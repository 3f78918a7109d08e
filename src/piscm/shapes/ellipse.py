"""Ellipses."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import sympy

from piscm.problem.box import Box
from piscm.problem.errors import ProblemError
from piscm.problem.numeric import Floats, finite_number
from piscm.problem.written import Number
from piscm.shapes.pieces import EllipticArc, Piece
from piscm.shapes.primitive import (
    Primitive,
    checked_center,
    checked_length,
    checked_part_name,
    shown_name,
)


class Ellipse(Primitive):
    """An ellipse, given by its center and its two half axes.

    Parameters
    ----------
    center : mapping of sympy.Symbol to number
    radii : (number, number)
        The half axes, along the first and the second coordinate.
    angle : number
        Turns it to the left, in radians.
    name : str, optional
        The name of its part of the boundary.
    """

    center: Floats
    radii: Floats
    angle: float

    def __init__(
        self,
        center: Mapping[sympy.Symbol, Number],
        radii: tuple[Number, Number],
        *,
        angle: Number = 0.0,
        name: str | None = None,
    ) -> None:
        symbols, at = checked_center(center, "An Ellipse")
        if len(symbols) != 2 or not isinstance(radii, tuple | list) or len(radii) != 2:
            raise ProblemError(
                "An Ellipse lives in two coordinates and has two half axes: "
                "Ellipse({x: 0, y: 0}, (2, 1))."
            )
        lengths = [checked_length(own, "A half axis of an Ellipse") for own in radii]
        self._set(
            _coordinates=symbols,
            center=at,
            radii=np.array(lengths),
            angle=finite_number(angle, "The angle of an Ellipse"),
            name=checked_part_name(name),
        )

    def __repr__(self) -> str:
        (x, y), (a, b) = self.coordinates, self.center
        first, second = self.radii
        turned = f", angle={self.angle:g}" if self.angle else ""
        return (
            f"Ellipse({{{x}: {a:g}, {y}: {b:g}}}, ({first:g}, {second:g}){turned}"
            f"{shown_name(self.name)})"
        )

    @property
    def _directions(self) -> Floats:
        cos, sin = np.cos(self.angle), np.sin(self.angle)
        return np.array([[cos, sin], [-sin, cos]])

    @property
    def _reach(self) -> Floats:
        """Half the width of the bounding box."""
        return np.asarray(np.linalg.norm(self.radii[:, None] * self._directions, axis=0))

    @property
    def bounding_box(self) -> Box:
        pairs = zip(self.coordinates, self.center, self._reach, strict=True)
        return Box({symbol: (at - reach, at + reach) for symbol, at, reach in pairs})

    def level(self, points: Floats) -> Floats:
        own = (points - self.center) @ self._directions.T
        size = np.linalg.norm(own / self.radii, axis=1)
        return np.asarray((size - 1) * self.radii.min())  # never more than the distance

    @property
    def pieces(self) -> Sequence[Piece]:
        axes = self.radii[:, None] * self._directions
        return [EllipticArc(self.names, self.center, axes)]

    def marks(self, axis: int) -> Floats:
        return np.asarray(self.center[axis] + self._reach[axis] * np.array([-1.0, 0.0, 1.0]))

    @property
    def document(self) -> Any:
        pairs = zip(self.coordinates, self.center.tolist(), strict=True)
        return {
            "shape": "ellipse",
            "center": {symbol.name: at for symbol, at in pairs},
            "radii": self.radii.tolist(),
            "angle": self.angle,
            "name": self.name,
        }
