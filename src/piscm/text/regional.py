"""Regions of a document: parts of the domain with values of their own, and what ties them."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sympy

from piscm.problem.domain import Domain
from piscm.problem.errors import ProblemError, brief
from piscm.problem.nearest import did_you_mean
from piscm.problem.region import Region
from piscm.problem.symbols import checked_name, field, unknown
from piscm.text.entries import checked_list, checked_table, known_only
from piscm.text.keys import at
from piscm.text.places import Constants, read_domain
from piscm.text.schema import REGION, names

_WORD = re.compile(r"[A-Za-z_]\w*")

Parser = Callable[[Any, str], sympy.Expr]


@dataclass(frozen=True)
class Part:
    """A region as it is written: its name, its domain, and the table that describes it."""

    name: str
    domain: Domain
    given: Mapping[str, Any]


def read_parts(
    document: Mapping[str, Any], constants: Constants, folder: Path | None = None
) -> list[Part]:
    """The regions of a problem; none if it has one domain."""
    listed = checked_list(document.get("region", []), "region")
    if listed and "domain" in document:
        raise ProblemError("The problem has a domain and regions: give one of them.")
    found = []
    for number, item in enumerate(listed):
        with at("region", number):
            given = checked_table(item, "A region")
            known_only(given, names(REGION), "A region")
            name = checked_name(given.get("name", f"region_{number + 1}"))
            with at("domain"):
                domain = read_domain(given.get("domain"), constants, folder)
                found.append(Part(name, domain, given))
    return found


def read_coefficients(
    parts: Sequence[Part], own: Mapping[str, sympy.Symbol]
) -> tuple[dict[str, sympy.Symbol], dict[str, sympy.Expr]]:
    """The coefficients of regions: symbols, and functions of coordinates."""
    along: dict[str, set[str]] = {}
    for part in parts:
        for name, value in checked_table(part.given.get("values", {}), "values").items():
            along.setdefault(name, set()).update(_coordinates_of(value, own))
    symbols = {name: unknown(name) for name, names in along.items() if not names}
    functions = {
        name: field(name, *(symbol for key, symbol in own.items() if key in names))
        for name, names in along.items()
        if names
    }
    return symbols, functions


def _coordinates_of(value: Any, own: Mapping[str, sympy.Symbol]) -> set[str]:
    """The coordinates that a value depends on: those that are named, or that its text holds."""
    if isinstance(value, Mapping):
        known_only(value, ("value", "of"), "The value of a region")
        for item in checked_list(value.get("of"), "of"):
            known(own, item, "coordinate")
        return set(value["of"])
    return set(_WORD.findall(value)) & set(own) if isinstance(value, str) else set()


def read_region(
    part: Part,
    coefficients: Mapping[str, sympy.Expr],
    fields: Mapping[str, sympy.Expr],
    parse: Parser,
) -> Region:
    """A region with its values and singular functions."""
    table = checked_table(part.given.get("values", {}), "values")
    values = {
        coefficients[key]: parse(value_text(value), f"The value of {key}")
        for key, value in table.items()
    }
    singular = read_singular(part.given.get("singular"), fields, parse)
    return Region(part.domain, values, singular=singular, name=part.name)


def value_text(given: Any) -> Any:
    """The text of a value, which may be a number."""
    value = given.get("value") if isinstance(given, Mapping) else given
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return repr(value) if number else value


def read_singular(
    given: Any, fields: Mapping[str, sympy.Expr], parse: Parser
) -> dict[sympy.Expr, list[sympy.Expr]] | None:
    """Singular functions of each field."""
    if given is None:
        return None
    return {
        known(fields, name, "field"): [
            parse(text, "A singular function") for text in checked_list(listed, "singular")
        ]
        for name, listed in checked_table(given, "singular").items()
    }


def read_interface(given: Any, parse: Parser) -> dict[sympy.Expr, sympy.Expr] | None:
    """What is tied where regions meet, and by how much it jumps."""
    if given is None:
        return None
    table = {}
    for item in checked_list(given, "interface"):
        if isinstance(item, Mapping):
            known_only(item, ("of", "jump"), "An entry of interface")
            tied = parse(item.get("of"), "What an interface ties")
            table[tied] = parse(value_text(item.get("jump", 0)), "A jump")
        else:
            table[parse(item, "What an interface ties")] = sympy.S.Zero
    return table


def known(table: Mapping[str, Any], name: Any, what: str) -> Any:
    """What a name stands for."""
    if not isinstance(name, str) or name not in table:
        near = did_you_mean(str(name), table)
        raise ProblemError(f"{brief(name, 40)} is not a {what}{near}; known: {', '.join(table)}.")
    return table[name]
