"""Splines through values on a grid, with how far they can be trusted between the grid's points."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Where a spline is compared with one of half the points: at most so many places.
_MOST = 20_000
# An axis with fewer points is not judged: half of them say nothing.
_LEAST = 5
# A derivative below this fraction of what the range of values suggests is round-off.
_SMALL = 1e-6


class Doubt(NamedTuple):
    """How much a spline changes if every second point is left out, relative, and where most."""

    change: float
    place: tuple[float, ...]
    axis: int


class Spline:
    """A tensor product of splines through values on a grid.

    Parameters
    ----------
    axes : sequence of ndarray
        The increasing points along each coordinate.
    values : ndarray
        One value for each point of the grid.
    degree : int
        Lowered along coordinates that have too few points for it.
    """

    def __init__(self, axes: Sequence[Floats], values: Floats, degree: int) -> None:
        from scipy.interpolate import NdBSpline, make_interp_spline  # slow to import

        self.axes, self.values, self.degree = tuple(axes), values, degree
        self.degrees = tuple(degree_for(len(points), degree) for points in axes)
        knots, made = [], values
        for axis, (points, own) in enumerate(zip(axes, self.degrees, strict=True)):
            along = make_interp_spline(points, np.moveaxis(made, axis, 0), k=own)
            knots.append(along.t)
            made = np.moveaxis(along.c, 0, axis)
        self._spline = NdBSpline(tuple(knots), np.ascontiguousarray(made), self.degrees)

    def __call__(self, points: Floats, orders: Sequence[int]) -> Floats:
        """A derivative at points of shape (points, coordinates)."""
        if any(order > own for order, own in zip(orders, self.degrees, strict=True)):
            return np.zeros(len(points))
        return np.asarray(self._spline(points, nu=tuple(orders)))

    def doubt(self, orders: Sequence[int]) -> Doubt:
        """How much a derivative changes if every second point of an axis is left out."""
        worst = Doubt(0.0, tuple(float(points[0]) for points in self.axes), 0)
        for axis, points in enumerate(self.axes):
            if len(points) < _LEAST:
                continue
            kept = np.unique([*range(0, len(points), 2), len(points) - 1])
            left_out = np.setdiff1d(np.arange(len(points)), kept)
            coarse = Spline(
                [*self.axes[:axis], points[kept], *self.axes[axis + 1 :]],
                np.take(self.values, kept, axis),
                self.degree,
            )
            at = _product([*self.axes[:axis], points[left_out], *self.axes[axis + 1 :]])
            own = self(at, orders)
            change = np.abs(coarse(at, orders) - own)
            most = int(np.argmax(change))
            size = max(self._size(orders), float(np.abs(own).max()) if any(orders) else 0.0)
            relative = float(change[most] / size) if size > 0 else 0.0
            if relative > worst.change:
                worst = Doubt(relative, tuple(map(float, at[most])), axis)
        return worst

    def _size(self, orders: Sequence[int]) -> float:
        """The range of the values, or what it means for a derivative."""
        size = float(np.ptp(self.values))
        if not any(orders):
            return size
        widths = [float(np.ptp(points)) or 1.0 for points in self.axes]
        pairs = zip(widths, orders, strict=True)
        return _SMALL * size / float(np.prod([width**order for width, order in pairs]))


def degree_for(count: int, degree: int) -> int:
    """The degree that so many points allow; cubic rather than of an even degree."""
    if count > degree:
        return degree
    return 3 if count in (4, 5) and degree > 3 else max(count - 1, 0)


def increasing(points: Floats) -> bool:
    """Whether every point lies above the one before."""
    return all(low < high for low, high in pairwise(points.tolist()))


def _product(axes: Sequence[Floats]) -> Floats:
    """All points of a grid, or some of them if there are very many."""
    count = int(np.prod([len(points) for points in axes]))
    chosen = np.arange(count)
    if count > _MOST:
        chosen = np.sort(np.random.default_rng(0).choice(count, _MOST, replace=False))
    where = np.unravel_index(chosen, [len(points) for points in axes])
    return np.stack([points[own] for points, own in zip(axes, where, strict=True)], axis=1)
