r"""Singular functions among the fields, with unknown factors.

A field is then the network plus :math:`\sum_k c_k s_k(x)`. The factors :math:`c_k` are unknowns of
the problem; what they do to a row follows from the derivatives of the :math:`s_k` by the chain
rule, as for nodes, so no equation is written anew.
"""

from functools import lru_cache
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray

from piscm.compile.differentiable import derivative
from piscm.compile.expression import Compiled
from piscm.problem.errors import brief
from piscm.problem.polar_power import polar_power
from piscm.problem.problem import Problem

Floats = NDArray[np.float64]


class SingularPart:
    """The singular functions of all fields of a problem.

    Attributes
    ----------
    indices : ndarray of int
        The positions of their factors among the unknowns.
    """

    def __init__(self, problem: Problem) -> None:
        places = {symbol: index for index, symbol in enumerate(problem.unknowns)}
        pairs = [
            (places[symbol], problem.fields.index(item), function)
            for item, functions in problem.singular.items()
            for symbol, function in functions.items()
            if symbol in places
        ]
        self.indices = np.array([place for place, _, _ in pairs], dtype=int)
        self._functions = [(number, function) for _, number, function in pairs]
        self._coordinates = problem.domain.coordinates

    def __len__(self) -> int:
        return len(self._functions)

    def jets(self, compiled: Compiled, points: Floats) -> Floats:
        """Every jet of an expression for each function alone, shape (functions, jets, points)."""
        made = np.zeros((len(self), len(compiled.jets), len(points)))
        for room, (field, function) in zip(made, self._functions, strict=True):
            for row, jet in zip(room, compiled.jets, strict=True):
                if jet.field == field:
                    row[:] = _derivative(function, jet.orders, self._coordinates, points)
        return made


def _derivative(
    function: sympy.Expr,
    orders: tuple[int, ...],
    coordinates: tuple[sympy.Symbol, ...],
    points: Floats,
) -> Floats:
    power = _as_power(function, coordinates)
    if power is None:
        return _compiled(function, orders, coordinates).value(points, (), ())
    slopes, offset, exponent, turned = power
    z = points @ slopes + offset
    factor, left = turned, exponent
    for slope, order in zip(slopes, orders, strict=True):
        for _ in range(order):
            factor, left = factor * slope * left, left - 1
    if factor == 0:
        return np.zeros(len(points))
    return np.asarray((factor * z**left).real)


@lru_cache(maxsize=1024)
def _as_power(function: sympy.Expr, coordinates: tuple[sympy.Symbol, ...]) -> Any:
    """A `polar_power` of affine functions as a power of a complex number: what it is made of."""
    if not isinstance(function, polar_power):
        return None
    x, y, exponent, phase = function.args
    z = sympy.expand(x + sympy.I * y)
    slopes = [sympy.diff(z, symbol) for symbol in coordinates]
    numbers = [*slopes, z.xreplace(dict.fromkeys(coordinates, sympy.S.Zero)), exponent, phase]
    if not all(own.is_number for own in numbers):
        return None
    *parts, power, angle = (complex(own) for own in numbers)
    return np.array(parts[:-1]), parts[-1], power.real, np.exp(1j * angle)


@lru_cache(maxsize=1024)
def _compiled(
    function: sympy.Expr, orders: tuple[int, ...], coordinates: tuple[sympy.Symbol, ...]
) -> Compiled:
    where = f"The singular function {brief(function)}"
    for coordinate, order in zip(coordinates, orders, strict=True):
        for _ in range(order):
            function = derivative(function, coordinate, where)
    return Compiled(function, (), coordinates, (), where)
