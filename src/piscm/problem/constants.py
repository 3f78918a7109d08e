"""The values of constant expressions as floats, each with a bound of its error.

SymPy decides whether ``sqrt(2) + sqrt(3) - sqrt(5 + 2*sqrt(6))`` is zero by exact algebra, however
long that takes. Here a sign is read off a float, or is not known.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import sympy

_EPS = 2.0**-51


class Constant(NamedTuple):
    """A real number, and how far it may be off."""

    value: float
    error: float

    @property
    def sign(self) -> int | None:
        """-1, 0 or 1; None if the error does not let it be told."""
        if abs(self.value) > 4 * self.error:
            return 1 if self.value > 0 else -1
        return 0 if self.value == self.error == 0 else None


def number(written: sympy.Number) -> Constant:
    """A rational or floating number."""
    value = written.p / written.q if written.is_Rational else float(written)
    if not math.isfinite(value):
        raise OverflowError
    # Too small for a float, but not zero: its sign is known.
    if value == 0 and not written.is_zero:
        value = math.copysign(5e-324, -1.0 if written.is_negative else 1.0)
        return Constant(value, 0.0)
    return Constant(value, 0.0 if value == int(value) and abs(value) < 2**53 else _EPS * abs(value))


def total(terms: Sequence[Constant]) -> Constant:
    values = [term.value for term in terms]
    error = sum(term.error for term in terms) + _EPS * sum(map(abs, values)) * (len(terms) > 1)
    return _finite(sum(values), error)


def product(factors: Sequence[Constant]) -> Constant:
    value, relative = 1.0, _EPS * len(factors)
    for factor in factors:
        if factor.value == 0:
            return Constant(0.0, factor.error)
        value *= factor.value
        if value == 0:
            raise OverflowError
        relative += abs(factor.error / factor.value)
    return _finite(value, abs(value) * relative)


def applied(head: type, arguments: Sequence[Constant]) -> Constant:
    """A function of constants; its error is how much it moves as they do."""
    function = _numeric(head)
    values = [argument.value for argument in arguments]
    value = function(*values)
    if value == 0 and head in _NEVER_ZERO and not (head is sympy.Pow and values[0] == 0):
        raise OverflowError
    error = 4 * _EPS * abs(value)
    for index, argument in enumerate(arguments):
        if argument.error:
            moved = []
            for step in (-argument.error, argument.error):
                try:
                    there = function(*values[:index], values[index] + step, *values[index + 1 :])
                    moved.append(abs(there - value))
                except (ValueError, ArithmeticError):  # the end of its domain
                    continue
            error += max(moved, default=math.inf)
    return _finite(value, error)


def _finite(value: float, error: float) -> Constant:
    if not math.isfinite(value):
        raise OverflowError
    return Constant(value, error)


def _numeric(head: type) -> Callable[..., float]:
    if head in _NUMERIC:
        return _NUMERIC[head]
    if head in _BESSEL:
        from scipy import special  # a second of loading that few need

        function: Callable[..., float] = getattr(special, _BESSEL[head])
        return lambda order, argument: _told(float(function(order, argument)))
    raise ValueError(f"{head.__name__} has no value")


def _told(value: float) -> float:
    if math.isnan(value):
        raise ValueError("not a real number")
    return value


def _power(base: float, exponent: float) -> float:
    if base == 0 and exponent < 0:
        raise ZeroDivisionError
    return math.pow(base, exponent)


def _heaviside(argument: float, at_zero: float = 0.5) -> float:
    return at_zero if argument == 0 else float(argument > 0)


_BESSEL: dict[type, str] = {
    sympy.besselj: "jv",
    sympy.bessely: "yv",
    sympy.besseli: "iv",
    sympy.besselk: "kv",
}

_NUMERIC: dict[Any, Callable[..., float]] = {
    sympy.Pow: _power,
    sympy.sin: math.sin,
    sympy.cos: math.cos,
    sympy.tan: math.tan,
    sympy.cot: lambda a: 1 / math.tan(a),
    sympy.sec: lambda a: 1 / math.cos(a),
    sympy.csc: lambda a: 1 / math.sin(a),
    sympy.asin: math.asin,
    sympy.acos: math.acos,
    sympy.atan: math.atan,
    sympy.atan2: math.atan2,
    sympy.sinh: math.sinh,
    sympy.cosh: math.cosh,
    sympy.tanh: math.tanh,
    sympy.coth: lambda a: 1 / math.tanh(a),
    sympy.sech: lambda a: 1 / math.cosh(a),
    sympy.csch: lambda a: 1 / math.sinh(a),
    sympy.asinh: math.asinh,
    sympy.acosh: math.acosh,
    sympy.atanh: math.atanh,
    sympy.exp: math.exp,
    sympy.log: math.log,
    sympy.Abs: abs,
    sympy.sign: lambda a: math.copysign(1, a) if a else 0.0,
    sympy.Heaviside: _heaviside,
    sympy.Max: max,
    sympy.Min: min,
    sympy.erf: math.erf,
    sympy.erfc: math.erfc,
    sympy.floor: math.floor,
    sympy.ceiling: math.ceil,
}

_NEVER_ZERO = (sympy.Pow, sympy.exp, sympy.erfc, sympy.sech, sympy.csch, sympy.besselk)

NAMED: dict[Any, float] = {
    sympy.pi: math.pi,
    sympy.E: math.e,
    sympy.EulerGamma: 0.57721566490153286,
    sympy.GoldenRatio: (1 + math.sqrt(5)) / 2,
    sympy.Catalan: 0.91596559417721902,
}
