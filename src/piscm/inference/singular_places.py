"""Places on the boundary where a gradient may be infinite, and whether a network follows it there.

At a re-entrant corner, and where a value is given on one side of a point of the boundary and a
slope on the other, second derivatives of most solutions have no finite mean square. The residual
of a smooth network is then least for another function, and a richer space of smooth nodes, which
the error estimate takes, agrees with it. But that function does not meet the equations near the
place.
"""

from typing import NamedTuple

import numpy as np
import sympy
from numpy.typing import NDArray
from sympy.core.function import AppliedUndef

from piscm.assemble.sampling import Sampling
from piscm.inference.balance import left_of
from piscm.network.model import Model
from piscm.network.network import Network
from piscm.problem.box import Box
from piscm.problem.domain import Domain
from piscm.problem.problem import Problem
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
    """A point of the boundary, how far its surroundings reach, and whether conditions change."""

    point: Floats
    width: float
    mixed: bool = False


def singular_places(problem: Problem) -> list[SingularPlace]:
    """Where gradients may be infinite, in two dimensions."""
    domain = problem.domain
    if domain.dimension != 2 or not isinstance(domain, Box | Shape):
        return []
    found = []
    if isinstance(domain, Shape):
        found = [SingularPlace(own.point, room(domain, own.point)) for own in corners(domain)]
    around = _AROUND * float(domain.bounding_box.width.min())
    for item in problem.fields:
        found += [SingularPlace(point, around, True) for point in _changes(problem, item)]
    return found


def unfollowed_places(network: Model, residual: float, tolerance: float) -> list[Floats]:
    """Those where a network does not meet the equations, and more than is asked for may hide.

    The residual is relative to the solution.
    """
    if not isinstance(network, Network) or network.panels is not None:
        return []
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
    least = _LESS if there > _LOUDER * elsewhere else _UNBALANCED
    return left_of(network, equation, near) > least


def near_place(place: SingularPlace, domain: Domain, rng: np.random.Generator) -> Floats:
    """Points inside, at log-uniform distances from a place."""
    angles = 2 * np.pi * rng.random(4 * _POINTS)
    distances = place.width * _NEAREST ** rng.random(4 * _POINTS)
    around = place.point + distances[:, None] * np.array([np.cos(angles), np.sin(angles)]).T
    return np.asarray(around[domain.contains(around)][:_POINTS])


def _changes(problem: Problem, item: AppliedUndef) -> list[Floats]:
    """Where a value of a field gives way to a slope, at more than a right angle."""
    from scipy.spatial import cKDTree

    domain, drawing = problem.domain, Sampling(_DENSE, _DENSE).drawing(np.random.default_rng(0))
    kinds: dict[bool, list[Floats]] = {True: [], False: []}
    for condition in problem.conditions:
        if condition.place is None or not condition.expression.has(item):
            continue
        slopes = condition.expression.atoms(sympy.Derivative)
        kind = any(slope.expr == item for slope in slopes)
        legs = condition.place.sample(domain, drawing)
        kinds[kind] += [leg.points for leg in legs if len(leg.points) > 1]
    if not (kinds[True] and kinds[False]):
        return []
    width = domain.bounding_box.width
    sloping, valued = (np.concatenate(kinds[kind]) / width for kind in (True, False))
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
