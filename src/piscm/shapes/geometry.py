"""Geometries of shapely, from corners, text and mappings."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from piscm.problem.errors import ProblemError, brief, shortened
from piscm.problem.numeric import Floats, finite_array


def imported_shapely() -> Any:
    """The package shapely, imported when it is first needed."""
    try:
        import shapely
    except ImportError:
        raise ImportError("Polygons need shapely: pip install 'piscm[shapes]'") from None
    return shapely


def is_geometry(given: Any) -> bool:
    """Whether something is a geometry of shapely, which need not be installed."""
    return hasattr(given, "geom_type")


def read_geometry(outline: Any, holes: Sequence[ArrayLike]) -> Any:
    """A valid shapely polygon or several of them, with corners in the order given."""
    shapely = imported_shapely()
    if not isinstance(holes, list | tuple | np.ndarray):
        raise ProblemError(f"Polygon(holes={brief(holes)}): give a list of arrays of corners.")
    if isinstance(outline, str | Mapping) or is_geometry(outline):
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
    return geometry


def rings_of(geometry: Any) -> list[tuple[Any, bool]]:
    """The rings of a polygon or several, and whether each is the outer one of its polygon."""
    found: list[tuple[Any, bool]] = []
    for own in getattr(geometry, "geoms", [geometry]):
        found += [(own.exterior, True), *((ring, False) for ring in own.interiors)]
    return found


def _as_geometry(outline: Any, shapely: Any) -> Any:
    try:
        if isinstance(outline, str) and outline.lstrip().startswith("{"):
            outline = json.loads(outline)
        if isinstance(outline, str):
            return shapely.from_wkt(outline)
        if isinstance(outline, Mapping):
            features = outline.get("features", [outline])  # a collection is what maps are saved as
            made = [shapely.geometry.shape(own) for own in features]
            # A union has its corners in an order of its own.
            return made[0] if len(made) == 1 else shapely.union_all(made)
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
