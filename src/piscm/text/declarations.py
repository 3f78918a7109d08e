"""What a document declares: constants, the domain, unknowns, fields, samples, named expressions."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import sympy

from piscm.problem.box import Box
from piscm.problem.complex_fields import IMAGINARY, REAL, parts_of
from piscm.problem.domain import Domain
from piscm.problem.errors import ProblemError, brief
from piscm.problem.guesses import interval
from piscm.problem.mosaic import Mosaic
from piscm.problem.priors import Prior
from piscm.problem.symbols import checked_name, coordinates, unknown
from piscm.problem.symbols import field as field_of
from piscm.text.entries import checked_list, checked_table, known_only
from piscm.text.keys import at
from piscm.text.mistakes import Mistakes
from piscm.text.parse import parse_expression
from piscm.text.places import Regions, read_domain
from piscm.text.regional import Part, known, read_coefficients, read_parts
from piscm.text.sampled import read_samples
from piscm.text.schema import UNKNOWN, names


@dataclass
class Declarations:
    """The names of a document, as far as they could be read.

    Attributes
    ----------
    mistakes : Mistakes
    folder : Path or None
        Where tables of measurements and files of shapes are; None if there may be none.
    real : bool
        Whether the domain is real, or made up to find the other mistakes.
    """

    mistakes: Mistakes
    folder: Path | None = None
    domain: Domain | None = None
    real: bool = False
    constants: dict[str, sympy.Expr] = field(default_factory=dict)
    symbols: dict[str, Any] = field(default_factory=dict)
    fields: dict[str, sympy.Expr] = field(default_factory=dict)
    guesses: dict[sympy.Symbol, Any] = field(default_factory=dict)
    regions: Regions | None = None
    parts: list[Part] = field(default_factory=list)
    coefficients: dict[str, Any] = field(default_factory=dict)
    _taken: dict[str, str] = field(default_factory=dict)

    def read(self, document: Mapping[str, Any]) -> None:
        """Everything that a document declares."""
        self._read_constants(document)
        self.real = self._read_domain(document)
        if self.domain is None:
            return  # without coordinates all else would be a mistake too
        self._read_names(document)
        self._read_expressions(document)

    def parse(self, text: Any, where: str) -> sympy.Expr:
        """An expression in everything that is declared."""
        parsed = parse_expression(text, self.symbols, self.fields, where)
        return parsed if self.regions is None else self.regions.put_in(parsed)

    def _read_constants(self, document: Mapping[str, Any]) -> None:
        for table in ("constants", "parameters"):
            self._read_numbers(table, document.get(table, {}))

    def _read_numbers(self, table: str, numbers: Any) -> None:
        with self.mistakes.at(table):
            for name, given in checked_table(numbers, table).items():
                with self.mistakes.at(table, name):
                    checked_name(name)
                    if name in self.constants:
                        raise ProblemError(f"{name!r} is twice a constant; choose another name.")
                    self.constants[name] = sympy.S.One  # if it is wrong, it is told once
                    if not isinstance(given, str | int | float) or isinstance(given, bool):
                        raise ProblemError(f"{name} is {brief(given, 40)}; give a number or text.")
                    text = given if isinstance(given, str) else _digits(given)
                    before = {key: own for key, own in self.constants.items() if key != name}
                    value = parse_expression(text, before, {}, f"The constant {name}")
                    self.constants[name] = value

    def _read_domain(self, document: Mapping[str, Any]) -> bool:
        """Whether the domain is real, or made up to find the other mistakes."""
        with self.mistakes.at():
            self.parts = read_parts(document, self.constants, self.folder)
            if self.parts:
                members = [part.domain for part in self.parts]
                self.domain = Mosaic(members, [part.name for part in self.parts])
        if self.domain is not None or document.get("region"):
            return self.domain is not None
        given = document.get("domain")
        with self.mistakes.at("domain"):
            self.domain = read_domain(given, self.constants, self.folder)
            return True
        if isinstance(given, Mapping) and not isinstance(given.get("shape"), str):
            made = [name for name in given if isinstance(name, str) and name.isidentifier()]
            try:
                self.domain = Box({coordinates(name): (0, 1) for name in made})
            except ProblemError:
                self.domain = None
        return False

    def _read_names(self, document: Mapping[str, Any]) -> None:
        own = {symbol.name: symbol for symbol in self.domain.coordinates} if self.domain else {}
        self._taken = dict.fromkeys(own, "a coordinate")
        self._taken |= dict.fromkeys(self.constants, "a constant")
        for name in self.constants:
            with self.mistakes.at("constants", name):
                if name in own:
                    raise ProblemError(f"{name!r} is both a coordinate and a constant.")
        self.symbols = {**self.constants, **own}
        with self.mistakes.at("regions"):
            if self.domain is not None:
                given = document.get("regions", {})
                members = {part.name: part.domain for part in self.parts}
                self.regions = Regions.read(
                    given, self.domain, self.constants, members, self.folder
                )
                self.symbols = {**self.regions.symbols, **self.symbols}
        self._read_unknowns(document)
        self._read_fields(document, own)
        with self.mistakes.at("complex"):
            self._read_complex(checked_list(document.get("complex", []), "complex"))
        self._read_samples(document, own)
        with self.mistakes.at("region"):
            symbols, functions = read_coefficients(self.parts, own)
            self.coefficients = {**symbols, **functions}
            self.symbols = {**self.symbols, **symbols}
            self.fields = {**self.fields, **functions}

    def _take(self, name: str, what: str) -> None:
        """Refuse a name that something else has."""
        plain = unicodedata.normalize("NFKC", name)  # as Python has it, where µ and μ are one
        if plain in self._taken:
            other = f"both {self._taken[plain]} and" if self._taken[plain] != what else "twice"
            raise ProblemError(f"{brief(name, 40)} is {other} {what}; choose another name.")
        self._taken[plain] = what

    def _read_unknowns(self, document: Mapping[str, Any]) -> None:
        with self.mistakes.at("unknowns"):
            for name, given in checked_table(document.get("unknowns", {}), "unknowns").items():
                with self.mistakes.at("unknowns", name):
                    self._take(name, "an unknown")
                    symbol = self.symbols[name] = unknown(name)
                    symbol, guess = _read_unknown(name, given)
                    self.symbols[name] = symbol
                    interval(symbol, guess)  # its mistakes are told here
                    self.guesses[symbol] = guess

    def _read_fields(self, document: Mapping[str, Any], own: Mapping[str, sympy.Symbol]) -> None:
        with self.mistakes.at("fields"):
            table = checked_table(document.get("fields", {"u": list(own)}), "fields")
            for name, listed in table.items():
                with self.mistakes.at("fields", name):
                    self._take(name, "a field")
                    found = [
                        known(own, item, "coordinate") for item in checked_list(listed, "fields")
                    ]
                    self.fields[name] = field_of(name, *found)

    def _read_complex(self, listed: list[Any]) -> None:
        """Complex fields, which are declared themselves or by their two parts."""
        for number, name in enumerate(listed):
            with at(number):
                real, imaginary = (f"{name}{end}" for end in (REAL, IMAGINARY))
                own = self.fields.get(str(name)) or self.fields.get(real)
                if own is None or (str(name) not in self.fields and imaginary not in self.fields):
                    raise ProblemError(f"{brief(name, 40)} is not a field of [fields].")
                whole = field_of(str(name), *own.args, complex=True)
                both = dict(zip((real, imaginary), parts_of(whole), strict=True))
                self.fields = {**self.fields, **both, str(name): whole}
        if listed:
            self.symbols.setdefault("I", sympy.I)

    def _read_samples(self, document: Mapping[str, Any], own: Mapping[str, sympy.Symbol]) -> None:
        with self.mistakes.at("samples"):
            for name, given in checked_table(document.get("samples", {}), "samples").items():
                with self.mistakes.at("samples", name):
                    self._take(name, "a sampled function")
                    self.symbols[name] = sympy.S.One  # if it is wrong, it is told once
                    self.symbols[name] = read_samples(name, given, own, self.folder)

    def _read_expressions(self, document: Mapping[str, Any]) -> None:
        with self.mistakes.at("expressions"):
            given = checked_table(document.get("expressions", {}), "expressions")
            for name, text in given.items():
                with self.mistakes.at("expressions", name):
                    checked_name(name)
                    if name in self.symbols or name in self.fields:
                        raise ProblemError(f"{name!r} names two things; choose another name.")
                    words = text if isinstance(text, str) else repr(text)
                    if not isinstance(text, str | int | float):
                        raise ProblemError(f"{name} is {brief(text, 40)}; give a text.")
                    parsed = self.parse(words, f"The expression {name}")
                    self.symbols[name] = parsed


def _digits(number: Any) -> str:
    """A number as text, whether Python's or NumPy's."""
    return repr(int(number)) if isinstance(number, int) else repr(float(number))


def _read_unknown(name: str, given: Any) -> tuple[sympy.Symbol, Any]:
    """The symbol of an unknown, and its guess, with its bounds if it has any."""
    if not isinstance(given, Mapping):
        return unknown(name), given
    known_only(given, names(UNKNOWN), "An unknown")
    positive = given.get("positive", False)
    if not isinstance(positive, bool):
        with at("positive"):
            raise ProblemError(f"positive is {brief(positive, 40)}; give true or false.")
    bounds = checked_list(given.get("bounds", [None, None]), "The bounds of an unknown")
    if len(bounds) != 2:
        with at("bounds"):
            raise ProblemError(f"{name} has {len(bounds)} bounds; give a lower and an upper one.")
    symbol, prior = unknown(name, positive=positive), given.get("prior")
    if prior is None:
        return symbol, (given.get("guess"), *bounds)
    with at("prior"):
        table = checked_table(prior, "prior")
        known_only(table, ("mean", "std"), "prior")
        low, high = (None if bound is None or np.isinf(bound) else bound for bound in bounds)
        made = Prior(table.get("mean"), table.get("std"), given.get("guess"), low, high)
    return symbol, made
