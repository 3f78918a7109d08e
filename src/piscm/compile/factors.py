"""Equations that are multiplied by something known, ``exp(-100*x)*(u.diff(x, 2) + 1)``.

Such a factor says nothing about the solution, but makes rows faint or loud: where it is very small,
the fields would seem free. It is then left out, if it is smooth and vanishes nowhere. One that
varies less weighs the rows as whoever wrote it may want, such as near a singular corner.
"""

import numpy as np
import sympy
from sympy.core.function import AppliedUndef

from piscm.compile.numeric_code import function_of
from piscm.compile.switches import JUMPING
from piscm.problem.domain import Domain

_POINTS = 256
# Rows fainter than others by more than this are lost in the round-off of their squares.
_FAINT = 1e-8


def without_known_factor(equation: sympy.Expr, domain: Domain, where: str) -> sympy.Expr:
    """The equation without factors of the coordinates alone that vary by orders of magnitude."""
    if not isinstance(equation, sympy.Mul):
        return equation
    coordinates = set(domain.coordinates)
    known = [
        factor
        for factor in equation.args
        if factor.free_symbols
        and factor.free_symbols <= coordinates
        and not factor.has(AppliedUndef, sympy.Derivative, sympy.Integral, *JUMPING)
    ]  # one that jumps may be what is left of a flux, and is not for us to leave out
    if not known or len(known) == len(equation.args):
        return equation
    if not _only_loud_and_faint(sympy.Mul(*known), domain, where):
        return equation
    return sympy.Mul(*(factor for factor in equation.args if factor not in known))


def _only_loud_and_faint(factor: sympy.Expr, domain: Domain, where: str) -> bool:
    """Whether a factor is nowhere zero and varies by orders of magnitude, at random points."""
    box, rng = domain.bounding_box, np.random.default_rng(0)
    points = box.lower + rng.random((_POINTS, box.dimension)) * box.width
    points = points[domain.contains(points)]
    with np.errstate(all="ignore"):
        values = np.abs(function_of(domain.coordinates, [factor], where)(*points.T)[0])
    if not len(points) or not np.isfinite(values).all():
        return False
    return bool(0.0 < np.min(values) < _FAINT * np.max(values))
