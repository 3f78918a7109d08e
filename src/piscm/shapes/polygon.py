"""Polygons with holes, on shapely."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import sympy
from numpy.typing import ArrayLike, NDArray

from piscm.problem.box import Box
from piscm.problem.errors import ProblemError, brief, shortened
from piscm.problem.given import checked_mapping
from piscm.problem.numeric import Floats, finite_array, finite_number
from piscm.problem.written import Number
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
    outline : corners, a shapely geometry, WKT text or a GeoJSON mapping
        Corners are an array of shape (corners, 2). A geometry may have holes and several parts;
        the features of a GeoJSON collection are united.
    holes : sequence of arrays of corners
        Only together with corners.
    name : str, optional
        The name of its part of the boundary; its sides are ``"name[0]"``, ``"name[1]"``, ..., in
        the order of the corners (``"side[0]"`` without a name).
    parts : mapping of str to array, shape (lines, 2 ends, 2 coordinates), optional
        Names of parts of the boundary, each with the lines that it consists of.
    """

    _geometry: Any
    _named: Mapping[str, Floats]

    def __init__(
        self,
        coordinates: tuple[sympy.Symbol, sympy.Symbol],
        outline: Any,
        *,
        holes: Sequence[ArrayLike] = (),
        name: str | None = None,
        parts: Mapping[str, ArrayLike] | None = None,
    ) -> None:
        symbols = checked_coordinates(coordinates, 2, "A Polygon")
        geometry = _read(outline, holes)
        self._set(
            _coordinates=symbols,
            _geometry=geometry,
            name=checked_part_name(name),
            _named={part: _lines(part, lines) for part, lines in _parts_of(parts).items()},
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
        """Closed rings, the inside to the left of each."""
        polygons = getattr(self._geometry, "geoms", [self._geometry])
        rings = [ring for own in polygons for ring in (own.exterior, *own.interiors)]
        return [np.asarray(ring.coords)[:, :2] for ring in rings]

    @cached_property
    def _sides(self) -> Floats:
        """Both ends of every side, shape (sides, 2 ends, 2 coordinates)."""
        return np.concatenate([np.stack([ring[:-1], ring[1:]], axis=1) for ring in self._rings])

    @property
    def pieces(self) -> Sequence[Piece]:
        prefix = self.name or "side"
        few = len(self._sides) <= _FEW_SIDES
        middles = self._sides.mean(axis=1)
        belongs = {
            part: np.array([_on_lines(middle, lines, self.margin) for middle in middles])
            for part, lines in self._named.items()
        }
        return [
            Segment(
                (
                    *self.names,
                    *(part for part, own in belongs.items() if own[number]),
                    *([f"{prefix}[{number}]"] if few else []),
                ),
                start,
                end,
            )
            for number, (start, end) in enumerate(self._sides)
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
        for number, (start, end) in enumerate(self._sides):
            across = np.array([end[1] - start[1], start[0] - end[0]])
            across *= reach / np.hypot(*across)
            moved = [[start + across, end + across]]
            names = [self.name, f"{self.name}[{number}]"] if self.name else []
            strip = Polygon(
                self.coordinates,
                [start, *moved[0], end],
                parts=dict.fromkeys(names, moved),
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
        }


def _parts_of(given: Any) -> Mapping[str, Any]:
    return {} if given is None else checked_mapping(given, "Polygon(parts=...)", "{'lid': lines}")


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


def imported_shapely() -> Any:
    """The package shapely, imported when it is first needed."""
    try:
        import shapely
    except ImportError:
        raise ImportError("Polygons need shapely: pip install 'piscm[shapes]'") from None
    return shapely


def _read(outline: Any, holes: Sequence[ArrayLike]) -> Any:
    """A valid shapely polygon or several of them, each with its inside to the left."""
    shapely = imported_shapely()
    if not isinstance(holes, list | tuple | np.ndarray):
        raise ProblemError(f"Polygon(holes={brief(holes)}): give a list of arrays of corners.")
    if isinstance(outline, str | Mapping) or hasattr(outline, "geom_type"):
        if len(holes):
            raise ProblemError("holes are given with corners; a geometry has its own.")
        geometry = _as_geometry(outline, shapely)
    else:
        rings = [_corners(own) for own in (outline, *holes)]
        geometry = shapely.Polygon(rings[0], rings[1:])
    if geometry.geom_type not in ("Polygon", "MultiPolygon") or geometry.is_empty:
        kind = f"empty {geometry.geom_type}" if geometry.is_empty else geometry.geom_type
        raise ProblemError(f"The outline of a Polygon is of the kind {kind}; it has no inside.")
    if not geometry.is_valid:
        reason = shapely.is_valid_reason(geometry)
        raise ProblemError(
            f"The polygon is not one: {reason}. Its sides may not cross or touch each other; "
            "shapely.make_valid may repair it."
        )
    return shapely.orient_polygons(geometry)


def _as_geometry(outline: Any, shapely: Any) -> Any:
    try:
        if isinstance(outline, str):
            return shapely.from_wkt(outline)
        if isinstance(outline, Mapping):
            features = outline.get("features", [outline])  # a collection is what maps are saved as
            return shapely.union_all([shapely.geometry.shape(own) for own in features])
    except Exception as error:  # shapely and GEOS raise many kinds
        raise ProblemError(
            f"{brief(outline)} is not a geometry: {shortened(str(error))}."
        ) from None
    return outline


def _corners(given: ArrayLike) -> Floats:
    corners = finite_array(given, "The corners of the polygon")
    if corners.ndim != 2 or corners.shape[1] != 2 or len(corners) < 3:
        raise ProblemError(
            f"The corners of the polygon have the shape {corners.shape}; give (corners, 2), at "
            "least three."
        )
    return corners
