"""Polygons with holes, on shapely."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import sympy
from numpy.typing import ArrayLike, NDArray

from piscm.problem.box import Box
from piscm.problem.errors import ProblemError, brief
from piscm.problem.given import checked_mapping
from piscm.problem.numeric import Floats, finite_array, finite_number
from piscm.problem.written import Number
from piscm.shapes.geometry import imported_shapely, read_geometry, rings_of
from piscm.shapes.pieces import Piece, Segment
from piscm.shapes.primitive import (
    Primitive,
    checked_coordinates,
    checked_part_name,
    shown_name,
)
from piscm.shapes.shape import Shape

# Parts "rim[0]", "rim[1]", ... are listed for polygons with at most this many sides.
_FEW_SIDES = 64


class Polygon(Primitive):
    """A polygon, with holes if wanted.

    Parameters
    ----------
    coordinates : (sympy.Symbol, sympy.Symbol)
    outline : corners, a shapely geometry, WKT or GeoJSON as text, or a GeoJSON mapping
        Corners are an array of shape (corners, 2). A geometry may have holes and several parts;
        the features of a GeoJSON collection are united.
    holes : sequence of arrays of corners
        Only together with corners.
    name : str, optional
        The name of its part of the boundary; its sides are ``"name[0]"``, ``"name[1]"``, ...
        (``"side[0]"`` without a name) in the order of the corners as given, clockwise or not: side
        i begins at corner i, and those of holes follow. Where a corner is repeated there is none.
    parts : mapping of str to array, shape (lines, 2 ends, 2 coordinates), optional
        Names of parts of the boundary, each with the lines that it consists of.
    numbered : bool
        Whether sides have names with numbers.
    """

    _geometry: Any
    _named: Mapping[str, Floats]
    _numbered: bool

    def __init__(
        self,
        coordinates: tuple[sympy.Symbol, sympy.Symbol],
        outline: Any,
        *,
        holes: Sequence[ArrayLike] = (),
        name: str | None = None,
        parts: Mapping[str, ArrayLike] | None = None,
        numbered: bool = True,
    ) -> None:
        symbols = checked_coordinates(coordinates, 2, "A Polygon")
        geometry = read_geometry(outline, holes)
        self._set(
            _coordinates=symbols,
            _geometry=geometry,
            name=checked_part_name(name),
            _named={part: _lines(part, lines) for part, lines in _parts_of(parts).items()},
            _numbered=_flag(numbered),
        )

    def __repr__(self) -> str:
        own = ", ".join(map(str, self.coordinates))
        sides = f"{len(self._sides)} sides"
        return f"Polygon(({own}), {sides}{shown_name(self.name)})"

    @property
    def geometry(self) -> Any:
        """The shapely geometry."""
        return self._geometry

    @cached_property
    def bounding_box(self) -> Box:
        low_x, low_y, high_x, high_y = self._geometry.bounds
        x, y = self.coordinates
        return Box({x: (low_x, high_x), y: (low_y, high_y)})

    @cached_property
    def _rings(self) -> list[Floats]:
        """Closed rings as given, those of holes after the one around them."""
        return [np.asarray(ring.coords)[:, :2] for ring, _ in rings_of(self._geometry)]

    @cached_property
    def _all_sides(self) -> Floats:
        """Both ends of every side, shape (sides, 2 ends, 2 coordinates), the inside to its left."""
        turned = [ring.is_ccw != outer for ring, outer in rings_of(self._geometry)]
        sides = [np.stack([ring[:-1], ring[1:]], axis=1) for ring in self._rings]
        pairs = zip(sides, turned, strict=True)
        return np.concatenate([own[:, ::-1] if turn else own for own, turn in pairs])

    @cached_property
    def _numbers(self) -> NDArray[np.intp]:
        """Which of them have a length; the others are repeated corners."""
        lengths = np.linalg.norm(np.diff(self._all_sides, axis=1)[:, 0], axis=1)
        return np.flatnonzero(lengths > self.fuzz)

    @property
    def _sides(self) -> Floats:
        return np.asarray(self._all_sides[self._numbers])

    @property
    def pieces(self) -> Sequence[Piece]:
        prefix = self.name or "side"
        numbered = self._numbered and len(self._sides) <= _FEW_SIDES
        middles = self._all_sides.mean(axis=1)
        belongs = {
            part: np.array([_on_lines(middle, lines, self.margin) for middle in middles])
            for part, lines in self._named.items()
        }
        return [
            Segment(
                (
                    *self.names,
                    *(part for part, own in belongs.items() if own[number]),
                    *([f"{prefix}[{number}]"] if numbered else []),
                ),
                start,
                end,
            )
            for number, (start, end) in zip(self._numbers, self._sides, strict=True)
        ]

    def level(self, points: Floats) -> Floats:
        shapely = imported_shapely()
        distance = shapely.distance(self._edge, shapely.points(points))
        return np.asarray(np.where(self.inside(points), -distance, distance))

    def inside(self, points: Floats) -> NDArray[np.bool_]:
        found = imported_shapely().contains_xy(self._prepared, points[:, 0], points[:, 1])
        return np.asarray(found)

    @cached_property
    def _prepared(self) -> Any:
        imported_shapely().prepare(self._geometry)
        return self._geometry

    @cached_property
    def _edge(self) -> Any:
        return imported_shapely().MultiLineString(self._rings)

    def marks(self, axis: int) -> Floats:
        return np.unique(self._sides[:, 0, axis])

    def buffer(self, distance: Number) -> Shape:
        """Grown by a distance, with exact round corners, or shrunk by a negative one."""
        from piscm.shapes.ball import Disk

        reach = finite_number(distance, "The distance of buffer")
        if reach == 0:
            return self
        made: Shape = self
        x, y = self.coordinates
        for piece, (start, end) in zip(self.pieces, self._sides, strict=True):
            across = np.array([end[1] - start[1], start[0] - end[0]])
            across *= reach / np.hypot(*across)
            moved = [[start + across, end + across]]
            strip = Polygon(
                self.coordinates,
                [start, *moved[0], end],
                parts=dict.fromkeys(piece.names, moved),
                numbered=False,  # the numbers are those of this polygon
            )
            made = made | strip if reach > 0 else made - strip
            corner = Disk({x: float(start[0]), y: float(start[1])}, abs(reach), name=self.name)
            made = made | corner if reach > 0 else made - corner
        return made

    @property
    def document(self) -> Any:
        return {
            "shape": "polygon",
            "coordinates": [symbol.name for symbol in self.coordinates],
            "outline": (
                imported_shapely().to_wkt(self._geometry, rounding_precision=-1)
                if len(self._rings) > 1
                else self._rings[0].tolist()
            ),
            "name": self.name,
            "parts": {part: lines.tolist() for part, lines in self._named.items()},
            **({} if self._numbered else {"numbered": False}),
        }


def _parts_of(given: Any) -> Mapping[str, Any]:
    return {} if given is None else checked_mapping(given, "Polygon(parts=...)", "{'lid': lines}")


def _flag(given: Any) -> bool:
    if not isinstance(given, bool):
        raise ProblemError(f"Polygon(numbered={brief(given)}): give True or False.")
    return given


def _lines(part: str, given: ArrayLike) -> Floats:
    lines = finite_array(given, f"The lines of the part {part!r}")
    if lines.ndim != 3 or lines.shape[1:] != (2, 2):
        raise ProblemError(
            f"The part {part!r} has lines of shape {lines.shape}; give (lines, 2 ends, 2)."
        )
    checked_part_name(part)
    return lines


def _on_lines(point: Floats, lines: Floats, margin: float) -> bool:
    """Whether a point lies on one of some lines."""
    start, along = lines[:, 0], lines[:, 1] - lines[:, 0]
    share = np.einsum("ij,ij->i", point - start, along) / np.einsum("ij,ij->i", along, along)
    nearest = start + np.clip(share, 0.0, 1.0)[:, None] * along
    return bool((np.linalg.norm(point - nearest, axis=1) <= margin).any())
