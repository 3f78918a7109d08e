"""A problem from plain data: every part is read, and every mistake in it noted."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import sympy

from piscm.problem.box import Box
from piscm.problem.complex_fields import IMAGINARY, REAL, parts_of
from piscm.problem.conditions import Condition, Periodic
from piscm.problem.domain import Domain
from piscm.problem.errors import ProblemError, brief
from piscm.problem.expressions import fields_in
from piscm.problem.guesses import interval
from piscm.problem.mosaic import Mosaic
from piscm.problem.observations import Observations
from piscm.problem.priors import Prior
from piscm.problem.problem import Problem
from piscm.problem.requirement import Requirement
from piscm.problem.symbols import checked_name, coordinates, unknown
from piscm.problem.symbols import field as field_of
from piscm.text.conditions import read_condition
from piscm.text.entries import checked_list, checked_table, known_only
from piscm.text.keys import at
from piscm.text.mistakes import Mistakes
from piscm.text.parse import parse_expression
from piscm.text.places import Regions, read_domain
from piscm.text.regional import (
    Part,
    known,
    read_coefficients,
    read_interface,
    read_parts,
    read_region,
    read_singular,
)
from piscm.text.sampled import read_samples
from piscm.text.schema import OBSERVATION, UNKNOWN, names
from piscm.text.tables import read_columns

DATA = ("file", "columns")
"""Entries of observations that a problem file may have, and a saved solution has not."""


@dataclass
class Reading:
    """What a document says, as far as it could be read.

    Attributes
    ----------
    mistakes : Mistakes
    folder : Path or None
        Where tables of measurements are; None if there may be none.
    """

    mistakes: Mistakes
    folder: Path | None = None
    domain: Domain | None = None
    constants: dict[str, sympy.Expr] = field(default_factory=dict)
    symbols: dict[str, Any] = field(default_factory=dict)
    fields: dict[str, sympy.Expr] = field(default_factory=dict)
    guesses: dict[sympy.Symbol, Any] = field(default_factory=dict)
    regions: Regions | None = None
    parts: list[Part] = field(default_factory=list)
    coefficients: dict[str, Any] = field(default_factory=dict)
    problem: Problem | None = None

    def read(self, document: Mapping[str, Any]) -> Problem | None:
        """The problem, unless there are mistakes."""
        self._read_constants(document)
        real = self._read_domain(document)
        self._read_names(document)
        self._read_expressions(document)
        equations, conditions = self._equations(document), self._conditions(document, real)
        observations = self._observations(document, real)
        self._check_used(document, equations, conditions, observations)
        if self.mistakes or self.domain is None:
            return None
        with self.mistakes.at():
            self.problem = self._problem(document, equations, conditions, observations)
        return self.problem

    def _problem(
        self,
        document: Mapping[str, Any],
        equations: list[sympy.Expr],
        conditions: list[Requirement],
        observations: list[Observations],
    ) -> Problem:
        """The problem, on one domain or on regions."""
        if not self.parts:
            with at("singular"):
                singular = read_singular(document.get("singular"), self.fields, self.parse)
            return Problem(
                self.domain, equations, conditions, self.guesses, observations, singular=singular
            )
        regions = []
        for number, part in enumerate(self.parts):
            with at("region", number):
                regions.append(read_region(part, self.coefficients, self.fields, self.parse))
        with at("interface"):
            interface = read_interface(document.get("interface"), self.parse)
        return Problem(
            equations=equations,
            conditions=conditions,
            unknowns=self.guesses,
            observations=observations,
            regions=regions,
            interface=interface,
        )

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
            self.parts = read_parts(document, self.constants)
            if self.parts:
                members = [part.domain for part in self.parts]
                self.domain = Mosaic(members, [part.name for part in self.parts])
        if self.domain is not None or document.get("region"):
            return self.domain is not None
        given = document.get("domain")
        with self.mistakes.at("domain"):
            self.domain = read_domain(given, self.constants)
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
        # By the name as Python has it, in which µ and μ are one.
        taken = dict.fromkeys(own, "a coordinate") | dict.fromkeys(self.constants, "a constant")

        def take(name: str, what: str) -> None:
            plain = unicodedata.normalize("NFKC", name)
            if plain in taken:
                other = f"both {taken[plain]} and" if taken[plain] != what else "twice"
                raise ProblemError(f"{brief(name, 40)} is {other} {what}; choose another name.")
            taken[plain] = what

        for name in self.constants:
            with self.mistakes.at("constants", name):
                if name in own:
                    raise ProblemError(f"{name!r} is both a coordinate and a constant.")
        self.symbols = {**self.constants, **own}
        with self.mistakes.at("regions"):
            if self.domain is not None:
                given = document.get("regions", {})
                members = {part.name: part.domain for part in self.parts}
                self.regions = Regions.read(given, self.domain, self.constants, members)
                self.symbols = {**self.regions.symbols, **self.symbols}
        with self.mistakes.at("unknowns"):
            for name, given in checked_table(document.get("unknowns", {}), "unknowns").items():
                with self.mistakes.at("unknowns", name):
                    take(name, "an unknown")
                    symbol = self.symbols[name] = unknown(name)
                    symbol, guess = _read_unknown(name, given)
                    self.symbols[name] = symbol
                    interval(symbol, guess)  # its mistakes are told here
                    self.guesses[symbol] = guess
        with self.mistakes.at("fields"):
            table = checked_table(document.get("fields", {"u": list(own)}), "fields")
            for name, listed in table.items():
                with self.mistakes.at("fields", name):
                    take(name, "a field")
                    found = [
                        known(own, item, "coordinate") for item in checked_list(listed, "fields")
                    ]
                    self.fields[name] = field_of(name, *found)
        with self.mistakes.at("complex"):
            self._read_complex(checked_list(document.get("complex", []), "complex"))

        with self.mistakes.at("samples"):
            for name, given in checked_table(document.get("samples", {}), "samples").items():
                with self.mistakes.at("samples", name):
                    take(name, "a sampled function")
                    self.symbols[name] = sympy.S.One  # if it is wrong, it is told once
                    self.symbols[name] = read_samples(name, given, own, self.folder)

        with self.mistakes.at("region"):
            symbols, functions = read_coefficients(self.parts, own)
            self.coefficients = {**symbols, **functions}
            self.symbols = {**self.symbols, **symbols}
            self.fields = {**self.fields, **functions}

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

    def _equations(self, document: Mapping[str, Any]) -> list[sympy.Expr]:
        made: list[sympy.Expr] = []
        listed: list[Any] = []
        with self.mistakes.at("equations"):
            listed = checked_list(document.get("equations"), "equations")
            if not listed:
                raise ProblemError("The problem has no equation.")
        for number, text in enumerate(listed):
            with self.mistakes.at("equations", number):
                equation = self.parse(text, f"Equation {number + 1}")
                _check_field(equation, f"Equation {number + 1}")
                made.append(equation)
        return made

    def _conditions(self, document: Mapping[str, Any], real: bool) -> list[Requirement]:
        made: list[Requirement] = []
        listed: list[Any] = []
        with self.mistakes.at("conditions"):
            listed = checked_list(document.get("conditions", []), "conditions")
        for number, item in enumerate(listed if self.domain is not None else []):
            with self.mistakes.at("conditions", number):
                condition = read_condition(item, self)
                if isinstance(condition, Condition | Periodic):
                    _check_field(condition.expression, "A condition")
                if real and self.domain is not None and not self.parts:
                    place = condition.place.fitted_to(self.domain)
                    place.check(self.domain, f"The condition {condition}")
                made.append(condition)
        return made

    def _observations(self, document: Mapping[str, Any], real: bool) -> list[Observations]:
        made: list[Observations] = []
        listed: list[Any] = []
        with self.mistakes.at("observations"):
            listed = checked_list(document.get("observations", []), "observations")
        for number, item in enumerate(listed):
            with self.mistakes.at("observations", number):
                own = checked_table(item, "An entry of observations")
                accepted = names(OBSERVATION)
                if self.folder is None:
                    accepted = tuple(name for name in accepted if name not in DATA)
                known_only(own, accepted, "An entry of observations")
                data = self._observed(own)
                if real and self.domain is not None:
                    Problem.check_points(data, self.domain)
                made.append(data)
        return made

    def _observed(self, item: Mapping[str, Any]) -> Observations:
        with at("expression"):
            expression = self.parse(item.get("expression"), "An observed expression")
            _check_field(expression, "An observed expression")
        rest = {key: item[key] for key in ("weight", "noise", "loss") if key in item}
        if self.folder is None or "file" not in item:
            points, values = item.get("points", []), item.get("values", [])
            return Observations(expression, points=points, values=values, **rest)
        with at("file"):
            points, values, noise = self._table(item, str(item.get("expression", "")))
        if noise is not None:
            rest["noise"] = noise
        return Observations(expression, points=points, values=values, **rest)

    def _table(self, item: Mapping[str, Any], observed: str) -> tuple[Any, Any, Any]:
        """Points, values and, if there is a column of it, noise from a table."""
        if not isinstance(item["file"], str):
            raise ProblemError(f"The file is {brief(item['file'], 40)}; give its name as text.")
        own = [symbol.name for symbol in self.domain.coordinates] if self.domain else []
        given = checked_table(item.get("columns", {}), "columns")
        known_only(given, (*own, "value", "noise"), "columns")
        if "value" in own and "value" not in given:
            raise ProblemError(
                "A coordinate is called 'value', as the column of measured values in a table is; "
                "choose another name for it."
            )
        columns = [str(given.get(name, name)) for name in own]
        wanted = [*columns, *([str(given["noise"])] if "noise" in given else [])]
        either = [str(given["value"])] if "value" in given else ["value", observed.strip()]
        assert self.folder is not None
        found = read_columns(self.folder / item["file"], wanted, either)
        values = found[list(found)[-1]]
        points = [list(point) for point in zip(*(found[name] for name in columns), strict=True)]
        return points, values, found[str(given["noise"])] if "noise" in given else None

    def _check_used(self, document: Mapping[str, Any], *groups: Any) -> None:
        """An unknown that nothing depends on is told where it is declared."""
        if self.mistakes or self.parts:  # values of regions may hold unknowns too
            return
        used: set[Any] = set()
        for item in (item for group in groups for item in group):
            expression = item.expression if isinstance(item, Requirement) else item
            used |= expression.free_symbols
        for symbol in self.guesses:
            with self.mistakes.at("unknowns", symbol.name):
                if symbol not in used:
                    raise ProblemError(f"The unknown {symbol} appears in no equation or condition.")


def _digits(number: Any) -> str:
    """A number as text, whether Python's or NumPy's."""
    return repr(int(number)) if isinstance(number, int) else repr(float(number))


def _check_field(expression: sympy.Expr, where: str) -> None:
    if not fields_in(expression):
        raise ProblemError(
            f"{where}: {brief(expression)} holds no field: there is nothing to solve for in it."
        )


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
