"""Edges and lines of bodies in space along which a gradient may be infinite.

In the plane such places are points, found one by one (`singular_places`). In space they are lines:
edges that a body is cut in by, and lines on its surface where a value gives way to a slope. Points
of the surface tell them: two that are close to each other and have other normals, or conditions.
"""

import numpy as np
import sympy
from numpy.typing import NDArray
from sympy.core.function import AppliedUndef

from piscm.assemble.sampling import Sampling
from piscm.problem.domain import Domain
from piscm.problem.problem import Problem
from piscm.shapes.product import Product
from piscm.shapes.shape import Shape

Floats = NDArray[np.float64]

# Points of a surface, of every condition, and how near two of them are, relative to the box, which
# tell a line between them.
_DENSE, _NEAR = 40000, 0.006
# The same for points of the whole surface, whose normals tell where the edge between them is.
_SURFACE, _BESIDE = 20000, 0.03
# The sphere on which the angle at a line is measured, relative to the box; its points; and lines
# that are looked at.
_SPHERE, _DIRECTIONS, _LOOKS = 0.03, 200, 40
_HEIGHTS = 1 - (2 * np.arange(_DIRECTIONS) + 1) / _DIRECTIONS
# Parts of that sphere from which on a line counts: where conditions change a little more than a
# right angle, and a little more than a plane where they do not.
_RIGHT, _PLANE = 0.31, 0.6
# Normals that differ less are those of a curved surface, or of two sides of a sheet.
_BENT = 0.9
# What holds at one value of a coordinate has that at more than this part of its points.
_SHARED = 0.01
# Values and slopes are given in one place if so many points of these have one of those near.
_BOTH = 0.6


def changing_lines(
    problem: Problem, item: AppliedUndef, axes: tuple[int, ...], domain: Domain
) -> Floats:
    """Points of lines where a value of a field gives way to a slope: (points, 3).

    `domain` is that of the axes, at all values of other coordinates.
    """
    kinds = points_of_kinds(problem, item, _DENSE, axes)
    if kinds is None:
        return np.zeros((0, 3))
    width = domain.bounding_box.width
    sloping, valued = (own / width for own in kinds)
    distances, which = _nearest(valued, sloping)
    close = np.flatnonzero(distances < _NEAR)
    if not len(close):
        return np.zeros((0, 3))
    both = _count_around(sloping[close], sloping[close])
    every = _count_around(sloping, sloping[close])
    close = close[both < _BOTH * every]
    found = (sloping[close] + valued[which[close]]) / 2 * width
    return _turned(domain, found, _RIGHT)


def points_of_kinds(
    problem: Problem, item: AppliedUndef, count: int, axes: tuple[int, ...]
) -> tuple[Floats, Floats] | None:
    """Points where a slope of a field is given, and where a value is; None if not both are.

    Of these they have the coordinates `axes`. What holds at one value of another coordinate, as
    where time begins, is left out: it meets the rest of the boundary at a right angle.
    """
    others = [i for i in range(problem.domain.dimension) if i not in axes]
    drawing = Sampling(count, count).drawing(np.random.default_rng(0))
    kinds: dict[bool, list[Floats]] = {True: [], False: []}
    for condition in problem.conditions:
        if condition.place is None or not condition.expression.has(item):
            continue
        slopes = condition.expression.atoms(sympy.Derivative)
        kind = any(slope.expr == item for slope in slopes)
        for leg in condition.place.sample(problem.domain, drawing):
            kept = np.all([_apart(leg.points[:, i]) for i in others], axis=0) if others else ...
            if len(leg.points[kept]) > 1:
                kinds[kind].append(leg.points[kept][:, list(axes)])
    if not (kinds[True] and kinds[False]):
        return None
    return np.concatenate(kinds[True]), np.concatenate(kinds[False])


def _apart(values: Floats) -> NDArray[np.bool_]:
    """Which of some values are not those of many."""
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray(counts[which] <= max(1.0, _SHARED * len(values)))


def cut_edges(domain: Domain) -> Floats:
    """Points of the edges that a body in space is cut in by: (points, 3)."""
    if not isinstance(domain, Shape) or isinstance(domain, Product):
        return np.zeros((0, 3))  # those of a product are the corners of its section
    rng = np.random.default_rng(0)
    points, normals = domain.sample_boundary(_SURFACE, lambda count, n: rng.random((count, n)))
    width = domain.bounding_box.width
    from scipy.spatial import cKDTree

    pairs = cKDTree(points / width).query_pairs(_BESIDE, output_type="ndarray")
    if not len(pairs):
        return np.zeros((0, 3))
    cosine = _dots(normals[pairs[:, 0]], normals[pairs[:, 1]])
    one, other = pairs[(cosine < _BENT) & (cosine > -_BENT)].T
    across = points[other] - points[one]
    # Seen from either of them, the other rises above its plane.
    rises, falls = _dots(across, normals[one]), _dots(across, normals[other])
    kept = (rises > 0) & (falls < 0)
    one, other, rises, falls = one[kept], other[kept], rises[kept], falls[kept]
    # From the middle between them to the line in which both planes meet.
    share = _dots(normals[one], normals[other])
    first = -(rises + share * falls) / 2 / (1 - share**2)
    second = (falls + share * rises) / 2 / (1 - share**2)
    middle = (points[one] + points[other]) / 2
    edges = middle + first[:, None] * normals[one] + second[:, None] * normals[other]
    return _turned(domain, edges, _PLANE)


def _dots(one: Floats, other: Floats) -> Floats:
    return np.asarray(np.einsum("ij,ij->i", one, other))


def _nearest(points: Floats, asked: Floats) -> tuple[Floats, NDArray[np.intp]]:
    from scipy.spatial import cKDTree

    distances, which = cKDTree(points).query(asked, distance_upper_bound=_NEAR)
    return np.asarray(distances), np.asarray(which)


def _count_around(points: Floats, asked: Floats) -> Floats:
    from scipy.spatial import cKDTree

    return np.asarray(cKDTree(points).query_ball_point(asked, 4 * _NEAR, return_length=True))


def _turned(domain: Domain, points: Floats, least: float) -> Floats:
    """Those of some points around which more than a part of a small sphere is inside."""
    if len(points) > _LOOKS:
        points = points[:: -(-len(points) // _LOOKS)]
    if not len(points):
        return np.zeros((0, 3))
    turn, height = np.pi * (1 + 5**0.5) * np.arange(_DIRECTIONS), _HEIGHTS
    flat = np.sqrt(1 - height**2)  # evenly spread on the sphere
    directions = np.column_stack([flat * np.cos(turn), flat * np.sin(turn), height])
    radius = _SPHERE * float(domain.bounding_box.width.min())
    around = points[:, None] + radius * directions
    inside = domain.contains(around.reshape(-1, 3)).reshape(len(points), -1)
    return np.asarray(points[inside.mean(axis=1) > least])
