"""How large an expression is, and how large SymPy could make it.

SymPy evaluates eagerly, with numbers of any size: ``9**9**9``, ``exp(10**10*log(3))`` or
``(x/3)**(10**7)`` would keep it busy forever. So everything is measured before SymPy is asked.
"""

from typing import Any, NamedTuple

import sympy
from sympy.core.function import AppliedUndef
from sympy.functions.special.bessel import BesselBase

from piscm.problem import constants
from piscm.problem.constants import NAMED, Constant
from piscm.problem.errors import UnfitError
from piscm.problem.functions import MAX_COMPARED

MAX_PARTS = 4000
"""Far beyond what anyone writes; SymPy differentiates by recursion, and slowly."""

_MAX_BITS = 2**16
_MAX_EXPONENT = 10_000
_MAX_ARGUMENT = 1e100
# Beyond these the series of Bessel functions converge slowly.
_MAX_BESSEL_ORDER, _MAX_BESSEL, _MIN_BESSEL = 100, 1e4, 1e-10
# SymPy compares all pairs of what Max and Min hold, and its derivative does so once for each.
_MAX_COMPARISONS = 3 * MAX_COMPARED**3
# What SymPy asks about a function it asks about its arguments, several times.
_MAX_NESTED = 6
# SymPy may write a condition as a product of sums, of which there are exponentially many.
_MAX_JOINED = 10


class Size(NamedTuple):
    """The size of an expression.

    Attributes
    ----------
    parts : int
        How many nodes its tree has.
    bits : int
        How many bits its rational numbers would have if every power and product were worked out.
    largest : float
        The largest absolute value of a number in it.
    nested : int
        How deep functions and roots stand in each other.
    comparisons : int
        The work of what Max and Min compare.
    logarithm, exact : bool
        Whether it holds a logarithm; whether it holds roots and rational numbers alone.
    constant : Constant or None
        Its value, if it holds no symbol.
    """

    parts: int = 1
    bits: int = 0
    largest: float = 0.0
    nested: int = 0
    comparisons: int = 0
    logarithm: bool = False
    exact: bool = False
    constant: Constant | None = None


class Sizes:
    """Sizes of expressions and their parts, each measured once.

    `of` and `formed` raise `UnfitError` for what SymPy must not be given.
    """

    def __init__(self) -> None:
        self._known: dict[Any, Size] = {}

    def of(self, part: Any) -> Size:
        """The size of an expression or comparison, if it is within the limits."""
        known = self._known.get(part)
        if known is None:
            known = self.formed(type(part), part.args, part) if part.args else _leaf(part)
            self._known[part] = known
        return known

    def formed(self, head: Any, arguments: Any, whole: Any = None) -> Size:
        """The size of a head with these arguments, whether or not it is made yet."""
        if issubclass(head, AppliedUndef | sympy.Derivative):
            return Size(sum(1 for _ in sympy.preorder_traversal(whole)))
        sizes = [self.of(argument) for argument in arguments]
        size = Size(
            1 + sum(size.parts for size in sizes),
            sum(size.bits for size in sizes),
            max((size.largest for size in sizes), default=0.0),
            max((size.nested for size in sizes), default=0) + _is_function(head, arguments),
            sum(size.comparisons for size in sizes),
            head is sympy.log or any(size.logarithm for size in sizes),
            head in _ALGEBRAIC and all(size.exact for size in sizes),
        )
        if size.parts > MAX_PARTS:
            raise UnfitError(
                f"has more than {MAX_PARTS} parts. Give parts of it names: fields of their own, "
                "each with an equation"
            )
        if size.nested > _MAX_NESTED:
            raise UnfitError(
                f"nests more than {_MAX_NESTED} functions in each other: give an inner one a name, "
                "a field of its own with an equation"
            )
        if head in (sympy.Max, sympy.Min):
            size = size._replace(comparisons=size.comparisons + len(arguments) ** 3)
        if size.comparisons > _MAX_COMPARISONS:
            raise UnfitError("compares too much in Max and Min")
        if head is sympy.Piecewise:
            _check_joined(arguments)
        elif head is sympy.Pow:
            size = _power(size, *sizes)
        elif head is sympy.exp:
            size = _exponential(size, *sizes)
        elif issubclass(head, BesselBase):
            _check_bessel(*sizes)
        if size.bits > _MAX_BITS:
            raise UnfitError("holds a power that is too large a number")
        return size._replace(constant=_constant(head, sizes, size.exact))


def _is_function(head: Any, arguments: Any) -> bool:
    return issubclass(head, sympy.Function) or (
        head is sympy.Pow and not arguments[1].is_Integer and not arguments[0].is_Number
    )


_ALGEBRAIC = (sympy.Add, sympy.Mul, sympy.Pow)
_LEAF = Size()


def _leaf(part: Any) -> Size:
    if part in NAMED:
        near = NAMED[part]
        return Size(exact=part is sympy.GoldenRatio, constant=Constant(near, 2**-51 * near))
    if not isinstance(part, sympy.Number):
        return _LEAF
    bits = max(abs(part.p), part.q).bit_length() if part.is_Rational else 0
    try:
        value = constants.number(part)
    except (OverflowError, ValueError):
        raise UnfitError("holds a number that a float cannot hold") from None
    return Size(1, bits, abs(value.value), exact=bool(part.is_Rational), constant=value)


def _power(size: Size, base: Size, exponent: Size) -> Size:
    if exponent.constant is not None and abs(exponent.constant.value) > _MAX_EXPONENT:
        raise UnfitError(f"has an exponent beyond {_MAX_EXPONENT}")
    raised = int(max(1.0, min(exponent.largest, _MAX_BITS)) * base.bits)
    return _exponential(size._replace(bits=raised + exponent.bits), exponent)


def _exponential(size: Size, exponent: Size) -> Size:
    """A logarithm in an exponent is a power: exp(5*log(3)) is 3**5."""
    if not exponent.logarithm:
        return size
    if exponent.largest > _MAX_EXPONENT:
        raise UnfitError(f"has an exponent beyond {_MAX_EXPONENT}")
    return size._replace(bits=size.bits + int(exponent.bits * max(1.0, exponent.largest)))


def _check_bessel(order: Size, *arguments: Size) -> None:
    for size, most in ((order, _MAX_BESSEL_ORDER), *((size, _MAX_BESSEL) for size in arguments)):
        value = 1.0 if size.constant is None else abs(size.constant.value)
        if value > most or 0 < value < _MIN_BESSEL:
            raise UnfitError(
                f"holds a Bessel function of {value:.3g}: orders may be up to {_MAX_BESSEL_ORDER}, "
                f"constant arguments up to {_MAX_BESSEL:g}, both not below {_MIN_BESSEL:g}"
            )


def _check_joined(pieces: Any) -> None:
    joined = 0
    for _, condition in pieces:
        if condition.has(sympy.Piecewise):
            raise UnfitError("has a Piecewise in a condition: write it as pieces of the outer one")
        if isinstance(condition, sympy.And | sympy.Or | sympy.Not):
            joined += len(condition.atoms(sympy.core.relational.Relational))
    if joined > _MAX_JOINED:
        raise UnfitError(
            f"joins more than {_MAX_JOINED} comparisons by & and |: write the pieces in order, so "
            "that one comparison for each will do"
        )


def _constant(head: Any, sizes: list[Size], exact: bool) -> Constant | None:
    values = [size.constant for size in sizes if size.constant is not None]
    if len(values) < len(sizes) or not issubclass(head, sympy.Expr):
        return None
    if head not in _ALGEBRAIC and max(abs(value.value) for value in values) > _MAX_ARGUMENT:
        raise UnfitError("has too large a number as an argument")
    try:
        if head is sympy.Add:
            found = constants.total(values)
        elif head is sympy.Mul:
            found = constants.product(values)
        else:
            found = constants.applied(head, values)
    except ZeroDivisionError:
        raise UnfitError("divides by zero") from None
    except OverflowError:
        raise UnfitError("holds a number that a float cannot hold") from None
    except ValueError:  # outside the domain of the function
        raise UnfitError("is not a real number") from None
    if exact and found.sign is None:
        raise UnfitError("holds a constant that cannot be told from zero; write 0, or its value")
    return found
