r"""Residuals with integrals, taken apart.

A residual with integrals is

.. math:: R(x) = R_0(x, D^\gamma u) + \sum_k \int K_k(x, s)\, g_k(s, D^\gamma u(s))\, ds,

that is, affine in its integrals, each a sum of kernels that hold no field times integrands that
hold no x.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import sympy
from sympy.core.function import AppliedUndef

from piscm.compile.numeric_code import function_of
from piscm.problem.errors import ProblemError, brief
from piscm.problem.integrals import here, integrals_in
from piscm.problem.normals import normal
from piscm.problem.numeric import Floats


@dataclass(frozen=True)
class Term:
    """An integral of a kernel times an integrand.

    Attributes
    ----------
    kernel : sympy.Expr
        In the coordinates of the integration, and ``here(x)`` for those of the row.
    integrand : sympy.Expr
    over : Region, coordinate, or (coordinate, low, high)
    unknowns : tuple of sympy.Symbol
    """

    kernel: sympy.Expr
    integrand: sympy.Expr
    over: Any
    unknowns: tuple[sympy.Symbol, ...] = ()

    @cached_property
    def known(self) -> tuple[sympy.Expr, ...]:
        """What is multiplied by fields, or stands alone, and is no constant."""
        found = []
        for part in sympy.Add.make_args(sympy.expand_mul(self.integrand, deep=False)):
            own = [
                factor
                for factor in sympy.Mul.make_args(part)
                if not factor.atoms(AppliedUndef) and not factor.has(normal, *self.unknowns)
            ]
            found.append(sympy.Mul(self.kernel, *own))
        return tuple(own for own in dict.fromkeys(found) if not own.is_number)

    def values_of_kernel(
        self, rows: Floats, points: Floats, symbols: Sequence[sympy.Symbol], where: str
    ) -> Floats:
        """The kernel at points of each row, or of all, shape (rows or 1, points, coordinates)."""
        found: Floats = _values([self.kernel], rows, points, symbols, where)[0]
        return found

    def values_of_known(
        self, rows: Floats, points: Floats, symbols: Sequence[sympy.Symbol], where: str
    ) -> Floats:
        """What is known at points of each row, shape (functions, rows, points)."""
        with np.errstate(all="ignore"):
            return _values(self.known, rows, points, symbols, where)


def _values(
    expressions: Sequence[sympy.Expr],
    rows: Floats,
    points: Floats,
    symbols: Sequence[sympy.Symbol],
    where: str,
) -> Floats:
    shape = (len(rows), points.shape[1])
    if all(own.is_number for own in expressions):
        return np.stack([np.full(shape, float(own)) for own in expressions])
    outer = [sympy.Dummy(f"here{i}", real=True) for i in range(len(symbols))]
    table = {here(s): own for s, own in zip(symbols, outer, strict=True)}
    written = [own.xreplace(table) for own in expressions]
    function = function_of([*outer, *symbols], written, where)
    found = function(*np.moveaxis(rows[:, None], 2, 0), *np.moveaxis(points, 2, 0))
    return np.stack([np.broadcast_to(own, shape).astype(float) for own in found])


def separated(
    expression: sympy.Expr, unknowns: Sequence[sympy.Symbol], where: str
) -> tuple[sympy.Expr, list[Term]]:
    """The local part of a residual, and its integral terms."""
    parts = integrals_in(expression)
    marks = {part: sympy.Dummy(f"integral{i}", real=True) for i, part in enumerate(parts)}
    flat = expression.xreplace(marks)
    local = flat.xreplace(dict.fromkeys(marks.values(), sympy.S.Zero))
    fields = flat.atoms(sympy.Derivative) | flat.atoms(AppliedUndef)
    plain = flat.xreplace({part: sympy.Dummy(real=True) for part in fields})  # to differentiate
    allowed = expression.free_symbols
    terms = []
    for part, mark in marks.items():
        factor = plain.diff(mark)
        if factor.free_symbols - allowed:
            raise ProblemError(
                f"{where}: {brief(part)} is multiplied by a field or by an integral. Give it a "
                "name: a field of its own, with the equation name - integral(...) = 0."
            )
        bound = {symbol: here(symbol) for symbol in part.bound()}
        body = factor.xreplace(bound) * part.integrand
        terms += [
            Term(kernel, integrand, part.over, tuple(unknowns))
            for kernel, integrand in _products(body, unknowns, where)
        ]
    return local, terms


def _products(
    body: sympy.Expr, unknowns: Sequence[sympy.Symbol], where: str
) -> list[tuple[sympy.Expr, sympy.Expr]]:
    """Pairs of a kernel, which alone may hold ``here(x)``, and an integrand."""
    found = _factored(body, unknowns)
    if found is not None:
        return [found]
    pairs: dict[sympy.Expr, sympy.Expr] = {}
    for term in sympy.Add.make_args(sympy.expand(body)):
        found = _factored(term, unknowns)
        if found is None:
            raise ProblemError(
                f"{where}: {brief(term)} is not a kernel times an expression in the fields; a "
                "field and the point where the integral stands are tied in one factor."
            )
        pairs[found[0]] = pairs.get(found[0], sympy.S.Zero) + found[1]
    return list(pairs.items())


def _factored(
    term: sympy.Expr, unknowns: Sequence[sympy.Symbol]
) -> tuple[sympy.Expr, sympy.Expr] | None:
    kernel, integrand = [], []
    for factor in sympy.Mul.make_args(term):
        if not factor.has(here):
            integrand.append(factor)
        elif factor.atoms(AppliedUndef) or factor.has(*unknowns):
            return None
        else:
            kernel.append(factor)
    return sympy.Mul(*kernel), sympy.Mul(*integrand)
