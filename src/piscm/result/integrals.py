"""Integrals of results."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import sympy
from numpy.typing import ArrayLike, NDArray

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
    rule = _rule(part, problem.domain, bound)
    axes = [problem.domain.axis(symbol) for symbol in bound]
    others = [problem.domain.axis(symbol) for symbol in rest]
    # Points inside by construction, which a mesh would take long to tell.
    sure = isinstance(part.over, Region) and part.over.place is problem.domain
    totals = []
    for values in zip(*(own.ravel() for own in arrays), strict=True) if rest else [()]:
        place = problem.domain.bounding_box.lower.copy()
        place[others] = values
        points, weights, normals = rule or _on_chords(problem.domain, bound[0], place)
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


def _rule(part: Integral, domain: Domain, bound: list[sympy.Symbol]) -> Rule | None:
    """The rule that holds at all values of the other coordinates; None if there is no such one."""
    if isinstance(part.over, Region):
        order = _ON_LINES if len(bound) == 1 else _IN_AREAS
        points, weights, *normals = part.over.quadrature(order)
        return points, weights, normals[0] if normals else None
    low, high = domain.span(bound[0])
    if isinstance(part.over, sympy.Symbol) and not domain.is_product_along(bound[0]):
        return None
    if isinstance(part.over, sympy.Tuple):
        limits = part.over[1:]
        if not all(limit.is_number for limit in limits):
            raise ProblemError(f"The limits of {part} are not numbers.")
        low, high = map(float, limits)
    unit, share = np.polynomial.legendre.leggauss(_ON_LINES)
    points = (low + high) / 2 + (high - low) / 2 * unit
    return points[:, None], (high - low) / 2 * share, None


def _on_chords(domain: Domain, coordinate: sympy.Symbol, place: Floats) -> Rule:
    """Gauss points on what of the line through a place lies inside."""
    axis, box = domain.axis(coordinate), domain.bounding_box
    for number, symbol in enumerate(domain.coordinates):
        if number != axis and not box.lower[number] <= place[number] <= box.upper[number]:
            raise ProblemError(
                f"The integral along {coordinate} at {symbol} = {place[number]:g} leaves {domain}."
            )
    _, low, high = domain.chords(coordinate, place[None])
    unit, share = np.polynomial.legendre.leggauss(_ON_LINES)
    half = (high - low)[:, None] / 2
    points = (low + high)[:, None] / 2 + half * unit
    return points.reshape(-1, 1), (half * share).ravel(), None
