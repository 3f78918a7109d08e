"""Orthogonal coordinate systems, for `grad`, `div`, `laplacian` and `curl`."""

from collections.abc import Sequence
from typing import Any

import sympy
from sympy.core.function import AppliedUndef

from piscm.problem.errors import ProblemError, brief

_TIME = ("t", "time")


class CoordinateSystem(sympy.Expr):  # type: ignore[misc]  # SymPy has no type hints
    """Orthogonal coordinates and their scale factors: the length of a step of one along each.

    Made by `polar`, `cylindrical` and `spherical`. Coordinates that nothing depends on may be left
    out; a placeholder stands for them.
    """

    is_commutative = True

    def __new__(
        cls, name: sympy.Symbol, coordinates: sympy.Tuple, factors: sympy.Tuple
    ) -> "CoordinateSystem":
        return super().__new__(cls, name, coordinates, factors)  # type: ignore[no-any-return]

    @property
    def coordinates(self) -> tuple[sympy.Symbol, ...]:
        return tuple(self.args[1])

    @property
    def factors(self) -> tuple[sympy.Expr, ...]:
        return tuple(self.args[2])

    def _sympystr(self, printer: Any) -> str:
        shown = (str(own) for own in self.coordinates if not isinstance(own, sympy.Dummy))
        return f"{self.args[0]}({', '.join(shown)})"


def polar(r: Any, phi: Any = None) -> CoordinateSystem:
    """Polar coordinates: the distance from the center, and the angle.

    >>> from piscm import coordinates, field, laplacian, polar
    >>> r, phi = coordinates("r phi")
    >>> laplacian(r**3 * phi, polar(r, phi))
    9*phi*r
    """
    r, phi = _symbols("polar", r=r, phi=phi)
    return _system("polar", (r, phi), (sympy.S.One, r))


def cylindrical(r: Any, phi: Any = None, z: Any = None) -> CoordinateSystem:
    """Cylindrical coordinates: the distance from the axis, the angle around it, the height.

    ``cylindrical(r, z=z)`` is for what does not depend on the angle.
    """
    r, phi, z = _symbols("cylindrical", r=r, phi=phi, z=z)
    return _system("cylindrical", (r, phi, z), (sympy.S.One, r, sympy.S.One))


def spherical(r: Any, theta: Any = None, phi: Any = None) -> CoordinateSystem:
    """Spherical coordinates: distance from the center, angle from the pole, angle around it.

    ``spherical(r)`` is for what depends on the distance alone.
    """
    r, theta, phi = _symbols("spherical", r=r, theta=theta, phi=phi)
    return _system("spherical", (r, theta, phi), (sympy.S.One, r, r * sympy.sin(theta)))


def cartesian(coordinates: Sequence[sympy.Symbol]) -> CoordinateSystem:
    """Cartesian coordinates."""
    return _system("cartesian", tuple(coordinates), (sympy.S.One,) * len(coordinates))


def chosen_system(over: Sequence[Any], expressions: Sequence[Any], name: str) -> CoordinateSystem:
    """The system that a user names, or the Cartesian one of all coordinates of the fields."""
    if len(over) == 1 and isinstance(over[0], CoordinateSystem):
        return over[0]
    if len(over) == 1 and isinstance(over[0], list | tuple | sympy.Tuple):
        over = tuple(over[0])
    if over:
        if not all(isinstance(own, sympy.Symbol) for own in over) or len(set(over)) < len(over):
            raise ProblemError(
                f"{name}(..., {', '.join(map(brief, over))}): name the coordinates of space, as "
                f"{name}(u, x, y), or a system, as {name}(u, polar(r, phi))."
            )
        return cartesian(over)
    found: list[sympy.Symbol] = []
    for expression in expressions:
        for item in sorted(expression.atoms(AppliedUndef), key=str):
            found.extend(own for own in item.args if own.is_Symbol and own not in found)
    if not found:
        raise ProblemError(
            f"{name}: {brief(expressions[0])} holds no field, so its coordinates are not known; "
            f"name them, as {name}(..., x, y)."
        )
    for symbol in found:
        if symbol.name in _TIME:
            space = ", ".join(own.name for own in found if own is not symbol) or "x"
            raise ProblemError(
                f"{name}: the field also depends on {symbol}; name the coordinates of space, as "
                f"{name}(..., {space})."
            )
    return cartesian(found)


def _system(name: str, coordinates: Sequence[Any], factors: Sequence[Any]) -> CoordinateSystem:
    return CoordinateSystem(sympy.Symbol(name), sympy.Tuple(*coordinates), sympy.Tuple(*factors))


def _symbols(system: str, **given: Any) -> list[sympy.Symbol]:
    made = []
    for name, symbol in given.items():
        if symbol is None:
            symbol = sympy.Dummy(name, real=True)
        if not isinstance(symbol, sympy.Symbol):
            raise ProblemError(f"{system}({name}={brief(symbol)}): give a coordinate.")
        if symbol in made:
            raise ProblemError(f"{system}(...) names {symbol} twice.")
        made.append(symbol)
    return made
