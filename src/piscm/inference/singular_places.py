"""Places on the boundary where a gradient may be infinite, and whether a network follows it there.

At a re-entrant corner, and where a value is given on one side of a point of the boundary and a
slope on the other, second derivatives of most solutions have no finite mean square. The residual
of a smooth network is then least for another function, and a richer space of smooth nodes, which
the error estimate takes, agrees with it. But that function does not meet the equations near the
place.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import sympy
from numpy.typing import NDArray
from sympy.core.function import AppliedUndef

from piscm.assemble.marching import marching_coordinate
from piscm.inference.balance import left_of
from piscm.inference.singular_edges import changing_lines, cut_edges, points_of_kinds
from piscm.network.model import Model
from piscm.network.network import Network
from piscm.problem.box import Box
from piscm.problem.domain import Domain
from piscm.problem.problem import Problem
from piscm.shapes.product import Product
from piscm.shapes.rings import room
from piscm.shapes.shape import Shape
from piscm.shapes.singular import corners

Floats = NDArray[np.float64]

# Points of each condition, and within how many of their distances one gives way to another.
_DENSE, _SPACINGS = 4000, 6.0
# Values and slopes are given in one place if so many points of these have one of those near.
_BOTH = 0.6
# Where a value gives way to a slope the gradient is finite up to a right angle; a little more is
# taken for one.
_RIGHT = 0.27  # of a whole turn
# The circle on which the angle is measured, and the surroundings of a place that may be looked at,
# relative to the box.
_CIRCLE, _AROUND = 0.03, 0.2
_POINTS, _NEAREST = 1000, 1e-4
# Equations are not followed where the residual is this part of their terms, and where it is so many
# times that of the whole domain a smaller one.
_UNBALANCED, _LOUDER, _LESS = 0.5, 4.0, 0.1
# Errors due to such a place are up to this many times the relative residual (41 was seen).
_HIDDEN = 100.0


class SingularPlace(NamedTuple):
    """A place of the boundary, how far its surroundings reach, and whether conditions change.

    It has one value, or those of a line in space, of the coordinates `axes`, and any of the others.
    """

    point: Floats
    width: float
    mixed: bool = False
    axes: tuple[int, ...] = (0, 1)
    line: Floats | None = None

    def nearest(self, points: Floats) -> Floats:
        """The points of the place that are nearest to given ones."""
        own, axes = points.copy(), list(self.axes)
        if self.line is None:
            own[:, axes] = self.point[axes]
        else:
            from scipy.spatial import cKDTree

            own[:, axes] = self.line[cKDTree(self.line).query(points[:, axes])[1]]
        return own

    def spread(self, points: Floats, rng: np.random.Generator) -> Floats:
        """Points all over the place, with the other coordinates of given ones."""
        own = self.nearest(points)
        if self.line is not None:
            own[:, list(self.axes)] = rng.choice(self.line, len(points))
        return own


def singular_places(problem: Problem) -> list[SingularPlace]:
    """Where gradients may be infinite: points of the plane, lines in space, also at all times."""
    found = []
    for axes, section in _sections(problem):
        around = _AROUND * float(section.bounding_box.width.min())
        middle = problem.domain.bounding_box.center
        for points, width, mixed in _within(problem, axes, section, around):
            point = middle.copy()
            point[list(axes)] = points[len(points) // 2]
            line = points if len(axes) == 3 else None
            found.append(SingularPlace(point, width, mixed, axes, line))
    return found


def _within(
    problem: Problem, axes: tuple[int, ...], section: Box | Shape, around: float
) -> Iterator[tuple[Floats, float, bool]]:
    """Points of each place in a section, the width of its surroundings, and whether it is mixed."""
    if len(axes) == 3:
        lines = [(changing_lines(problem, item, axes, section), True) for item in problem.fields]
        lines.append((cut_edges(section), False))
        yield from ((line, around, mixed) for line, mixed in lines if len(line))
        return
    if isinstance(section, Shape):
        for corner in corners(section):
            yield corner.point[None], room(section, corner.point), False
    for item in problem.fields:
        for point in _changes(problem, item, axes, section):
            yield point[None], around, True


def _sections(problem: Problem) -> list[tuple[tuple[int, ...], Box | Shape]]:
    """Coordinates in which places are looked for, and their domain, the same for all others."""
    domain = problem.domain
    if not isinstance(domain, Box | Shape) or domain.dimension < 2:
        return []
    whole = tuple(range(domain.dimension))
    if domain.dimension == 2:
        return [(whole, domain)]
    found: list[tuple[tuple[int, ...], Box | Shape]] = []
    along = marching_coordinate(problem)
    if isinstance(domain, Product):
        found.append((whole[: domain.section.dimension], domain.section))
    elif isinstance(domain, Box) and along is not None:
        rest = [symbol for symbol in domain.coordinates if symbol != along]
        bounds = {symbol: domain.bounds[symbol] for symbol in rest}
        found.append((tuple(map(domain.axis, rest)), Box(bounds)))
    if along is None:
        found.append((whole, domain))
    return [(axes, section) for axes, section in found if len(axes) in (2, 3)]


def unfollowed_places(network: Model, residual: float, tolerance: float) -> list[Floats]:
    """Those where a network does not meet the equations, and more than is asked for may hide.

    The residual is relative to the solution.
    """
    if not isinstance(network, Network):
        return []
    if network.panels is not None and network.problem.domain.dimension == 2:
        return []  # time is one of the two
    if _HIDDEN * residual <= tolerance:
        return []
    places = singular_places(network.problem)
    if not places:
        return []
    problem, rng = network.problem, np.random.default_rng(0)
    spread = problem.domain.sample_inside(_POINTS, lambda count, n: rng.random((count, n)))
    return [
        place.point
        for place in places
        if any(_unfollowed(network, own, place, spread, rng) for own in problem.equations)
    ]


def _unfollowed(
    network: Network,
    equation: sympy.Expr,
    place: SingularPlace,
    spread: Floats,
    rng: np.random.Generator,
) -> bool:
    near = near_place(place, network.problem.domain, rng)
    if not len(near):
        return False
    if place.mixed and network.problem.singular:  # those of other places, which drown all else
        return True
    compiled = network.compile(equation)
    there, elsewhere = (
        float(np.sqrt(np.mean(network.value(compiled, points) ** 2))) for points in (near, spread)
    )
    # Smooth solutions may be nearly zero there, and what is left of the equations all of it.
    if there < elsewhere and len(place.point) > 2:
        return False
    least = _LESS if there > _LOUDER * elsewhere else _UNBALANCED
    return left_of(network, equation, near) > least


def near_place(place: SingularPlace, domain: Domain, rng: np.random.Generator) -> Floats:
    """Points inside, at log-uniform distances from a place."""
    count = 4 * _POINTS if domain.dimension == 2 else 2 * _POINTS
    if domain.dimension == 2:
        angles = 2 * np.pi * rng.random(count)
        directions = np.array([np.cos(angles), np.sin(angles)]).T
        distances = place.width * _NEAREST ** rng.random(count)
        around = place.point + distances[:, None] * directions
    else:
        directions = np.zeros((count, domain.dimension))
        directions[:, list(place.axes)] = rng.normal(size=(count, len(place.axes)))
        directions /= np.linalg.norm(directions, axis=1)[:, None]
        distances = place.width * _NEAREST ** rng.random(count)
        inside = domain.sample_inside(_POINTS // 2, lambda many, n: rng.random((many, n)))
        centers = place.spread(rng.choice(inside, count), rng)
        around = centers + distances[:, None] * directions
    return np.asarray(around[domain.contains(around)][:_POINTS])


def _changes(
    problem: Problem, item: AppliedUndef, axes: tuple[int, ...], domain: Box | Shape
) -> list[Floats]:
    """Where a value of a field gives way to a slope, at more than a right angle.

    `domain` is that of the axes, at all values of other coordinates.
    """
    from scipy.spatial import cKDTree

    kinds = points_of_kinds(problem, item, _DENSE, axes)
    if kinds is None:
        return []
    width = domain.bounding_box.width
    sloping, valued = (own / width for own in kinds)
    near = _SPACINGS * 4 / _DENSE
    distances, which = cKDTree(valued).query(sloping)
    close = np.flatnonzero(distances < near)
    if not len(close):
        return []
    around, both = (
        cKDTree(own).query_ball_point(sloping[close], 4 * near, p=np.inf, return_length=True)
        for own in (sloping, sloping[close])
    )
    close = close[both < _BOTH * around]  # where both are given, as where time begins, none ends
    found: list[Floats] = []
    for number in close[np.argsort(distances[close])]:
        point = (sloping[number] + valued[which[number]]) / 2
        if all(np.abs(point - own).max() > 4 * near for own in found):
            found.append(point)
    return [point * width for point in found if _turn(domain, point * width) > _RIGHT]


def _turn(domain: Domain, point: Floats) -> float:
    """The angle of a domain at a point of its boundary, as a fraction of a whole turn."""
    angles = 2 * np.pi * (np.arange(720) + 0.5) / 720
    circle = _CIRCLE * float(domain.bounding_box.width.min())
    around = point + circle * np.array([np.cos(angles), np.sin(angles)]).T
    return float(np.mean(domain.contains(around)))
