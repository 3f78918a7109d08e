"""Round cylinders."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy

from piscm.problem.box import Box
from piscm.problem.errors import ProblemError, brief
from piscm.problem.numeric import Floats
from piscm.problem.written import Number
from piscm.shapes.pieces import Piece, Spot
from piscm.shapes.primitive import (
    Primitive,
    checked_center,
    checked_length,
    checked_part_name,
    shown_name,
)


class Cylinder(Primitive):
    """A round cylinder along a coordinate: ``Cylinder({x: 0, y: 0, z: (0, 2)}, radius=1)``.

    Parameters
    ----------
    center : mapping of sympy.Symbol to number or (low, high)
        The range belongs to the coordinate along its axis.
    radius : number
    name : str, optional
        The name of its part of the boundary, ``"pipe"``; ``"pipe[side]"``, ``"pipe[low]"`` and
        ``"pipe[high]"`` are its pieces (``"cylinder[side]"``, ... without a name).
    """

    center: Floats
    radius: float
    along: int
    _box: Box

    def __init__(
        self,
        center: Mapping[sympy.Symbol, Number | tuple[Number, Number]],
        radius: Number,
        *,
        name: str | None = None,
    ) -> None:
        if not isinstance(center, Mapping) or len(center) != 3:
            raise ProblemError(
                f"A Cylinder is given {brief(center)}; write {{x: 0, y: 0, z: (0, 2)}}."
            )
        ranges = [i for i, own in enumerate(center.values()) if isinstance(own, tuple | list)]
        if len(ranges) != 1:
            raise ProblemError(
                "A Cylinder needs a range (low, high) of exactly one coordinate, its axis."
            )
        (along,) = ranges
        length = checked_length(radius, "The radius of a Cylinder")
        round_ = {s: own for i, (s, own) in enumerate(center.items()) if i != along}
        symbols, middle = checked_center(round_, "A Cylinder")
        bounds: dict[sympy.Symbol, Any] = {
            s: (at - length, at + length) for s, at in zip(symbols, middle, strict=True)
        }
        box = Box(
            {s: own if i == along else bounds[s] for i, (s, own) in enumerate(center.items())}
        )
        self._set(
            _coordinates=box.coordinates,
            _box=box,
            center=box.center,
            radius=length,
            along=along,
            name=checked_part_name(name),
        )

    def __repr__(self) -> str:
        parts = []
        for axis, symbol in enumerate(self.coordinates):
            low, high = self._box.lower[axis], self._box.upper[axis]
            own = f"({low:g}, {high:g})" if axis == self.along else f"{self.center[axis]:g}"
            parts.append(f"{symbol}: {own}")
        return f"Cylinder({{{', '.join(parts)}}}, radius={self.radius:g}{shown_name(self.name)})"

    @property
    def bounding_box(self) -> Box:
        return self._box

    @property
    def _across(self) -> list[int]:
        return [axis for axis in range(3) if axis != self.along]

    def level(self, points: Floats) -> Floats:
        away = points - self.center
        side = np.linalg.norm(away[:, self._across], axis=1) - self.radius
        end = np.abs(away[:, self.along]) - self._box.width[self.along] / 2
        return np.asarray(np.maximum(side, end))

    @property
    def pieces(self) -> Sequence[Piece]:
        prefix = self.name or "cylinder"

        def piece(which: str, end: int) -> Piece:
            return _Wall((*self.names, f"{prefix}[{which}]"), self, end)

        return [piece("side", 0), piece("low", -1), piece("high", 1)]

    def marks(self, axis: int) -> Floats:
        box = self._box
        return np.array([box.lower[axis], box.center[axis], box.upper[axis]])

    @property
    def document(self) -> Any:
        low, high = self._box.lower[self.along], self._box.upper[self.along]
        return {
            "shape": "cylinder",
            "center": {
                symbol.name: [float(low), float(high)] if axis == self.along else float(at)
                for axis, (symbol, at) in enumerate(zip(self.coordinates, self.center, strict=True))
            },
            "radius": self.radius,
            "name": self.name,
        }


@dataclass(frozen=True, eq=False)
class _Wall(Piece):
    """The side of a cylinder (0), or its end at the low (-1) or high (1) value of its axis."""

    names: tuple[str, ...]
    of: Cylinder
    end: int

    parameters = 2
    panels = 4

    def at(self, unit: Floats) -> Spot:
        of = self.of
        angle = 2 * np.pi * unit[:, 1]
        outward = np.zeros((len(unit), 3))
        outward[:, of._across] = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        height = of._box.width[of.along]
        points = np.tile(of.center, (len(unit), 1))
        if not self.end:
            points += of.radius * outward
            points[:, of.along] = of._box.lower[of.along] + height * unit[:, 0]
            area = 2 * np.pi * of.radius * height
            return Spot(points, outward, np.full(len(unit), area))
        points += of.radius * np.sqrt(unit[:, :1]) * outward
        points[:, of.along] = (of._box.lower if self.end < 0 else of._box.upper)[of.along]
        normals = np.zeros_like(points)
        normals[:, of.along] = self.end
        return Spot(points, normals, np.full(len(unit), np.pi * of.radius**2))
