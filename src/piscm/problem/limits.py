"""Powers and functions of constants, within limits.

SymPy evaluates eagerly, with numbers of any size: ``9**9**9`` or ``sin(exp(1e9))`` in a file would
keep it busy forever. Here every constant stays within the range of a float.
"""

from typing import Any

import mpmath
import sympy
from sympy.functions.special.bessel import BesselBase

_MAX_BITS = 4096
_MAX_ARGUMENT = 1e100
_MAX_BESSEL_ORDER = 100


def power(base: sympy.Expr, exponent: sympy.Expr) -> sympy.Expr:
    """``base**exponent``; raise `ValueError` if it divides by zero or is too large."""
    if base.is_zero and exponent.is_negative:
        raise ValueError("it divides by zero")
    _size(exponent)
    if base.is_Rational and exponent.is_Rational:
        bits = max(abs(base.p), base.q).bit_length() * abs(exponent.p)
        if bits > _MAX_BITS or exponent.q.bit_length() > 64:
            raise ValueError("it is too large a number")
    return _within(base**exponent)


def applied(function: Any, *arguments: sympy.Expr) -> sympy.Expr:
    """Apply a function; raise `ValueError` if a constant is too large to be evaluated."""
    for argument in arguments:
        if _size(argument) > _MAX_ARGUMENT:
            raise ValueError("its argument is too large a number")
    if (
        isinstance(function, type)
        and issubclass(function, BesselBase)
        and arguments
        and _size(arguments[0]) > _MAX_BESSEL_ORDER
    ):
        raise ValueError(f"the order of a Bessel function is at most {_MAX_BESSEL_ORDER} here")
    try:
        return _within(function(*arguments))
    except mpmath.libmp.NoConvergence:
        raise ValueError("it cannot be evaluated") from None


def _within(built: sympy.Expr) -> sympy.Expr:
    _size(built)
    return built


def _size(expression: sympy.Expr) -> float:
    """The absolute value of a constant; 0 for anything else."""
    if not expression.is_number:
        return 0.0
    try:
        size = abs(complex(expression))
    except (TypeError, OverflowError):  # infinite, or too large for a float
        size = float("inf")
    if not size < float("inf"):
        raise ValueError("it is not a number that a float can hold")
    return size
