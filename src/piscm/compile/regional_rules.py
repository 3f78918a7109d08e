"""Rules of quadrature for domains and parts of boundaries, as fine as what is integrated asks."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy

from piscm.compile.integral_terms import Term
from piscm.problem.domain import Domain
from piscm.problem.numeric import Floats
from piscm.problem.place import Drawing

# Gauss points on a line, and along each direction of an area or a body. The first will do for what
# varies slowly; the last is the measure of the others.
_ON_LINES = (32, 64, 128, 256, 512)
_IN_AREAS = (16, 24, 36, 54, 80)
_IN_BODIES = (16, 20, 24)
# The same in a body whose integral is taken at every time anew: a thousand points each.
_IN_SECTIONS = (8, 12, 16)
# Points of the equations along each direction for each of quadrature: fields vary as those can see.
_FOLLOWED = 4
_RESOLVED = 1e-10  # of the size of known factors
# Points of all rows, and values of kernels, which fit into some hundred megabytes with the columns.
_MOST_POINTS, _MOST_VALUES = 100_000, 5_000_000
_PROBED = 20  # rows at which known factors are looked at


def regional_rule(
    term: Term,
    rows: Floats,
    domain: Domain,
    drawing: Drawing,
    symbols: Sequence[sympy.Symbol],
    where: str,
) -> tuple[Floats, ...]:
    """Points, weights and, on a boundary, normals for an integral over a region."""
    quadrature = term.over.quadrature
    axes = [domain.axis(symbol) for symbol in term.over.place.coordinates]
    orders = _affordable(term, len(rows), domain, len(axes))
    least = drawing.interior ** (1 / domain.dimension) / _FOLLOWED
    enough = [order for order in orders if order >= least] or [orders[-1]]
    found = enough[0]
    if term.known and len(enough) > 1:
        some = rows[np.unique(np.linspace(0, len(rows) - 1, _PROBED).astype(int))]

        def totals(order: int) -> tuple[Floats, Floats]:
            points, weights, *_ = quadrature(order)
            full = np.repeat(some[:, None], len(points), axis=1)
            full[..., axes] = points
            values = term.values_of_known(some, full, symbols, where)
            return values @ weights, np.abs(values) @ np.abs(weights)

        exact, size = totals(enough[-1])
        bound = _RESOLVED * size.max(axis=-1, keepdims=True)
        good = (order for order in enough if (np.abs(totals(order)[0] - exact) <= bound).all())
        found = next(good, enough[-1])
    rule: tuple[Floats, ...] = quadrature(found + found // 2 if drawing.finer else found)
    return rule


def _affordable(term: Term, rows: int, domain: Domain, dimension: int) -> list[int]:
    """The orders that memory allows, at least the first."""
    section = dimension < domain.dimension
    ladder: tuple[int, ...] = (_ON_LINES, _IN_AREAS, _IN_BODIES)[min(dimension, 3) - 1]
    if section and dimension > 2:
        ladder = _IN_SECTIONS
    first: Any = term.over.quadrature(ladder[0])
    across = dimension - (len(first) > 2)
    points = len(first[0]) * (np.array(ladder) / ladder[0]) ** max(1, across)
    if section:
        fits = points * rows <= _MOST_POINTS
    else:
        fits = (points <= _MOST_POINTS) & (points * rows <= _MOST_VALUES)
    return [ladder[0], *(order for order, ok in zip(ladder[1:], fits[1:], strict=True) if ok)]
