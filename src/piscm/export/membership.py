"""Whether a point lies in a region, as a formula: what a Piecewise or an `if` can decide."""

import numpy as np
import sympy
from sympy.logic.boolalg import Boolean

from piscm.problem.box import Box
from piscm.problem.domain import Domain
from piscm.shapes.ball import Ball
from piscm.shapes.brick import Brick
from piscm.shapes.combination import Combination
from piscm.shapes.cylinder import Cylinder
from piscm.shapes.ellipse import Ellipse
from piscm.shapes.product import Product


def membership(domain: Domain) -> Boolean | None:
    """The inequalities of a domain; None where they would be too many (polygons, meshes)."""
    if isinstance(domain, Box | Brick):
        return _in_box(domain.bounding_box)
    if isinstance(domain, Ball):
        squares = [
            (s - number(at)) ** 2 for s, at in zip(domain.coordinates, domain.center, strict=True)
        ]
        return sympy.Add(*squares) <= number(domain.radius**2)
    if isinstance(domain, Cylinder):
        pairs = list(zip(domain.coordinates, domain.center, strict=True))
        squares = [(s - number(at)) ** 2 for i, (s, at) in enumerate(pairs) if i != domain.along]
        inside = sympy.Add(*squares) <= number(domain.radius**2)
        return sympy.And(inside, _in_box(domain.bounding_box), evaluate=False)
    if isinstance(domain, Ellipse):
        return _in_ellipse(domain)
    if isinstance(domain, Combination):
        first, second = membership(domain.first), membership(domain.second)
        if first is None or second is None:
            return None
        other = sympy.Not(second) if domain.how == "difference" else second
        return sympy.Or(first, other) if domain.how == "union" else sympy.And(first, other)
    if isinstance(domain, Product):
        section = membership(domain.section)
        return None if section is None else sympy.And(section, _in_box(domain.brick.bounding_box))
    return None


def _in_box(box: Box) -> Boolean:
    sides = []
    for symbol, low, high in zip(box.coordinates, box.lower, box.upper, strict=True):
        sides += [symbol >= number(low), symbol <= number(high)]
    return sympy.And(*sides)


def _in_ellipse(ellipse: Ellipse) -> Boolean:
    (x, y), (a, b) = ellipse.coordinates, map(number, ellipse.center)
    cos, sin = number(np.cos(ellipse.angle)), number(np.sin(ellipse.angle))
    first, second = map(number, ellipse.radii)
    along, across = cos * (x - a) + sin * (y - b), cos * (y - b) - sin * (x - a)
    return (along / first) ** 2 + (across / second) ** 2 <= 1


def number(value: float) -> sympy.Float:
    """A float with the 17 digits that it takes to print it and read it back."""
    return sympy.Float(float(value), 17)
