"""A problem in rings around re-entrant corners, tried where nothing else did.

The better a smooth function follows such a solution, the larger its own second derivatives at the
corner: with one network the residual of all points together is least for something else. In rings
each has its own rows, divided by what they are for its own nodes, so that none is loud.
"""

from dataclasses import replace
from itertools import product

import sympy
from sympy.core.function import AppliedUndef

from piscm.assemble.windows import Part
from piscm.inference.singular_places import singular_places
from piscm.march.enriched import MISSED
from piscm.march.methods import Auto
from piscm.problem.boundary_part import BoundaryPart
from piscm.problem.errors import ProblemError
from piscm.problem.mosaic import Mosaic
from piscm.problem.normals import normal
from piscm.problem.place import Kept, Place
from piscm.problem.problem import Problem
from piscm.problem.region import Region
from piscm.problem.requirement import Requirement
from piscm.problem.several import Several
from piscm.result.method import Outcome
from piscm.shapes.rings import rings
from piscm.shapes.shape import Shape

# What rings reach: where the error is smaller already, as it is with singular functions that almost
# do, they are not tried.
_REACHED = 1e-3
# Nodes of a window, of which a network alone may have four times as many: rings are as good as they
# get with half of that. They are drawn at once; to grow nodes of many fields takes a minute.
_NODES = 140


def in_rings(method: Auto) -> Auto:
    """The method with as many nodes as rings have use for."""
    return replace(method, max_nodes=min(method.max_nodes, _NODES))


def ringed(problem: Problem, outcome: Outcome) -> Problem | None:
    """The problem with a region for each ring, tied so that the fields are smooth across.

    None if the outcome needs none, the shape has no such corners, the problem is not linear, or
    other things than equations and conditions are given, which would take long.
    """
    domain = problem.domain
    good = outcome.error is not None and outcome.error.relative < _REACHED
    if outcome.status not in MISSED or good or not isinstance(domain, Shape):
        return None
    if problem.asked.any() or problem.observations:
        return None
    if any(set(item.args) != set(domain.coordinates) for item in problem.fields):
        return None
    if not all(block.linear for block in Part.whole(problem).blocks):
        return None
    away, *near = rings(domain) or [domain]
    if not near or any(place.mixed for place in singular_places(problem)):
        return None  # nor do rings follow the root where a value gives way to a slope
    named = [("away", away), *((f"ring{number}", own) for number, own in enumerate(near, start=1))]
    whole = Mosaic([own for _, own in named], [name for name, _ in named])
    try:
        return Problem(
            equations=problem.equations,
            conditions=[_on_rings(item, whole) for item in problem.conditions],
            regions=[Region(own, singular={}, name=name) for name, own in named],
            interface=[part for item in problem.fields for part in _tied(problem, item)],
        )
    except ProblemError:  # an integral over the whole shape, for one
        return None


def _on_rings(item: Requirement, whole: Mosaic) -> Requirement:
    """A condition on parts of the shape's boundary, which is now that of all rings together."""
    place = _rebound(item.place, whole)
    return item if place is item.place else item.within(Kept(place))


def _rebound(place: Place, whole: Mosaic) -> Place:
    if isinstance(place, BoundaryPart):
        return replace(place, domain=whole)
    if isinstance(place, Several):
        return Several(tuple(_rebound(own, whole) for own in place.places))
    return place


def _tied(problem: Problem, item: AppliedUndef) -> list[sympy.Expr]:
    """A field, and its derivatives along the normal below the order of the equations."""
    own = [
        part.derivative_count
        for equation in problem.equations
        for part in equation.atoms(sympy.Derivative)
        if part.expr == item
    ]
    return [
        sympy.Add(
            *(
                sympy.Mul(*map(normal, along), item.diff(*along) if along else item)
                for along in product(problem.domain.coordinates, repeat=order)
            )
        )
        for order in range(max(own, default=0))
    ]
