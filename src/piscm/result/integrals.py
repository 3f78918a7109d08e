"""Integrals of results."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import sympy
from numpy.typing import ArrayLike, NDArray

from piscm.compile.quadrature import Panels, panels_for
from piscm.network.model import Model
from piscm.problem.domain import Domain
from piscm.problem.errors import ProblemError, brief
from piscm.problem.integrals import Integral, Region, integral
from piscm.problem.numeric import float_array
from piscm.problem.outward import outward
from piscm.problem.place import Place
from piscm.problem.problem import Problem
from piscm.problem.written import Expression

Floats = NDArray[np.float64]

Rule = tuple[Floats, Floats, Floats | None]
"""Points, weights, and on boundaries normals."""

# Gauss points on a line, and along each direction of an area or volume: more than conditions have,
# because the integrand is evaluated once only.
_ON_LINES, _IN_AREAS = 64, 32
# Panels of a line: two for what varies slowly.
_PANELS, _MOST_PANELS = 2, 64
_MANY = 20  # lines: each takes two thousand values to look at closely


def integrate(
    model: Model, expression: Expression, over: Any, coordinates: Mapping[str, ArrayLike]
) -> Floats:
    """The integral of an expression over a domain, a part of a boundary or a coordinate.

    Parameters
    ----------
    coordinates : mapping
        Values of the coordinates that the integral does not run over.
    """
    problem = model.problem
    part = integral(sympy.S.One, _written_over(over, problem.domain))
    assert isinstance(part, Integral)
    bound = _own(part, problem.domain)
    rest = [s for s in problem.domain.coordinates if s not in bound]
    arrays = _others(problem, rest, coordinates)
    rule = _rule(part, bound)
    axes = [problem.domain.axis(symbol) for symbol in bound]
    others = [problem.domain.axis(symbol) for symbol in rest]
    # Points inside by construction, which a mesh would take long to tell.
    sure = isinstance(part.over, Region) and part.over.place is problem.domain
    totals = []
    for values in zip(*(own.ravel() for own in arrays), strict=True) if rest else [()]:
        place = problem.domain.bounding_box.lower.copy()
        place[others] = values
        if rule is None:
            spans = _spans(part, problem.domain, bound[0], place)
            many = arrays[0].size > _MANY if rest else False
            totals.append(_along(model, expression, place, axes[0], spans, many))
            continue
        points, weights, normals = rule
        full = np.tile(place, (len(points), 1))
        full[:, axes] = points
        if not sure and not problem.domain.contains(full).all():
            where = over if isinstance(over, Place) else brief(over)
            raise ProblemError(f"The integral over {where} leaves {problem.domain}.")
        across = None
        if normals is not None:
            across = np.zeros_like(full)
            across[:, axes] = normals
            across = outward(problem.domain, full, across)
        found = model.values(expression, full, across)
        totals.append(float(weights @ found))
    return np.asarray(totals).reshape(arrays[0].shape if rest else ())


def _written_over(over: Any, domain: Domain) -> Any:
    """Faces and the whole boundary may be written as in conditions."""
    if isinstance(over, Mapping):
        return domain.boundary(over)
    if isinstance(over, str) and over == "boundary":
        return domain.boundary()
    return domain if over is None else over


def _own(part: Integral, domain: Domain) -> list[sympy.Symbol]:
    """The coordinates of the integral, as symbols of the domain."""
    named = {symbol.name: symbol for symbol in domain.coordinates}
    return [named.get(symbol.name, symbol) for symbol in part.bound()]


def _others(
    problem: Problem, rest: list[sympy.Symbol], given: Mapping[str, ArrayLike]
) -> list[Floats]:
    names = [symbol.name for symbol in rest]
    if set(names) != set(given):
        raise ProblemError(
            f"The integral runs over all coordinates but {', '.join(names) or 'none'}: give values "
            f"of exactly those ({', '.join(given) or 'none'} given)."
        )
    arrays = [float_array(given[name], f"The values of {name}") for name in names]
    return list(np.broadcast_arrays(*arrays)) if arrays else []


def _rule(part: Integral, bound: list[sympy.Symbol]) -> Rule | None:
    """The rule for a domain or a boundary, whatever the other coordinates; None along a line."""
    if not isinstance(part.over, Region):
        return None
    points, weights, *normals = part.over.quadrature(_ON_LINES if len(bound) == 1 else _IN_AREAS)
    return points, weights, normals[0] if normals else None


def _spans(
    part: Integral, domain: Domain, coordinate: sympy.Symbol, place: Floats
) -> list[tuple[float, float]]:
    """The pieces of a line through a place along which an integral runs."""
    if isinstance(part.over, sympy.Tuple):
        low, high = part.over[1:]
        if not (low.is_number and high.is_number):
            raise ProblemError(f"The limits of {part} are not numbers.")
        return [(float(low), float(high))]
    if domain.is_product_along(coordinate):
        return [domain.span(coordinate)]
    axis, box = domain.axis(coordinate), domain.bounding_box
    for number, symbol in enumerate(domain.coordinates):
        if number != axis and not box.lower[number] <= place[number] <= box.upper[number]:
            raise ProblemError(
                f"The integral along {coordinate} at {symbol} = {place[number]:g} leaves {domain}."
            )
    _, lows, highs = domain.chords(coordinate, place[None])
    return list(zip(lows, highs, strict=True))


def _along(
    model: Model,
    expression: Expression,
    place: Floats,
    axis: int,
    spans: list[tuple[float, float]],
    many: bool,
) -> float:
    """The integral along a line, with points as dense as the integrand asks for.

    Of many lines those whose integrals two rules agree on are not looked at more closely.
    """
    total = 0.0
    for low, high in spans:

        def values(at: Floats, low: float = low, high: float = high) -> Floats:
            points = np.tile(place, (len(at), 1))
            points[:, axis] = low + (high - low) * at
            if not model.problem.domain.contains(points).all():
                raise ProblemError(f"The integral leaves {model.problem.domain}.")
            return (high - low) * model.values(expression, points)[None, None]

        few = Panels(tuple(np.linspace(0, 1, _PANELS + 1)))
        if not (many and few.agrees(values)):
            few = panels_for(values, _PANELS, _MOST_PANELS)
        at, weights = few.rule()
        total += float(values(at)[0, 0] @ weights)
    return total
