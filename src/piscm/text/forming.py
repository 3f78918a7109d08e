"""Expressions formed part by part, each measured before SymPy may evaluate it.

What SymPy would have to decide (a sign, a comparison, a whole part) is decided by floats for
constants, and left as it is written for all else.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import sympy
from sympy.functions.special.bessel import BesselBase
from sympy.logic.boolalg import Boolean

from piscm.problem.constants import Constant
from piscm.problem.errors import UnfitError
from piscm.problem.functions import MAX_COMPARED
from piscm.problem.size import Sizes

_MAX_ROOT = 10**6
_MAX_ROOTS = 200  # SymPy factors the numbers under them, and in a product each with each
_SMALL = 100  # SymPy asks for the signs of all factors and terms under a root
_DECIDING = (sympy.Abs, sympy.sign, sympy.Heaviside, sympy.floor, sympy.ceiling)


class Former:
    """Forms expressions; raises `UnfitError` where SymPy must not be asked to."""

    def __init__(self) -> None:
        self._sizes = Sizes()
        self._roots = 0

    def total(self, terms: Sequence[sympy.Expr]) -> sympy.Expr:
        """A sum."""
        self._sizes.formed(sympy.Add, terms)
        return self._checked(sympy.Add(*terms))

    def product(self, factors: Sequence[sympy.Expr]) -> sympy.Expr:
        """A product."""
        self._sizes.formed(sympy.Mul, factors)
        return self._checked(sympy.Mul(*factors))

    def power(self, base: sympy.Expr, exponent: sympy.Expr) -> sympy.Expr:
        """``base**exponent``."""
        if base.is_Number and exponent.is_Number and base.is_zero and exponent.is_negative:
            raise UnfitError("divides by zero")
        if exponent.is_Rational and exponent.q > _MAX_ROOT:
            raise UnfitError("is a root of too high an order; write the exponent as 0.123")
        size = self._sizes.formed(sympy.Pow, (base, exponent))
        written = self._sizes.of(exponent).constant is None
        if written and base is sympy.E:
            return self.applied(sympy.exp, [exponent])
        # SymPy would ask which terms of a sum are infinite, and learn nothing that matters here.
        plain = base.is_Add and size.constant is None and exponent not in (0, 1)
        # It would look for the imaginary part of an exponent, by multiplying out all that is there.
        stacked = isinstance(base, sympy.Pow | sympy.exp) and not base.exp.is_Number
        hard = (stacked and size.constant is None) or size.parts > _SMALL
        if written or plain or (hard and not exponent.is_Integer):
            return self._checked(sympy.Pow(base, exponent, evaluate=False))
        if size.constant is not None and base.args and sympy.Tuple(base, exponent).has(sympy.Float):
            # SymPy looks for common divisors of floats and roots, for seconds.
            return sympy.Float(size.constant.value)
        if base.is_Rational and exponent.is_Rational and exponent.q > 1:
            self._roots += 1
            if self._roots > _MAX_ROOTS:
                raise UnfitError(f"comes after {_MAX_ROOTS} other roots of numbers; write 1.414")
        return self._checked(sympy.Pow(base, exponent))

    def applied(self, function: Any, arguments: Sequence[sympy.Expr]) -> sympy.Expr:
        """A function of the vocabulary."""
        if function is sympy.sqrt:
            if len(arguments) != 1:
                raise UnfitError("takes one argument")
            return self.power(arguments[0], sympy.S.Half)
        if function in (sympy.Max, sympy.Min):
            return self._extreme(function, arguments)
        size = self._sizes.formed(function, arguments)
        if size.constant is None or issubclass(function, BesselBase):
            return self._checked(function(*arguments, evaluate=False))
        if function in _DECIDING:
            return self._decided(function, arguments)
        return self._checked(function(*arguments))

    def operated(self, operator: Any, arguments: Sequence[sympy.Expr]) -> sympy.Expr:
        """An operator of geometry: a normal, an integral."""
        for argument in arguments:
            self._sizes.of(argument)
        return self._checked(operator(*arguments))

    def compared(self, relation: Any, left: sympy.Expr, right: sympy.Expr) -> Boolean:
        """A comparison; between constants, whether it holds."""
        sizes = [self._sizes.of(left), self._sizes.of(right)]
        if any(size.constant is None for size in sizes):
            return relation(left, right, evaluate=False)
        if left == right or (left.is_Rational and right.is_Rational):
            return relation(left, right)
        gap = self._gap(left, right)
        return relation(sympy.Integer(gap), 0)

    def pieces(self, pairs: Sequence[tuple[sympy.Expr, Boolean]]) -> sympy.Expr:
        """A Piecewise."""
        if not any(condition is not sympy.false for _, condition in pairs):
            raise UnfitError("has no piece that can hold")
        self._sizes.formed(sympy.Piecewise, [sympy.Tuple(*pair) for pair in pairs])
        return self._checked(sympy.Piecewise(*pairs, evaluate=False))

    def joined(self, connective: Callable[..., Any], *parts: Boolean) -> Any:
        """Comparisons joined by &, | or ~."""
        for part in parts:
            self._sizes.of(part)
        return connective(*parts)

    def _checked(self, built: Any) -> Any:
        """SymPy's own result, which may hold more or other parts than it was made of."""
        if built.has(sympy.zoo, sympy.oo, -sympy.oo, sympy.nan):
            raise UnfitError("is not finite")
        self._sizes.of(built)
        return built

    def _extreme(self, function: Any, arguments: Sequence[sympy.Expr]) -> sympy.Expr:
        """Max or Min, with the constants among its arguments replaced by the one that counts."""
        flat: list[sympy.Expr] = []
        for argument in arguments:
            inner = argument.args if isinstance(argument, function) else (argument,)
            flat.extend(item for item in inner if item not in flat)
        if not flat or len(flat) > MAX_COMPARED:
            raise UnfitError(f"compares none or more than {MAX_COMPARED} expressions")
        constants = [item for item in flat if self._sizes.of(item).constant is not None]
        others = [item for item in flat if item not in constants]
        best = constants[:1]
        for item in constants[1:]:
            above = self._gap(item, best[0]) > 0
            best = [item] if above == (function is sympy.Max) else best
        if not others:
            return best[0]
        self._sizes.formed(function, [*best, *others])
        return self._checked(function(*best, *others, evaluate=False))

    def _gap(self, left: sympy.Expr, right: sympy.Expr) -> int:
        """The sign of the difference of two constants."""
        if left.is_Rational and right.is_Rational:
            return int(bool(left > right)) - int(bool(left < right))
        a, b = self._constant(left), self._constant(right)
        sign = Constant(a.value - b.value, a.error + b.error).sign
        if sign is None:
            raise UnfitError("compares constants that cannot be told apart")
        return sign

    def _decided(self, function: Any, arguments: Sequence[sympy.Expr]) -> sympy.Expr:
        """A function with jumps or kinks, of a constant."""
        first, *rest = arguments
        if first.is_Number:
            return self._checked(function(*arguments))
        argument = self._constant(first)
        if function in (sympy.floor, sympy.ceiling):
            rounded = math.floor if function is sympy.floor else math.ceil
            low, high = (rounded(argument.value + step * argument.error) for step in (-4, 4))
            if low != high:
                raise UnfitError("is so near to a whole number that it cannot be told which one")
            return sympy.Integer(low)
        sign = argument.sign
        if sign is None:
            raise UnfitError("depends on the sign of a constant that cannot be told from zero")
        if function is sympy.Abs:
            return first if sign >= 0 else self.product([sympy.S.NegativeOne, first])
        return self._checked(function(sympy.Integer(sign), *rest))

    def _constant(self, expression: sympy.Expr) -> Constant:
        constant = self._sizes.of(expression).constant
        assert constant is not None  # asked of constants only
        return constant
