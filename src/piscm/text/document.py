"""A problem as plain data, as in a problem file or a saved solution.

equations = ["diff(u, t, 2) - mu*(1 - u**2)*diff(u, t) + u - U"]
conditions = [{expression = "u + 0.25", on = {t = 0}}, {periodic = "u", along = "x"}]

[domain]
t = [0, 5]
U = [0, 1]

[unknowns]
mu = 0.1
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import sympy

from piscm.problem.conditions import Condition, Periodic
from piscm.problem.domain import Domain
from piscm.problem.errors import ProblemError
from piscm.problem.observations import Observations
from piscm.problem.problem import Problem
from piscm.problem.symbols import field, unknown
from piscm.text.parse import expression_text, parse_expression
from piscm.text.places import Regions, read_domain, read_place

_KEYS = ("domain", "fields", "unknowns", "equations", "conditions", "observations", "regions")


def problem_to_document(problem: Problem) -> dict[str, Any]:
    """A problem as dictionaries, lists, numbers and text."""
    regions = Regions(problem.domain)

    def text(expression: sympy.Expr) -> str:
        return expression_text(regions.taken_out(expression))

    document: dict[str, Any] = {
        "domain": problem.domain.document,
        "fields": {str(f.func): [argument.name for argument in f.args] for f in problem.fields},
        "unknowns": {
            symbol.name: {
                "guess": guess,
                "bounds": [_finite(bound) for bound in problem.bounds[symbol]],
                "positive": bool(symbol.is_positive),
            }
            for symbol, guess in problem.unknowns.items()
        },
        "equations": [text(equation) for equation in problem.equations],
        "conditions": [item.document(text) for item in problem.conditions],
        "observations": [item.document(text) for item in problem.observations],
    }
    if regions.document:
        document["regions"] = regions.document
    return document


def problem_from_document(document: Any) -> Problem:
    """The problem described by a document; any mistake in it is a `ProblemError`."""
    document = _mapping(document, "The problem")
    _only(document, _KEYS, "The problem")
    domain = read_domain(document.get("domain"))
    symbols = {symbol.name: symbol for symbol in domain.coordinates}
    regions = Regions.read(document.get("regions", {}), domain)
    guesses = _mapping(document.get("unknowns", {}), "unknowns")
    unknowns = {name: _read_unknown(name, given) for name, given in guesses.items()}
    for name in unknowns:
        if name in symbols:
            raise ProblemError(f"{name!r} is both a coordinate and an unknown.")
    arguments = _mapping(document.get("fields", {"u": list(symbols)}), "fields")
    fields = {
        name: field(name, *(_known(symbols, own, "coordinate") for own in _list(names, "fields")))
        for name, names in arguments.items()
    }

    def parse(text: Any, where: str) -> sympy.Expr:
        names = regions.symbols | symbols | unknowns
        return regions.put_in(parse_expression(text, names, fields, where))

    return Problem(
        domain=domain,
        equations=[
            parse(text, f"Equation {number}")
            for number, text in enumerate(_list(document.get("equations"), "equations"), start=1)
        ],
        conditions=[
            _read_condition(_mapping(item, "A condition"), parse, domain)
            for item in _list(document.get("conditions", []), "conditions")
        ],
        unknowns={unknowns[name]: _read_guess(given) for name, given in guesses.items()},
        observations=[
            _read_observations(_mapping(item, "An entry of observations"), parse)
            for item in _list(document.get("observations", []), "observations")
        ],
    )


Parser = Callable[[Any, str], sympy.Expr]


def _read_condition(item: Mapping[str, Any], parse: Parser, domain: Domain) -> Condition | Periodic:
    weight = item.get("weight", 1.0)
    symbols = {symbol.name: symbol for symbol in domain.coordinates}
    if "periodic" in item:
        _only(item, ("periodic", "along", "weight"), "A periodic condition")
        along = _known(symbols, item.get("along"), "coordinate")
        return Periodic(parse(item["periodic"], "A periodic condition"), along, weight=weight)
    _only(item, ("expression", "on", "weight"), "A condition")
    on = read_place(item.get("on"), domain)
    return Condition(parse(item.get("expression"), "A condition"), on, weight=weight)


def _read_observations(item: Mapping[str, Any], parse: Parser) -> Observations:
    known = ("expression", "points", "values", "weight", "noise", "loss")
    _only(item, known, "An entry of observations")
    return Observations(
        parse(item.get("expression"), "An observed expression"),
        points=item.get("points", []),
        values=item.get("values", []),
        weight=item.get("weight", 1.0),
        noise=item.get("noise"),
        loss=item.get("loss", "square"),
    )


def _read_unknown(name: str, given: Any) -> sympy.Symbol:
    return unknown(name, positive=isinstance(given, Mapping) and given.get("positive") is True)


def _read_guess(given: Any) -> Any:
    if not isinstance(given, Mapping):
        return given
    _only(given, ("guess", "bounds", "positive"), "An unknown")
    bounds = _list(given.get("bounds", [None, None]), "The bounds of an unknown")
    return (given.get("guess"), *bounds)


def _finite(bound: float) -> float | None:
    return bound if np.isfinite(bound) else None


def _mapping(value: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ProblemError(f"{what} is missing or is not a table of names.")
    return value


def _list(value: Any, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise ProblemError(f"{what} is missing or is not a list.")
    return value


def _known(table: Mapping[str, Any], name: Any, what: str) -> Any:
    if not isinstance(name, str) or name not in table:
        raise ProblemError(f"{name!r} is not a {what}; known: {', '.join(table)}.")
    return table[name]


def _only(item: Mapping[str, Any], keys: tuple[str, ...], what: str) -> None:
    for key in item:
        if key not in keys:
            raise ProblemError(f"{what} has an entry {key!r}; known: {', '.join(keys)}.")
