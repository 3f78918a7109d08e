"""A problem from plain data: every part is read, and every mistake in it noted."""

from collections.abc import Mapping
from typing import Any

import sympy

from piscm.problem.conditions import Condition, Periodic
from piscm.problem.errors import ProblemError
from piscm.problem.expressions import check_field
from piscm.problem.observations import Observations
from piscm.problem.problem import Problem
from piscm.problem.requirement import Requirement
from piscm.text.conditions import read_condition
from piscm.text.declarations import Declarations
from piscm.text.entries import checked_list
from piscm.text.keys import at
from piscm.text.observed import read_observations
from piscm.text.regional import read_interface, read_region, read_singular


def read_document(document: Mapping[str, Any], declared: Declarations) -> Problem | None:
    """The problem, unless there are mistakes; what it declares is read into `declared`."""
    declared.read(document)
    if declared.domain is None:
        return None
    equations, conditions = _equations(document, declared), _conditions(document, declared)
    observations = _observations(document, declared)
    _check_used(declared, equations, conditions, observations)
    if declared.mistakes:
        return None
    with declared.mistakes.at():
        return _problem(document, declared, equations, conditions, observations)
    return None


def _problem(
    document: Mapping[str, Any],
    declared: Declarations,
    equations: list[sympy.Expr],
    conditions: list[Requirement],
    observations: list[Observations],
) -> Problem:
    """The problem, on one domain or on regions."""
    fields, parse = declared.fields, declared.parse
    if not declared.parts:
        with at("singular"):
            singular = read_singular(document.get("singular"), fields, parse)
        return Problem(
            declared.domain,
            equations,
            conditions,
            declared.guesses,
            observations,
            singular=singular,
        )
    regions = []
    for number, part in enumerate(declared.parts):
        with at("region", number):
            regions.append(read_region(part, declared.coefficients, fields, parse))
    with at("interface"):
        interface = read_interface(document.get("interface"), parse)
    return Problem(
        equations=equations,
        conditions=conditions,
        unknowns=declared.guesses,
        observations=observations,
        regions=regions,
        interface=interface,
    )


def _equations(document: Mapping[str, Any], declared: Declarations) -> list[sympy.Expr]:
    made: list[sympy.Expr] = []
    listed: list[Any] = []
    with declared.mistakes.at("equations"):
        listed = checked_list(document.get("equations"), "equations")
        if not listed:
            raise ProblemError("The problem has no equation.")
    for number, text in enumerate(listed):
        with declared.mistakes.at("equations", number):
            equation = declared.parse(text, f"Equation {number + 1}")
            check_field(equation, f"Equation {number + 1}")
            made.append(equation)
    return made


def _conditions(document: Mapping[str, Any], declared: Declarations) -> list[Requirement]:
    made: list[Requirement] = []
    listed: list[Any] = []
    domain = declared.domain
    with declared.mistakes.at("conditions"):
        listed = checked_list(document.get("conditions", []), "conditions")
    for number, item in enumerate(listed if domain is not None else []):
        with declared.mistakes.at("conditions", number):
            condition = read_condition(item, declared)
            if isinstance(condition, Condition | Periodic):
                check_field(condition.expression, "A condition")
            if declared.real and domain is not None and not declared.parts:
                place = condition.place.fitted_to(domain)
                place.check(domain, f"The condition {condition}")
            made.append(condition)
    return made


def _observations(document: Mapping[str, Any], declared: Declarations) -> list[Observations]:
    made: list[Observations] = []
    listed: list[Any] = []
    with declared.mistakes.at("observations"):
        listed = checked_list(document.get("observations", []), "observations")
    for number, item in enumerate(listed):
        with declared.mistakes.at("observations", number):
            data = read_observations(item, declared)
            if declared.real and declared.domain is not None:
                Problem.check_points(data, declared.domain)
            made.append(data)
    return made


def _check_used(declared: Declarations, *groups: Any) -> None:
    """An unknown that nothing depends on is told where it is declared."""
    if declared.mistakes or declared.parts:  # values of regions may hold unknowns too
        return
    used: set[Any] = set()
    for item in (item for group in groups for item in group):
        expression = item.expression if isinstance(item, Requirement) else item
        used |= expression.free_symbols
    for symbol in declared.guesses:
        with declared.mistakes.at("unknowns", symbol.name):
            if symbol not in used:
                raise ProblemError(f"The unknown {symbol} appears in no equation or condition.")
