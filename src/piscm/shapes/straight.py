"""Combinations of straight-sided shapes in the plane, as one polygon."""

from typing import Any

import numpy as np

from piscm.problem.errors import ProblemError
from piscm.shapes.brick import Brick
from piscm.shapes.combination import Combination
from piscm.shapes.geometry import imported_shapely
from piscm.shapes.polygon import Polygon
from piscm.shapes.shape import Shape


def as_polygon(shape: Combination, why: str) -> Polygon:
    """The same shape as a `Polygon` that keeps the names; `why` says what it is needed for."""
    geometry = _geometry(shape, why)
    lines: dict[str, list[Any]] = {}
    for run in shape.outline.runs:
        ends = run.at(np.array([run.low, run.high])).points
        for name in run.piece.names:
            lines.setdefault(name, []).append(ends)
    first, second = shape.coordinates
    return Polygon((first, second), geometry, parts=lines, numbered=False)


def _geometry(shape: Shape, why: str) -> Any:
    if isinstance(shape, Polygon):
        return shape.geometry
    if isinstance(shape, Brick) and shape.dimension == 2:
        box = shape.bounding_box
        return imported_shapely().box(*box.lower, *box.upper)
    if isinstance(shape, Combination):
        first, second = (_geometry(own, why) for own in (shape.first, shape.second))
        return getattr(first, shape.how)(second)
    raise ProblemError(
        f"{shape} has no straight sides, {why}: grow or shrink the shapes that you combine instead."
    )
