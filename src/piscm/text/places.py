"""Domains, places of conditions and regions of integrals, as plain data."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import sympy

from piscm.problem.box import Box
from piscm.problem.domain import Domain
from piscm.problem.errors import ProblemError, brief
from piscm.problem.integrals import Region, integrals_in
from piscm.problem.nearest import did_you_mean
from piscm.problem.place import Place
from piscm.problem.symbols import coordinates
from piscm.text.keys import at
from piscm.text.parse import parse_expression

_PART = ("part", "face", "where", "of")
WHOLE = "domain"
"""The name of the whole domain in integrals."""


Constants = Mapping[str, sympy.Expr]


def constant(value: Any, known: Constants | None = None) -> Any:
    """Parse a bound or place, which may be text: ``"2*pi"``; `known` are constants by name."""
    return parse_expression(value, known or {}, {}, "A bound") if isinstance(value, str) else value


def read_domain(given: Any, known: Constants | None = None, folder: Path | None = None) -> Domain:
    """A domain: bounds of a box, or a shape; `folder` is where files of shapes are."""
    if not isinstance(given, Mapping):
        raise ProblemError("domain is missing or is not a table of names.")
    if not isinstance(given.get("shape"), str):
        return Box(_bounds(given, known))
    from piscm.shapes.reading import Reader

    seen: dict[str, sympy.Symbol] = {}

    def symbol(name: Any) -> sympy.Symbol:
        if not isinstance(name, str):
            raise ProblemError(f"{name!r} is not the name of a coordinate.")
        return seen.setdefault(name, coordinates(name))

    return Reader(symbol, lambda value: constant(value, known), folder)(given)


def read_place(
    given: Any, domain: Domain, known: Constants | None = None, folder: Path | None = None
) -> Any:
    """The place of a condition: coordinates, several of them, "boundary", or a part of it."""
    if isinstance(given, list):
        return [_one_place(own, number, domain, known, folder) for number, own in enumerate(given)]
    if not isinstance(given, Mapping):
        return given
    symbols = {symbol.name for symbol in domain.coordinates}
    if given and set(given) <= set(_PART) - symbols:
        return read_part(given, domain, known, folder)
    return _slice(given, domain, known)


def _one_place(
    given: Any, number: int, domain: Domain, known: Constants | None, folder: Path | None
) -> Any:
    with at(number):
        if not isinstance(given, Mapping | str):
            raise ProblemError("on is missing or is not a table of names.")
        return read_place(given, domain, known, folder)


def read_part(
    given: Mapping[str, Any],
    domain: Domain,
    known: Constants | None = None,
    folder: Path | None = None,
) -> Place:
    """A part of the boundary: its name, or a face, and a condition on the coordinates.

    `of` is the shape that it belongs to, if that is not the domain.
    """
    domain = read_domain(given["of"], known, folder) if "of" in given else domain
    part: Any = given.get("part")
    if "face" in given:
        part = _slice(given["face"], domain, known)
    where = given.get("where")
    met = None if where is None else _condition(where, domain, known)
    return domain.boundary(part, where=met)


def _slice(place: Any, domain: Domain, known: Constants | None) -> dict[sympy.Symbol, Any]:
    if not isinstance(place, Mapping):
        raise ProblemError("on is missing or is not a table of names.")
    symbols = {symbol.name: symbol for symbol in domain.coordinates}
    for name in place:
        if name not in symbols:
            near = did_you_mean(str(name), symbols)
            raise ProblemError(f"{name!r} is not a coordinate{near}; known: {', '.join(symbols)}.")
    return {symbols[name]: constant(value, known) for name, value in place.items()}


def _condition(text: Any, domain: Domain, known: Constants | None) -> Any:
    """A condition on the coordinates, as in ``Piecewise``."""
    symbols: dict[str, Any] = {**(known or {}), **{s.name: s for s in domain.coordinates}}
    if not isinstance(text, str) or ")," in text.replace(" ", ""):
        raise ProblemError(f"where = {text!r} is not a condition such as 'x < 0.1'.")
    made = parse_expression(f"Piecewise((1, {text}), (0, True))", symbols, {}, "where")
    if not isinstance(made, sympy.Piecewise):
        raise ProblemError(f"where = {text!r} is always or never true.")
    return made.args[0][1]


def _bound(value: Any, number: int, known: Constants | None) -> Any:
    with at(number):
        return constant(value, known)


def _bounds(given: Mapping[str, Any], known: Constants | None) -> dict[sympy.Symbol, Any]:
    bounds: dict[sympy.Symbol, Any] = {}
    for name, bound in given.items():
        with at(name):
            symbol = coordinates(name)
            if symbol in bounds:
                raise ProblemError(f"{brief(name, 40)} is twice a coordinate; choose another name.")
            if isinstance(bound, list):
                bound = [_bound(value, number, known) for number, value in enumerate(bound)]
            Box({symbol: bound})  # its mistakes are at this name
            bounds[symbol] = bound
            Box({symbol: bound})  # so that a mistake is told at its own key
    return bounds


# --- regions of integrals ---------------------------------------------------------------------


class Regions:
    """Names of the regions that integrals run over: in text they stand for the regions."""

    def __init__(self, domain: Domain, named: Mapping[str, Domain | Place] | None = None) -> None:
        self._regions: dict[str, Domain | Place] = {WHOLE: domain, **(named or {})}
        self.symbols = {name: sympy.Symbol(name) for name in self._regions}

    @classmethod
    def read(
        cls,
        given: Any,
        domain: Domain,
        known: Constants | None = None,
        parts: Mapping[str, Domain] | None = None,
        folder: Path | None = None,
    ) -> "Regions":
        """From a table of names; `known` are constants, `parts` the regions of the problem.

        `folder` is where files of shapes are.
        """
        if not isinstance(given, Mapping):
            raise ProblemError("regions is not a table of names.")
        named: dict[str, Domain | Place] = dict(parts or {})
        for name, own in given.items():
            if not isinstance(own, Mapping):
                raise ProblemError(f"The region {name!r} is not a table.")
            part = not isinstance(own.get("shape"), str) and (not own or set(own) <= set(_PART))
            named[name] = (
                read_part(own, domain, known, folder) if part else read_domain(own, known, folder)
            )
        return cls(domain, named)

    def put_in(self, expression: sympy.Expr) -> sympy.Expr:
        """The expression with the regions themselves instead of their names."""
        table = {
            part: part.func(part.integrand, Region(self._regions[part.over.name]))
            for part in integrals_in(expression)
            if isinstance(part.over, sympy.Symbol) and part.over in self.symbols.values()
        }
        return expression.xreplace(table)

    def taken_out(self, expression: sympy.Expr) -> sympy.Expr:
        """The expression with names instead of regions; new ones are given a name."""
        table = {}
        for part in integrals_in(expression):
            if isinstance(part.over, Region):
                symbol = self.symbols[self._name_of(part.over.place)]
                table[part] = part.func(part.integrand, symbol)
        return expression.xreplace(table)

    def _name_of(self, place: Domain | Place) -> str:
        for name, own in self._regions.items():
            if own is place:
                return name
        name = f"region_{len(self._regions)}"
        self._regions[name], self.symbols[name] = place, sympy.Symbol(name)
        return name

    @property
    def document(self) -> dict[str, Any]:
        """All but the whole domain, as plain data."""
        whole = self._regions[WHOLE]
        assert isinstance(whole, Domain)
        made = {
            name: (own.fitted_to(whole) if isinstance(own, Place) else own).document
            for name, own in self._regions.items()
            if name != WHOLE
        }
        return {name: {} if own == "boundary" else own for name, own in made.items()}
