"""Where known functions may be large and narrow: extremes and zeros of what they are given.

A bump exp(-|x - c|² / w²) is zero to the last bit almost everywhere, so that no points, however
many, find it in three dimensions. What it is given is a parabola, which leads to c from anywhere.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

import numpy as np
import scipy
import sympy
from numpy.typing import NDArray
from sympy.core.function import AppliedUndef

from piscm.compile.numeric_code import function_of
from piscm.compile.switches import levels_of
from piscm.problem.errors import ProblemError
from piscm.problem.sampled import Samples

Floats = NDArray[np.float64]

# Arguments that are looked at, points that a search may begin at, and searches from the best.
_ARGUMENTS, _POINTS, _STARTS = 16, 2**11, 2
# What is nearer to a face than this share of the width lies on it: layers are looked for elsewhere.
_ON_FACE = 1e-9
_AIMS: tuple[Callable[[Floats], Floats], ...] = (np.negative, np.positive, np.square)


def steep_places(
    expression: sympy.Expr, coordinates: Sequence[sympy.Symbol], points: Floats
) -> Floats:
    """Places inside the box of some points, shape (places, coordinates)."""
    lower, upper = points.min(axis=0), points.max(axis=0)
    width = np.where(upper > lower, upper - lower, 1.0)
    bounds = [(0.0, 1.0 if high > low else 0.0) for low, high in zip(lower, upper, strict=True)]
    unit = (points[:_POINTS] - lower) / width
    found = []
    for argument in islice(_arguments(expression, coordinates), _ARGUMENTS):
        value = _function(argument, coordinates, lower, width)
        if value is not None:
            for aim in _AIMS:
                found += _least(_aimed(value, aim), unit, bounds)
    free = upper > lower
    inside = [at for at in found if np.all(np.abs(at[free] - 0.5) < 0.5 - _ON_FACE)]
    return np.reshape([lower + width * at for at in inside], (-1, len(lower)))


def _aimed(
    value: Callable[[Floats], Floats], aim: Callable[[Floats], Floats]
) -> Callable[[Floats], Floats]:
    def aimed(at: Floats) -> Floats:
        with np.errstate(over="ignore"):
            return aim(value(at))

    return aimed


def _arguments(expression: sympy.Expr, coordinates: Sequence[sympy.Symbol]) -> Iterator[sympy.Expr]:
    """What functions and powers in an expression are given, if it varies and is known."""
    told = set()
    for part in sympy.preorder_traversal(expression):
        if isinstance(part, Samples | AppliedUndef):
            continue
        if isinstance(part, sympy.Function | sympy.Pow):
            given = levels_of(part) if isinstance(part, sympy.Piecewise) else part.args
            for own in given:
                varies = own.free_symbols and own.free_symbols <= set(coordinates)
                if varies and own not in coordinates and own not in told and not own.has(Samples):
                    told.add(own)
                    yield own


def _function(
    argument: sympy.Expr, coordinates: Sequence[sympy.Symbol], lower: Floats, width: Floats
) -> Callable[[Floats], Floats] | None:
    """An argument as a function of points in the unit box; None if it cannot be one."""
    try:
        compiled = function_of(coordinates, [argument], "A known function")
    except ProblemError:
        return None

    def value(unit: Floats) -> Floats:
        with np.errstate(all="ignore"):
            values = compiled(*(lower + width * unit).T)[0]
        return np.broadcast_to(np.asarray(values, dtype=float), unit.shape[:-1])

    return value


def _least(
    function: Callable[[Floats], Floats], unit: Floats, bounds: list[tuple[float, float]]
) -> list[Floats]:
    """Where a function is least, as far as descent from a few of the points finds it."""
    values = function(unit)
    if not np.isfinite(values).all() or not np.ptp(values) > 0:
        return []
    size = float(np.abs(values).max())
    places = []
    for start in unit[np.argsort(values)[:_STARTS]]:
        found = scipy.optimize.minimize(
            lambda at: float(function(at)) / size,
            start,
            method="L-BFGS-B",
            bounds=bounds,
            options={"ftol": 1e-15, "gtol": 1e-12, "maxiter": 100},
        )
        if np.isfinite(found.x).all():
            places.append(np.asarray(found.x))
    return places
