"""Disks, balls and their counterparts in any number of dimensions."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import sympy

from piscm.problem.box import Box
from piscm.problem.domain import UnitPoints
from piscm.problem.errors import ProblemError
from piscm.problem.numeric import Floats, finite_number
from piscm.problem.written import Number
from piscm.shapes.pieces import Piece, Sphere, directions
from piscm.shapes.primitive import (
    Primitive,
    checked_center,
    checked_length,
    checked_part_name,
    shown_name,
)
from piscm.shapes.sections import gauss

# Beyond this dimension a ball fills so little of its bounding box that points are mapped into it.
_FEW = 3


class Ball(Primitive):
    """All points up to a distance from a center, in as many coordinates as the center has.

    Parameters
    ----------
    center : mapping of sympy.Symbol to number
        ``{x: 0, y: 0, z: 0}``; its order is the order of coordinates.
    radius : number
    name : str, optional
        The name of its part of the boundary.
    """

    center: Floats
    radius: float

    def __init__(
        self, center: Mapping[sympy.Symbol, Number], radius: Number, *, name: str | None = None
    ) -> None:
        what = f"A {type(self).__name__}"
        symbols, at = checked_center(center, what)
        if len(symbols) < 2:
            raise ProblemError(f"{what} needs two coordinates or more; use an Interval for one.")
        length = checked_length(radius, f"The radius of a {type(self).__name__}")
        self._set(_coordinates=symbols, center=at, radius=length, name=checked_part_name(name))

    def __repr__(self) -> str:
        pairs = zip(self.coordinates, self.center, strict=True)
        at = ", ".join(f"{symbol}: {value:g}" for symbol, value in pairs)
        kind = type(self).__name__
        return f"{kind}({{{at}}}, radius={self.radius:g}{shown_name(self.name)})"

    @property
    def bounding_box(self) -> Box:
        pairs = zip(self.coordinates, self.center, strict=True)
        return Box({s: (at - self.radius, at + self.radius) for s, at in pairs})

    def level(self, points: Floats) -> Floats:
        return np.asarray(np.linalg.norm(points - self.center, axis=1) - self.radius)

    @property
    def pieces(self) -> Sequence[Piece]:
        return [Sphere(self.names, self.center, self.radius)]

    def marks(self, axis: int) -> Floats:
        return np.asarray(self.center[axis] + self.radius * np.array([-1.0, 0.0, 1.0]))

    def sample_inside(self, count: int, draw: UnitPoints) -> Floats:
        if self.dimension <= _FEW:
            return super().sample_inside(count, draw)
        unit = draw(count, self.dimension + 1)
        radius = self.radius * unit[:, :1] ** (1 / self.dimension)
        return np.asarray(self.center + radius * directions(unit[:, 1:], self.dimension))

    def quadrature(self, order: int) -> tuple[Floats, Floats]:
        if self.dimension > _FEW:
            raise ProblemError(f"Integrals over {self} are known up to {_FEW} dimensions only.")
        radii, shares = gauss(order)
        turns = 2 * order
        angle = (np.arange(turns) + 0.5) / turns
        if self.dimension == 2:
            unit, around = angle[:, None], np.full(turns, 2 * np.pi / turns)
        else:
            height, weight = gauss(order)
            unit = np.stack([own.ravel() for own in np.meshgrid(height, angle)], axis=1)
            around = 4 * np.pi * np.tile(weight, turns) / turns
        outward = directions(unit, self.dimension)
        points = self.center + self.radius * radii[:, None, None] * outward
        weights = (shares * radii ** (self.dimension - 1))[:, None] * around
        volume = self.radius**self.dimension
        return points.reshape(-1, self.dimension), (volume * weights).ravel()

    def buffer(self, distance: Number) -> "Ball":
        """Grown by a distance, or shrunk by a negative one."""
        reach = finite_number(distance, "The distance of buffer")
        if reach <= -self.radius:
            raise ProblemError(f"{self}.buffer({reach:g}) leaves nothing of it.")
        center = dict(zip(self.coordinates, self.center.tolist(), strict=True))
        return type(self)(center, self.radius + reach, name=self.name)

    @property
    def document(self) -> Any:
        pairs = zip(self.coordinates, self.center.tolist(), strict=True)
        return {
            "shape": "ball",
            "center": {symbol.name: at for symbol, at in pairs},
            "radius": self.radius,
            "name": self.name,
        }


class Disk(Ball):
    """A disk; its boundary is a circle, exactly.

    >>> from piscm import coordinates
    >>> x, y = coordinates("x y")
    >>> Disk({x: 0, y: 0}, radius=1).contains([[0.6, 0.6], [0.8, 0.8]])
    array([ True, False])
    """

    def __init__(
        self, center: Mapping[sympy.Symbol, Number], radius: Number, *, name: str | None = None
    ) -> None:
        super().__init__(center, radius, name=name)
        if self.dimension != 2:
            raise ProblemError(
                f"A Disk lives in two coordinates, not in {self.dimension}; use a Ball."
            )
