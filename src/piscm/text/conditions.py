"""Conditions of a document: texts that name their place, or tables."""

import re
from collections.abc import Mapping
from typing import Any

import sympy

from piscm.problem.conditions import Condition, Periodic
from piscm.problem.errors import ProblemError, brief
from piscm.problem.expressions import fields_in
from piscm.problem.integrals import integrals_in
from piscm.problem.nearest import did_you_mean
from piscm.problem.requirement import Requirement
from piscm.text.declarations import Declarations
from piscm.text.entries import checked_table, known_only
from piscm.text.keys import at
from piscm.text.parse import parse_condition
from piscm.text.places import read_place
from piscm.text.schema import CONDITION, PERIODIC, names
from piscm.text.syntax import At

_ON = re.compile(r"^(.*?)\s+on\s+(?:the\s+)?([A-Za-z_]\w*)\s*$", re.DOTALL)


def read_condition(item: Any, declared: Declarations) -> Requirement:
    """One condition."""
    if isinstance(item, str):
        return _written(item, None, 1.0, declared)
    item = checked_table(item, "A condition")
    weight = item.get("weight", 1.0)
    if "periodic" in item:
        known_only(item, names(PERIODIC), "A periodic condition")
        with at("periodic"):
            expression, places, _ = _parsed(item["periodic"], "A periodic condition", declared)
            if places:
                raise ProblemError("A periodic condition names no place.")
        with at("along"):
            return Periodic(expression, _coordinate(item.get("along"), declared), weight=weight)
    known_only(item, names(CONDITION), "A condition")
    assert declared.domain is not None
    on = None
    if "on" in item:
        with at("on"):
            on = read_place(item["on"], declared.domain, declared.constants, declared.folder)
            if on is None:
                raise ProblemError("on is missing or is not a table of names.")
    with at("expression"):
        return _written(item.get("expression"), on, weight, declared)


def _written(text: Any, on: Any, weight: Any, declared: Declarations) -> Requirement:
    """A condition from its text, at the place it names itself or at one beside it."""
    found = _ON.match(text) if isinstance(text, str) and on is None else None
    if found is not None:
        text, on = found[1], _named_place(found[2], declared)
    expression, places, sides = _parsed(text, "A condition", declared)
    if on is not None:
        if places:
            raise ProblemError("The condition names a place in its text and another one beside it.")
        return Condition(expression, on, weight=weight)
    if len(places) == 2 and places[0] != places[1]:
        return _periodic(places[0], places[1], sides, weight, declared)
    if places:
        return Condition(expression, dict(places[0]), weight=weight)
    if not integrals_in(expression):
        raise ProblemError(
            f"{brief(text, 60)} does not say where it holds: write u(x=0) = 0, u = 0 on boundary, "
            "or give on = {x = 0} with it."
        )
    return Condition(expression, None, weight=weight)


def _named_place(name: str, declared: Declarations) -> Any:
    assert declared.domain is not None
    return "boundary" if name == "boundary" else declared.domain.boundary(name)


def _parsed(text: Any, where: str, declared: Declarations) -> tuple[sympy.Expr, list[At], Any]:
    expression, places, sides = parse_condition(text, declared.symbols, declared.fields, where)
    if declared.regions is not None:
        expression = declared.regions.put_in(expression)
    return expression, places, sides


def _periodic(first: At, second: At, sides: Any, weight: Any, declared: Declarations) -> Periodic:
    """``u(x=0) = u(x=1)``: the same at both ends of a coordinate."""
    assert declared.domain is not None
    if len(first) == len(second) == 1 and first[0][0] == second[0][0]:
        along = first[0][0]
        ends = {float(first[0][1]), float(second[0][1])}
        spanned = {float(end) for end in declared.domain.span(along)}
        if ends == spanned and sides[0] == sides[1] and fields_in(sides[0]):
            return Periodic(sides[0], along, weight=weight)
    raise ProblemError(
        "The condition holds at two places; all that can be asked of two is that the same "
        "expression has the same value at both ends of a coordinate, as u(x=0) = u(x=1)."
    )


def _coordinate(name: Any, declared: Declarations) -> sympy.Symbol:
    assert declared.domain is not None
    table: Mapping[str, Any] = {symbol.name: symbol for symbol in declared.domain.coordinates}
    if not isinstance(name, str) or name not in table:
        near = did_you_mean(str(name), table)
        raise ProblemError(
            f"{brief(name, 40)} is not a coordinate{near}; known: {', '.join(table)}."
        )
    return table[name]
