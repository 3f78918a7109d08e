"""The mathematical vocabulary: every function and constant allowed in an equation.

The checker of SymPy expressions and the parser of text both use this one list, and nothing outside
it is ever compiled.
"""

from collections.abc import Callable
from typing import Any

import sympy

from piscm.problem.polar_power import polar_power

FUNCTIONS: dict[str, type] = {
    cls.__name__: cls
    for cls in (
        sympy.sin,
        sympy.cos,
        sympy.tan,
        sympy.cot,
        sympy.sec,
        sympy.csc,
        sympy.asin,
        sympy.acos,
        sympy.atan,
        sympy.atan2,
        sympy.sinh,
        sympy.cosh,
        sympy.tanh,
        sympy.coth,
        sympy.sech,
        sympy.csch,
        sympy.asinh,
        sympy.acosh,
        sympy.atanh,
        sympy.exp,
        sympy.log,
        sympy.Abs,
        sympy.sign,
        sympy.Heaviside,
        sympy.Max,
        sympy.Min,
        sympy.erf,
        sympy.erfc,
        sympy.besselj,
        sympy.bessely,
        sympy.besseli,
        sympy.besselk,
        sympy.floor,
        sympy.ceiling,
        polar_power,
    )
}

ALIASES: dict[str, Callable[..., Any]] = {
    "sqrt": sympy.sqrt,
    "abs": sympy.Abs,
    "ln": sympy.log,
}
"""Alternative names in text."""

COMPLEX: dict[str, type] = {"re": sympy.re, "im": sympy.im, "conjugate": sympy.conjugate}
"""Functions of complex fields."""

RELATIONS: dict[str, Callable[..., Any]] = {"Eq": sympy.Eq, "Ne": sympy.Ne}

CONSTANTS: dict[str, sympy.Expr] = {
    str(constant): constant
    for constant in (sympy.pi, sympy.EulerGamma, sympy.GoldenRatio, sympy.Catalan)
}

OPERATORS = ("normal", "normal_derivative", "integral", "here")
"""Names of what only has a meaning in a domain; `piscm.problem.operators` has the functions."""

CALCULUS = ("grad", "div", "laplacian", "curl", "dot")
SYSTEMS = ("polar", "cylindrical", "spherical")
"""Operators on scalars and vectors, and the coordinates they may be given; functions likewise."""

WORDS = frozenset(
    [
        *FUNCTIONS,
        *ALIASES,
        *RELATIONS,
        *OPERATORS,
        *CALCULUS,
        *SYSTEMS,
        "Piecewise",
        "diff",
        "Derivative",
    ]
)
"""Names that may be called in text, besides fields."""

MAX_ORDER = 20
"""The highest order of a derivative."""

MAX_COMPARED = 8
"""The most arguments of Max and Min: SymPy compares every pair, and for a derivative much more."""
