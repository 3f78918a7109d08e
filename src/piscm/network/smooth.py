"""Starting values that can be differentiated as often as the equations ask.

A kink or a jump of a starting value would stay in the solution: the nodes are smooth and cannot
take it back, and its delta functions fall between the points. Such a value is replaced by the
polynomial nearest to it.
"""

from collections.abc import Callable, Sequence
from itertools import product
from math import comb

import numpy as np
import sympy
from numpy.typing import NDArray

from piscm.compile.expression import Compiled
from piscm.problem.domain import Domain
from piscm.problem.errors import ProblemError

Floats = NDArray[np.float64]

# Analytic wherever their arguments are real.
_SMOOTH = (
    sympy.sin,
    sympy.cos,
    sympy.exp,
    sympy.sinh,
    sympy.cosh,
    sympy.tanh,
    sympy.sech,
    sympy.atan,
    sympy.asinh,
    sympy.erf,
    sympy.erfc,
)
_LOOK = 4096  # points at which a function is looked at; faces and corners come on top
_MOST_TERMS, _MOST_DEGREE = 60, 14  # of the polynomial


def smooth(
    expression: sympy.Expr, domain: Domain, symbols: Sequence[sympy.Symbol], where: str
) -> sympy.Expr:
    """The expression itself if it is analytic on the domain, else a polynomial close to it.

    Parameters
    ----------
    symbols : the coordinates that the expression may depend on
    """
    axes = [domain.axis(symbol) for symbol in symbols]
    points = _points(domain)[:, axes]

    def values(part: sympy.Expr) -> Floats:
        return Compiled(part, (), symbols, (), where).value(points, (), ())

    if _analytic(expression, values):
        return expression
    own = values(expression)
    if not np.isfinite(own).all():
        at = points[np.argmin(np.isfinite(own))]
        place = ", ".join(f"{symbol} = {c:g}" for symbol, c in zip(symbols, at, strict=True))
        raise ProblemError(f"{where} is not finite at {place}: start with something that is.")
    box = domain.bounding_box
    return _polynomial(points, own, symbols, box.lower[axes], box.width[axes])


def _points(domain: Domain) -> Floats:
    """Points all over the bounding box, on its faces and corners too."""
    dimension = domain.dimension
    # Those of `sobol_points`, to the last bit; the stored rows of trained networks hash this file.
    from scipy.stats import qmc  # slow to import, and rarely needed here

    unit = qmc.Sobol(dimension, scramble=False).random(_LOOK)
    ends = np.repeat(unit[None, : _LOOK // 4], 2 * dimension, axis=0)
    for axis in range(dimension):
        ends[2 * axis, :, axis], ends[2 * axis + 1, :, axis] = 0.0, 1.0
    corners = np.array(list(product((0.0, 1.0), repeat=min(dimension, 6))))
    corners = np.pad(corners, ((0, 0), (0, dimension - corners.shape[1])))
    unit = np.concatenate([unit, ends.reshape(-1, dimension), corners])
    box = domain.bounding_box
    points = np.asarray(box.lower + unit * box.width)
    inside = points[domain.contains(points)]
    return inside if len(inside) else points


def _analytic(expression: sympy.Expr, values: Callable[[sympy.Expr], Floats]) -> bool:
    """Whether all parts are analytic, and no base of a root or divisor vanishes or changes sign."""

    def keeps_sign(part: sympy.Expr) -> bool:
        own = values(part)
        return bool((own > 0).all() or (own < 0).all())

    for part in sympy.preorder_traversal(expression):
        if part.is_Add or part.is_Mul or part.is_Atom or isinstance(part, _SMOOTH):
            continue
        if not isinstance(part, sympy.Pow | sympy.log):
            return False
        whole = isinstance(part, sympy.Pow) and part.exp.is_Integer and part.exp.is_nonnegative
        if not whole and not keeps_sign(part.args[0]):
            return False
    return True


def _polynomial(
    points: Floats, values: Floats, symbols: Sequence[sympy.Symbol], low: Floats, width: Floats
) -> sympy.Expr:
    """The polynomial of moderate degree that is nearest at the points."""
    dimension = len(symbols)
    degree = 1
    while comb(degree + 1 + dimension, dimension) <= _MOST_TERMS and degree < _MOST_DEGREE:
        degree += 1
    powers = [k for k in product(range(degree + 1), repeat=dimension) if sum(k) <= degree]
    unit = 2.0 * (points - low) / width - 1.0
    columns = np.stack([np.prod(unit ** np.array(k), axis=1) for k in powers], axis=1)
    weights = np.linalg.lstsq(columns, values, rcond=1e-10)[0]
    terms = [
        2 * (symbol - sympy.Float(begin)) / sympy.Float(length) - 1
        for symbol, begin, length in zip(symbols, low, width, strict=True)
    ]
    return sympy.Add(
        *(
            sympy.Float(float(weight))
            * sympy.Mul(*(term**order for term, order in zip(terms, k, strict=True)))
            for weight, k in zip(weights, powers, strict=True)
        )
    )
