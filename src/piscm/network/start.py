"""The fields of the empty network: zero, or as given by the user."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray

from piscm.compile.differentiable import derivative
from piscm.compile.expression import Compiled, Jet
from piscm.network.smooth import smooth
from piscm.problem.complex_fields import parts_of
from piscm.problem.declared import Declared
from piscm.problem.errors import ProblemError, brief
from piscm.problem.expressions import as_expression
from piscm.problem.problem import Problem
from piscm.problem.symbols import ComplexField

Floats = NDArray[np.float64]


class Start:
    """Starting values of the fields; the network is added to them.

    Parameters
    ----------
    problem : Problem
    initial : mapping from fields to expressions in the coordinates, optional
        A field not listed starts at zero. What is not smooth is replaced by a polynomial: a kink
        would stay in the solution.
    """

    def __init__(self, problem: Problem, initial: Mapping[Any, Any] | None = None) -> None:
        self._coordinates = problem.domain.coordinates
        self._fields = problem.fields
        self.expressions: dict[int, sympy.Expr] = {}
        self._compiled: dict[Jet, Compiled] = {}
        if initial is None:
            return
        if not isinstance(initial, Mapping):
            raise ProblemError("initial must map fields to expressions, as initial={u: 1 - x**2}.")
        for item, written in _in_regions(problem, _in_parts(initial)).items():
            if item not in problem.fields:
                known = ", ".join(str(own) for own in problem.written_fields)
                raise ProblemError(f"initial names {item}, which is not a field ({known}).")
            where = f"The starting value of {item}"
            expression = as_expression(written, where)
            Declared(item.args, fields=()).check(expression, where)
            own = smooth(expression, problem.domain, item.args, where)
            self.expressions[problem.fields.index(item)] = own

    def jets(self, compiled: Compiled, points: Floats) -> Floats:
        """Every jet of a compiled expression at the points, shape (jets, points)."""
        values = np.zeros((len(compiled.jets), len(points)))
        for row, jet in zip(values, compiled.jets, strict=True):
            if jet.field in self.expressions:
                row[:] = self._derivative(jet).value(points, (), ())
        return values

    def _derivative(self, jet: Jet) -> Compiled:
        if jet not in self._compiled:
            expression = self.expressions[jet.field]
            where = f"The starting value {brief(expression)} of {self._fields[jet.field]}"
            for coordinate, order in zip(self._coordinates, jet.orders, strict=True):
                for _ in range(order):
                    expression = derivative(expression, coordinate, where)
            self._compiled[jet] = Compiled(expression, (), self._coordinates, (), where)
        return self._compiled[jet]


def _in_parts(initial: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """Starting values of complex fields as those of their parts."""
    table: dict[Any, Any] = {}
    for item, written in initial.items():
        if not isinstance(item, ComplexField):
            table[item] = written
            continue
        where = f"The starting value of {item}"
        number = sympy.sympify(written)
        halves = number.as_real_imag() if isinstance(number, sympy.Expr) else (written, 0)
        if any(isinstance(h, sympy.Expr) and h.has(sympy.re, sympy.im) for h in halves):
            raise ProblemError(f"{where} cannot be split into a real and an imaginary part.")
        table |= dict(zip(parts_of(item), halves, strict=True))
    return table


def _in_regions(problem: Problem, initial: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """Starting values of the user's fields as those of the fields of every region."""
    if not problem.translations:
        return initial
    table = dict(initial)
    for item in problem.written_fields:
        if item in table:
            value = table.pop(item)
            table.update({own.fields[item]: value for own in problem.translations})
    return table
