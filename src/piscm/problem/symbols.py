"""The three kinds of symbols in the user's equations: coordinates, fields and unknowns."""

import numbers
import unicodedata
from collections.abc import Iterable
from typing import Any

import sympy
from sympy.core.function import AppliedUndef, UndefinedFunction
from sympy.printing.precedence import PRECEDENCE_FUNCTIONS

from piscm.problem.errors import ProblemError, brief
from piscm.problem.functions import CONSTANTS, WORDS
from piscm.problem.given import checked_flag


class Field(AppliedUndef):  # type: ignore[misc]  # SymPy has no type hints
    """An undefined SymPy function that refuses derivatives by symbols it does not depend on.

    SymPy itself would return 0, silently dropping a term of the user's equation.
    """

    def diff(self, *symbols: Any, **assumptions: Any) -> sympy.Expr:
        for symbol, _ in differentiations(symbols):
            if symbol not in self.args:
                own = ", ".join(str(argument) for argument in self.args)
                advice = lookalike(symbol, self.args) or (
                    f" Declare it as field({str(self.func)!r}, {own}, {symbol}) if it should."
                )
                raise ProblemError(
                    f"{self.func} does not depend on {symbol}: it is a field of ({own}).{advice}"
                )
        return super().diff(*symbols, **assumptions)


class ComplexField(Field):
    """A field with complex values; it is solved for as two real ones."""


class RealPart(Field):
    """The real part of a complex field."""


class ImaginaryPart(Field):
    """The imaginary part of a complex field."""


def differentiations(given: Iterable[Any]) -> list[tuple[sympy.Symbol, int]]:
    """Arguments of ``diff`` as pairs: ``x, (t, 2)`` and ``x, t, 2`` are ``[(x, 1), (t, 2)]``."""
    pairs: list[tuple[sympy.Symbol, int]] = []
    counted = True  # a number may only follow a lone symbol
    for item in given:
        match tuple(item) if isinstance(item, tuple | list | sympy.Tuple) else (item,):
            case (sympy.Symbol() as symbol,):
                pairs.append((symbol, 1))
                counted = False
            case (sympy.Symbol() as symbol, numbers.Integral() as order) if int(order) >= 0:
                pairs.append((symbol, int(order)))
                counted = True
            case (numbers.Integral() as order,) if int(order) >= 0 and not counted:
                pairs[-1] = (pairs[-1][0], int(order))
                counted = True
            case _:
                raise ProblemError(
                    f"diff(...) is given {brief(item)}: it takes coordinates, each with a whole "
                    "number if it counts more than once, as u.diff(x, 2)."
                )
    return pairs


def lookalike(symbol: sympy.Symbol, declared: Iterable[sympy.Symbol]) -> str:
    """A sentence to append to a message if a symbol only looks like a declared one, else ""."""
    if symbol.name not in {own.name for own in declared}:
        return ""
    return (
        f" This is another symbol {symbol.name!r} than the declared one: their SymPy assumptions "
        "differ. Use the one that coordinates(...) or unknown(...) gave."
    )


def checked_name(name: Any) -> str:
    """A name that is valid in a problem file and as a keyword argument."""
    if not isinstance(name, str) or not name.isidentifier() or name != _normal(name):
        raise ProblemError(
            f"{brief(name)} cannot be a name: use letters, digits and underscores, such as 'x' or "
            "'k_2'."
        )
    if name in CONSTANTS or name in ("True", "False"):
        raise ProblemError(f"{name!r} is a mathematical constant; choose another name.")
    return name


def checked_field_name(name: Any) -> str:
    """A name that cannot be mistaken for a function, in text or by SymPy's printers."""
    if checked_name(name) in WORDS or name in PRECEDENCE_FUNCTIONS:
        raise ProblemError(f"{name!r} is a known function; choose another name for the field.")
    return str(name)


def _normal(name: str) -> str:
    """The form that Python gives to identifiers: the micro sign becomes the Greek letter."""
    return unicodedata.normalize("NFKC", name)


def _symbols(names: str, **assumptions: bool) -> sympy.Symbol | tuple[sympy.Symbol, ...]:
    if not isinstance(names, str) or not names.strip():
        raise ProblemError("Give the names as one string, such as 'x' or 'x y t'.")
    made = [
        sympy.Symbol(checked_name(_normal(name)), real=True, **assumptions)
        for name in names.replace(",", " ").split()
    ]
    return made[0] if len(made) == 1 else tuple(made)


def coordinates(names: str) -> sympy.Symbol | tuple[sympy.Symbol, ...]:
    """SymPy symbols for the independent variables; one name gives one symbol.

    >>> x, t = coordinates("x t")
    """
    return _symbols(names)


def unknown(names: str, *, positive: bool = False) -> sympy.Symbol | tuple[sympy.Symbol, ...]:
    """SymPy symbols for physical parameters to be identified; one name gives one symbol.

    A positive one stays positive at every step of the iteration.
    """
    sure = checked_flag(positive, "unknown(positive=...)")
    return _symbols(names, positive=True) if sure else _symbols(names)


def field(name: str, *coordinates: sympy.Symbol, complex: bool = False) -> sympy.Expr:
    """A field (dependent variable) of the given coordinates, as a SymPy function.

    A complex one may stand in equations with ``sympy.I``, ``re``, ``im``, ``conjugate`` and
    ``Abs``. It is solved for as two real fields, and the solution's values are complex.

    >>> x, t = coordinates("x t")
    >>> field("u", x, t).diff(x, 2)
    Derivative(u(x, t), (x, 2))
    """
    name = checked_field_name(_normal(name) if isinstance(name, str) else name)
    if not coordinates:
        raise ProblemError(f"The field {name!r} needs at least one coordinate, as field('u', x).")
    for coordinate in coordinates:
        if not isinstance(coordinate, sympy.Symbol):
            raise ProblemError(
                f"The field {name!r} depends on {brief(coordinate)}, which is not a coordinate: "
                "make it with coordinates(...)."
            )
    if len({coordinate.name for coordinate in coordinates}) < len(coordinates):
        raise ProblemError(f"The field {name!r} names a coordinate twice.")
    if checked_flag(complex, "field(complex=...)"):
        return UndefinedFunction(name, bases=(ComplexField,), complex=True)(*coordinates)
    return UndefinedFunction(name, bases=(Field,), real=True)(*coordinates)
