"""A domain of last resort: points inside, and points of the boundary with normals."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import sympy
from numpy.typing import ArrayLike

from piscm.problem.box import Box
from piscm.problem.errors import ProblemError
from piscm.problem.numeric import Floats, finite_array
from piscm.shapes.pieces import Piece, Spot
from piscm.shapes.primitive import (
    Primitive,
    checked_coordinates,
    checked_part_name,
    shown_name,
)
from piscm.shapes.sections import area_rule, on_panels, on_spans, spans_on_lines
from piscm.shapes.shape import spread

# The farthest point of a surface looks outward; of points that are sparse, or lie at a corner, the
# farthest may look aside, but not back by more than this.
_BACK = -0.5
# The largest uncertainty of integrals; points that tell it; panels across which lines lie in the
# plane; and points of each line in space: more would not be worth it.
_WORST, _LOOK, _PANELS, _ENOUGH = 0.01, 16384, 16, 16


class PointCloud(Primitive):
    """A domain known by points of its boundary alone, each with its outward normal.

    Inside is where the nearest point of the boundary points away: as sharp as the points are dense.
    Conditions on the boundary hold at these points and nowhere else. Integrals over the inside are
    as accurate as that (a circle of 200 points: 1e-4, a sphere of 2000: 2e-3), and refused where
    the points themselves tell of more than 1 %; those over the boundary are not known.

    Parameters
    ----------
    coordinates : tuple of sympy.Symbol
    boundary, normals : array_like, shape (points, coordinates)
        Normals point outward; their lengths do not matter.
    name : str, optional
        The name of the boundary.
    """

    _points: Floats
    _normals: Floats

    def __init__(
        self,
        coordinates: tuple[sympy.Symbol, ...],
        boundary: ArrayLike,
        normals: ArrayLike,
        *,
        name: str | None = None,
    ) -> None:
        symbols = checked_coordinates(coordinates, None, "A PointCloud")
        points = finite_array(boundary, "The points of the cloud")
        outward = finite_array(normals, "The normals of the cloud")
        if points.ndim != 2 or points.shape[1] != len(symbols) or points.shape != outward.shape:
            raise ProblemError(
                f"The cloud has points of shape {points.shape} and normals of shape "
                f"{outward.shape}; both must be (points, {len(symbols)})."
            )
        if len(points) <= len(symbols):
            raise ProblemError(f"A cloud of {len(points)} points has no inside.")
        lengths = np.linalg.norm(outward, axis=1)
        if not lengths.all():
            first = int(np.flatnonzero(lengths == 0)[0])
            raise ProblemError(f"The normal of point {first} of the cloud is zero.")
        outward = outward / lengths[:, None]
        _checked_outward(points, outward, symbols)
        self._set(
            _coordinates=symbols,
            _points=points,
            _normals=outward,
            name=checked_part_name(name),
        )

    def __repr__(self) -> str:
        own = ", ".join(map(str, self.coordinates))
        return f"PointCloud(({own}), {len(self._points)} points{shown_name(self.name)})"

    @cached_property
    def bounding_box(self) -> Box:
        low, high = self._points.min(axis=0), self._points.max(axis=0)
        ends = zip(self.coordinates, low, high, strict=True)
        return Box({symbol: (float(a), float(b)) for symbol, a, b in ends})

    @cached_property
    def _tree(self) -> Any:
        from scipy.spatial import cKDTree

        return cKDTree(self._points)

    def level(self, points: Floats) -> Floats:
        distance, nearest = self._tree.query(points)
        side = np.einsum("ij,ij->i", points - self._points[nearest], self._normals[nearest])
        # On the tangent plane of the nearest point, which is as much as is known.
        return np.asarray(np.where(distance > 0, side, 0.0))

    @property
    def pieces(self) -> Sequence[Piece]:
        return [_Cloud(self.names, self._points, self._normals)]

    def marks(self, axis: int) -> Floats:
        return np.zeros(0)

    def quadrature(self, order: int) -> tuple[Floats, Floats]:
        if self.dimension not in (2, 3):
            raise ProblemError(f"Integrals over {self} are known in 2 and 3 dimensions only.")
        if self.uncertainty > _WORST:
            raise ProblemError(
                f"Integrals over {self} would be off by about {100 * self.uncertainty:.2g} %: that "
                "is what its inside changes by without every second point. Up to "
                f"{100 * _WORST:g} % is allowed; give more points of the boundary."
            )
        return area_rule(self, min(order, _ENOUGH)) if self.dimension == 3 else self._lines(order)

    @property
    def uncertainty(self) -> float:
        return self._uncertainty

    @cached_property
    def _uncertainty(self) -> float:
        """The part of the volume that is not certain, about.

        The boundary is a tangent plane at every point, off by the square of their distance, which
        is 2 times as large without every second point in the plane, and 2**0.5 times in space.
        """
        within = self._known_inside
        box = self.bounding_box
        every = box.lower + spread(_LOOK, self.dimension) * box.width
        inside = self.inside(every)
        off = [np.count_nonzero(self._half(first).inside(every) != inside) for first in (0, 1)]
        return max(off) / (2 ** (2 / (self.dimension - 1)) - 1) / len(within)

    def _half(self, first: int) -> "PointCloud":
        """Every second point, in an order in which neighbors follow each other."""
        from scipy.spatial import cKDTree

        order = cKDTree(self._points, leafsize=1).indices[first::2]
        made = object.__new__(PointCloud)  # as points that look aside may be among the outermost
        made._set(
            _coordinates=self._coordinates,
            _points=self._points[order],
            _normals=self._normals[order],
            name=None,
        )
        return made

    def _lines(self, order: int) -> tuple[Floats, Floats]:
        """Gauss points where lines along the first coordinate are inside, in the plane."""
        per = max(4, order // 2)
        low, high = self.span(self.coordinates[1])
        values, shares = on_panels(np.linspace(low, high, _PANELS + 1), per)
        starts = np.column_stack([np.zeros(len(values)), values])
        positions, weights, line = on_spans(spans_on_lines(self, 0, starts), per)
        return np.column_stack([positions, values[line]]), weights * shares[line]

    def boundary_quadrature(self, *_: Any, **__: Any) -> tuple[Floats, Floats, Floats]:
        raise ProblemError(f"Integrals over the boundary of {self} are not known.")

    @property
    def document(self) -> Any:
        return {
            "shape": "cloud",
            "coordinates": [symbol.name for symbol in self.coordinates],
            "boundary": self._points.tolist(),
            "normals": self._normals.tolist(),
            "name": self.name,
        }


def _checked_outward(
    points: Floats, normals: Floats, coordinates: tuple[sympy.Symbol, ...]
) -> None:
    """Raise `ProblemError` if a point that is farthest along a coordinate looks back inside."""
    for axis, symbol in enumerate(coordinates):
        for sign, most in ((1, "largest"), (-1, "smallest")):
            far = int(np.argmax(sign * points[:, axis]))
            if sign * normals[far, axis] < _BACK:
                place = ", ".join(f"{own:.4g}" for own in points[far])
                raise ProblemError(
                    f"The normal of point {far} of the cloud, at ({place}), where {symbol} is "
                    f"{most}, points inward; normals must point outward."
                )


@dataclass(frozen=True, eq=False)
class _Cloud(Piece):
    """Some of the points, by a parameter that runs through all of them."""

    names: tuple[str, ...]
    points: Floats
    normals: Floats

    parameters = 1

    def at(self, unit: Floats) -> Spot:
        chosen = np.minimum((unit[:, 0] * len(self.points)).astype(int), len(self.points) - 1)
        return Spot(self.points[chosen], self.normals[chosen], np.ones(len(unit)))
