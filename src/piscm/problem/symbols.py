"""The three kinds of symbol a user writes equations with: coordinates, fields and unknowns."""

from typing import Any

import sympy
from sympy.core.function import AppliedUndef, UndefinedFunction

from piscm.problem.errors import ProblemError
from piscm.problem.functions import CONSTANTS, FUNCTIONS


class Field(AppliedUndef):  # type: ignore[misc]  # SymPy has no type hints
    """An undefined SymPy function that refuses to differentiate by what it does not depend on.

    SymPy itself answers 0 there, and a term of the user's equation would silently vanish.
    """

    def diff(self, *symbols: Any, **assumptions: Any) -> sympy.Expr:
        for symbol in _flat_symbols(symbols):
            if symbol not in self.args:
                own = ", ".join(str(argument) for argument in self.args)
                raise ProblemError(
                    f"{self.func} does not depend on {symbol}: it is a field of ({own}). "
                    f"Declare it as field({str(self.func)!r}, {own}, {symbol}) if it should."
                )
        return super().diff(*symbols, **assumptions)


def _flat_symbols(symbols: tuple[Any, ...]) -> list[sympy.Symbol]:
    flat: list[sympy.Symbol] = []
    for item in symbols:
        head = item[0] if isinstance(item, tuple | list | sympy.Tuple) and item else item
        if isinstance(head, sympy.Symbol):
            flat.append(head)
    return flat


def _checked_name(name: str) -> str:
    if not isinstance(name, str) or not name.isidentifier():
        raise ProblemError(
            f"{name!r} cannot be a name: use letters, digits and underscores, such as 'x' or 'k_2'."
        )
    if name in CONSTANTS:
        raise ProblemError(f"{name!r} is a mathematical constant; choose another name.")
    return name


def _symbols(names: str, **assumptions: bool) -> Any:
    if not isinstance(names, str) or not names.strip():
        raise ProblemError("Give the names as one string, such as 'x' or 'x y t'.")
    try:
        made = sympy.symbols(names, real=True, **assumptions)
    except ValueError as error:
        raise ProblemError(f"{names!r} is not a list of names: {error}.") from error
    for symbol in made if isinstance(made, tuple) else (made,):
        _checked_name(symbol.name)
    return made


def coordinates(names: str) -> Any:
    """SymPy symbols for the independent variables; one name gives one symbol.

    >>> x, t = coordinates("x t")
    """
    return _symbols(names)


def unknown(names: str, *, positive: bool = False) -> Any:
    """SymPy symbols for physical parameters that are to be found; one name gives one symbol.

    A positive one stays positive at every step of the search.
    """
    return _symbols(names, positive=True) if positive else _symbols(names)


def field(name: str, *coordinates: sympy.Symbol) -> sympy.Expr:
    """A field (dependent variable) of the given coordinates, as a SymPy function.

    >>> x, t = coordinates("x t")
    >>> field("u", x, t).diff(x, 2)
    Derivative(u(x, t), (x, 2))
    """
    _checked_name(name)
    if name in FUNCTIONS:
        raise ProblemError(f"{name!r} is a known function; choose another name for the field.")
    if not coordinates:
        raise ProblemError(f"The field {name!r} needs at least one coordinate, as field('u', x).")
    for coordinate in coordinates:
        if not isinstance(coordinate, sympy.Symbol):
            raise ProblemError(
                f"The field {name!r} depends on {coordinate!r}, which is not a coordinate: "
                "make it with coordinates(...)."
            )
    if len(set(coordinates)) < len(coordinates):
        raise ProblemError(f"The field {name!r} names a coordinate twice.")
    return UndefinedFunction(name, bases=(Field,), real=True)(*coordinates)
