"""Orders against conditions: whether there are enough of them, by counting.

An equation of order two in x needs two conditions on faces across x, one of order one in t an
initial value. Counting is no proof, since a coefficient may vanish on a face or be singular there
(1/r in polar coordinates): it is a reason for a warning, and to look closer.
"""

from collections.abc import Mapping

import numpy as np
import sympy
from numpy.typing import NDArray

from piscm.assemble.marching import order_along
from piscm.assemble.windows import Part
from piscm.compile.poles import singular_faces
from piscm.network.network import Network
from piscm.problem.integrals import integrals_in
from piscm.problem.places import PeriodicPair, Slices, WholeBoundary
from piscm.problem.problem import Problem

Floats = NDArray[np.float64]

# A coefficient that is smaller somewhere than this fraction of its largest value may vanish.
_VANISHES = 1e-6


def missing_conditions(problem: Problem) -> Mapping[sympy.Symbol, tuple[int, int]]:
    """Coordinates with fewer conditions than orders: how many are needed, and how many there are.

    Empty where nothing is missing or counting says nothing: several fields in several coordinates,
    data, conditions of other kinds, domains that are no product.
    """
    regular = _regularity(problem)
    return {
        symbol: (needed - regular[symbol], given)
        for symbol, (needed, given) in _counted(problem).items()
        if given < needed - regular[symbol] and problem.domain.is_product_along(symbol)
    }


def just_enough(problem: Problem) -> bool:
    """Whether there are as many conditions as orders, and no data: a forward problem.

    A condition at a point or on an edge is one more, which may tell an unknown.
    """
    places = [condition.place for condition in problem.conditions]
    if any(len(part) > 1 for own in places if isinstance(own, Slices) for part in own.parts):
        return False
    counted, regular = _counted(problem), _regularity(problem)
    return bool(counted) and all(
        given <= needed <= given + regular[symbol] for symbol, (needed, given) in counted.items()
    )


def _regularity(problem: Problem) -> Mapping[sympy.Symbol, int]:
    """The conditions that regularity replaces: half of the order at each singular end."""
    singular = singular_faces(problem)
    return {
        symbol: count * max(order_along(problem, item, symbol) for item in problem.fields) // 2
        for symbol, count in singular.items()
    }


def _counted(problem: Problem) -> Mapping[sympy.Symbol, tuple[int, int]]:
    """Orders and conditions along each coordinate; empty where counting says nothing."""
    domain = problem.domain
    several = len(problem.fields) > 1 and domain.dimension > 1
    if several or problem.observations or len(problem.fields) > len(problem.equations):
        return {}
    conditions = [item.expression for item in problem.conditions]
    if any(integrals_in(expression) for expression in (*problem.equations, *conditions)):
        return {}
    given = dict.fromkeys(domain.coordinates, 0)
    for condition in problem.conditions:
        place = condition.place
        if isinstance(place, WholeBoundary):
            faces = [symbol for symbol in domain.coordinates for _ in range(2)]
        elif isinstance(place, PeriodicPair):
            faces = [place.along]
        elif isinstance(place, Slices):
            faces = [next(iter(part)) for part in place.parts if len(part) == 1]
        else:
            return {}
        for symbol in faces:
            given[symbol] += 1
    return {
        symbol: (sum(order_along(problem, item, symbol) for item in problem.fields), given[symbol])
        for symbol in domain.coordinates
    }


def surely_missing(part: Part, network: Network, points: Floats) -> bool:
    """Whether the highest derivative along a coordinate with missing conditions never vanishes.

    Then, all coefficients being finite, the theory of one equation for one field says that
    something is free.
    """
    problem = part.problem
    if len(problem.fields) > 1 or len(problem.equations) > 1:
        return False
    domain, compiled = problem.domain, part.blocks[0].compiled
    box = domain.bounding_box
    for symbol in missing_conditions(problem):
        needed, axis = order_along(problem, problem.fields[0], symbol), domain.axis(symbol)
        low, high = points.copy(), points.copy()
        low[:, axis], high[:, axis] = box.lower[axis], box.upper[axis]
        everywhere = np.concatenate([points, low, high])
        orders = tuple(needed if i == axis else 0 for i in range(domain.dimension))
        at = [index for index, jet in enumerate(compiled.jets) if jet.orders == orders]
        mixed = [jet for jet in compiled.jets if jet.orders[axis] == needed]
        if len(at) != 1 or len(mixed) != 1:
            continue
        partials = network.partials(compiled, everywhere)
        leading = partials[at[0]]
        sizes = np.abs(leading)
        if not np.isfinite(partials).all():  # singular on a face, as in polar coordinates
            continue
        same_sign = (leading > 0).all() or (leading < 0).all()
        if same_sign and sizes.min() > _VANISHES * sizes.max():
            return True
    return False


def counting_text(problem: Problem) -> str:
    """What is missing by counting, in words; empty if nothing is."""
    parts = []
    for symbol, (needed, given) in missing_conditions(problem).items():
        order = "equations are" if len(problem.equations) > 1 else "equation is"
        there = "no condition" if given == 0 else f"{given} condition{'s' * (given > 1)}"
        low = problem.domain.span(symbol)[0]
        parts.append(
            f"the {order} of order {needed} in {symbol}, and there is {there} on its ends (add "
            f"one, as Condition(..., on={{{symbol}: {low:g}}}))"
        )
    return "; ".join(parts)
