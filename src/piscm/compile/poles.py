"""Equations that divide by zero at the edge of their domain: the axis of polar coordinates.

An equation with ``u.diff(r)/r`` and ``u.diff(phi, 2)/r**2`` is multiplied by ``r**2``. The rows are
then finite, and on the axis they say what is true there: that the solution is regular.
"""

from functools import lru_cache

import numpy as np
import sympy
from sympy.core.function import AppliedUndef

from piscm.compile.numeric_code import function_of
from piscm.problem.domain import Domain
from piscm.problem.integrals import integrals_in
from piscm.problem.problem import Problem

_POINTS = 16
_ZERO = 1e-12
# What is written as a quotient before poles are looked for.
_QUOTIENTS = {
    sympy.cot: lambda a: sympy.cos(a) / sympy.sin(a),
    sympy.csc: lambda a: 1 / sympy.sin(a),
}


def without_poles(equation: sympy.Expr, domain: Domain) -> sympy.Expr:
    """The equation multiplied by what fields are divided by and that vanishes on a face."""
    factor = sympy.Mul(*(base**order for base, order in _poles(equation, domain).items()))
    if factor == 1:
        return equation
    return _times(_as_quotients(equation), factor)


@lru_cache(maxsize=8)
def singular_faces(problem: Problem) -> dict[sympy.Symbol, int]:
    """On how many ends of each coordinate an equation divides by zero."""
    found = dict.fromkeys(problem.domain.coordinates, 0)
    for symbol in found:
        ends = {
            side
            for equation in problem.equations
            for base in _poles(equation, problem.domain)
            if base.free_symbols == {symbol}
            for side in _vanishing(base, problem.domain)
        }
        found[symbol] = len(ends)
    return found


def _poles(equation: sympy.Expr, domain: Domain) -> dict[sympy.Expr, sympy.Expr]:
    """The bases of negative powers that vanish on a face, and the highest power of each."""
    if integrals_in(equation):
        return {}
    expression = _as_quotients(equation)
    terms = [term for term in sympy.Add.make_args(expression) if term.has(AppliedUndef)]
    inner = set(domain.coordinates)
    bases = {
        power.base
        for term in terms
        for power in term.atoms(sympy.Pow)
        if power.exp.is_Number
        and power.exp.is_negative
        and power.base.free_symbols
        and power.base.free_symbols <= inner
        and not power.base.has(AppliedUndef)
    }
    found = {}
    for base in sorted(bases, key=sympy.default_sort_key):
        order = max(_order(term, base) for term in terms)
        if order > 0 and _vanishing(base, domain):
            found[base] = order
    return found


def _order(part: sympy.Expr, base: sympy.Expr) -> sympy.Expr:
    """How often a part is divided by a base."""
    if isinstance(part, sympy.Add):
        return max(_order(term, base) for term in part.args)
    if isinstance(part, sympy.Mul):
        return sympy.Add(*(_order(factor, base) for factor in part.args))
    if isinstance(part, sympy.Pow) and part.base == base and part.exp.is_Number:
        return -part.exp
    return -sympy.S.One if part == base else sympy.S.Zero


def _times(expression: sympy.Expr, factor: sympy.Expr) -> sympy.Expr:
    """The product, term by term, so that powers cancel."""
    terms = sympy.Add.make_args(sympy.expand_mul(expression))
    return sympy.Add(*(term * factor for term in terms))


def _as_quotients(expression: sympy.Expr) -> sympy.Expr:
    for function, quotient in _QUOTIENTS.items():
        expression = expression.replace(function, quotient)
    return expression


def _faces(domain: Domain) -> list[tuple[sympy.Symbol, float]]:
    """Both ends of every coordinate."""
    return [(symbol, end) for symbol in domain.coordinates for end in domain.span(symbol)]


def _vanishing(base: sympy.Expr, domain: Domain) -> list[int]:
    """The numbers of the faces on which an expression is zero."""
    symbols, box = domain.coordinates, domain.bounding_box
    function = function_of(symbols, [base], "A divisor")
    inside = np.random.default_rng(0).uniform(box.lower, box.upper, (_POINTS, len(symbols)))
    with np.errstate(all="ignore"):
        size = np.abs(np.broadcast_to(function(*inside.T)[0], _POINTS)).max()
        found = []
        for number, (symbol, end) in enumerate(_faces(domain)):
            there = inside.copy()
            there[:, domain.axis(symbol)] = end
            values = np.abs(np.broadcast_to(function(*there.T)[0], _POINTS))
            if symbol in base.free_symbols and values.max() <= _ZERO * size:
                found.append(number)
    return found
