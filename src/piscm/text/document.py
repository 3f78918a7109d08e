"""A problem as plain data, as in a problem file or a saved solution.

equations = ["diff(u, t, 2) - mu*(1 - u**2)*diff(u, t) + u - U"]
conditions = [{expression = "u + 0.25", on = {t = 0}}, {periodic = "u", along = "x"}]

[domain]
t = [0, 5]
U = [0, 1]

[unknowns]
mu = 0.1
"""

import unicodedata
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import sympy

from piscm.problem.box import Box
from piscm.problem.conditions import Condition, Periodic
from piscm.problem.errors import KeyedProblemError, ProblemError, brief
from piscm.problem.observations import Observations
from piscm.problem.problem import Problem, interval
from piscm.problem.symbols import coordinates, field, unknown
from piscm.text.parse import expression_text, parse_expression

_KEYS = ("domain", "fields", "unknowns", "equations", "conditions", "observations")


def problem_to_document(problem: Problem) -> dict[str, Any]:
    """A problem as dictionaries, lists, numbers and text."""
    return {
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
        "equations": [expression_text(equation) for equation in problem.equations],
        "conditions": [item.document(expression_text) for item in problem.conditions],
        "observations": [item.document(expression_text) for item in problem.observations],
    }


def problem_from_document(document: Any) -> Problem:
    """The problem described by a document; any mistake in it is a `ProblemError`."""
    document = _mapping(document, "The problem")
    _only(document, _KEYS, "The problem")
    symbols, fields, guesses = _read_names(document)
    with at("domain"):
        sides = [_side(name, symbols[name], bound) for name, bound in document["domain"].items()]
        box = Box({coordinate: bound for side in sides for coordinate, bound in side.items()})

    def parse(text: Any, where: str) -> sympy.Expr:
        return parse_expression(text, symbols, fields, where)

    equations = []
    for number, text in enumerate(_listed(document.get("equations"), "equations"), start=1):
        with at("equations", number - 1):
            equations.append(parse(text, f"Equation {number}"))
    conditions, observations = [], []
    for number, item in enumerate(_listed(document.get("conditions", []), "conditions")):
        with at("conditions", number):
            conditions.append(_read_condition(_mapping(item, "A condition"), parse, box, symbols))
    for number, item in enumerate(_listed(document.get("observations", []), "observations")):
        with at("observations", number):
            item = _mapping(item, "An entry of observations")
            observations.append(_read_observations(item, parse))
    return Problem(box, equations, conditions, guesses, observations)


def _read_names(
    document: Mapping[str, Any],
) -> tuple[dict[str, sympy.Symbol], dict[str, sympy.Expr], dict[sympy.Symbol, Any]]:
    """All symbols by name, the fields by name, and the first guesses of the unknowns."""
    symbols: dict[str, sympy.Symbol] = {}
    fields: dict[str, sympy.Expr] = {}
    guesses: dict[sympy.Symbol, Any] = {}
    taken: dict[str, str] = {}  # by the name as Python has it, in which µ and μ are one

    def take(name: str, what: str) -> None:
        plain = unicodedata.normalize("NFKC", name)
        if plain in taken:
            other = f"both {taken[plain]} and" if taken[plain] != what else "twice"
            raise ProblemError(f"{brief(name, 40)} is {other} {what}; choose another name.")
        taken[plain] = what

    with at("domain"):
        for name in _mapping(document.get("domain"), "domain"):
            with at(name):
                take(name, "a coordinate")
                symbols[name] = coordinates(name)
    own = dict(symbols)
    with at("unknowns"):
        for name, given in _mapping(document.get("unknowns", {}), "unknowns").items():
            with at(name):
                take(name, "an unknown")
                symbols[name], guess = _read_unknown(name, given)
                guesses[symbols[name]] = interval(symbols[name], guess)
    with at("fields"):
        for name, names in _mapping(document.get("fields", {"u": list(own)}), "fields").items():
            with at(name):
                take(name, "a field")
                arguments = [_known(own, item, "coordinate") for item in _list(names, "fields")]
                fields[name] = field(name, *arguments)
    return symbols, fields, guesses


@contextmanager
def at(*key: str | int) -> Iterator[None]:
    """Mistakes inside are at this key, in that of whatever is around it."""
    try:
        yield
    except KeyedProblemError as error:
        raise KeyedProblemError(str(error), (*key, *error.key)) from error.__cause__
    except ProblemError as error:
        raise KeyedProblemError(str(error), key) from error.__cause__


Parser = Callable[[Any, str], sympy.Expr]


def _read_condition(
    item: Mapping[str, Any], parse: Parser, box: Box, every: Mapping[str, sympy.Symbol]
) -> Condition | Periodic:
    symbols = {name: symbol for name, symbol in every.items() if symbol in box.coordinates}
    weight = item.get("weight", 1.0)
    if "periodic" in item:
        _only(item, ("periodic", "along", "weight"), "A periodic condition")
        along = _known(symbols, item.get("along"), "coordinate")
        return Periodic(parse(item["periodic"], "A periodic condition"), along, weight=weight)
    _only(item, ("expression", "on", "weight"), "A condition")
    on: Any = item.get("on")
    if isinstance(on, Mapping):
        on = [on]
    if isinstance(on, list):
        on = [
            {
                _known(symbols, name, "coordinate"): _constant(value)
                for name, value in _mapping(place, "on").items()
            }
            for place in on
        ]
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


def _read_unknown(name: str, given: Any) -> tuple[sympy.Symbol, Any]:
    """The symbol of an unknown, and its guess, with its bounds if it has any."""
    if not isinstance(given, Mapping):
        return unknown(name), given
    _only(given, ("guess", "bounds", "positive"), "An unknown")
    positive = given.get("positive", False)
    if not isinstance(positive, bool):
        with at("positive"):
            raise ProblemError(f"positive is {brief(positive, 40)}; give true or false.")
    bounds = _list(given.get("bounds", [None, None]), "The bounds of an unknown")
    if len(bounds) != 2:
        with at("bounds"):
            raise ProblemError(f"{name} has {len(bounds)} bounds; give a lower and an upper one.")
    return unknown(name, positive=positive), (given.get("guess"), *bounds)


def _finite(bound: float) -> float | None:
    return bound if np.isfinite(bound) else None


def _constant(value: Any) -> Any:
    """Parse a bound or place, which may be text: ``"2*pi"``."""
    return parse_expression(value, {}, {}, "A bound") if isinstance(value, str) else value


def _side(name: str, coordinate: sympy.Symbol, bound: Any) -> dict[sympy.Symbol, Any]:
    """One coordinate of the domain with its bounds, which a box can have."""
    with at(name):
        given = [_constant(value) for value in bound] if isinstance(bound, list) else bound
        side: dict[sympy.Symbol, Any] = {coordinate: given}
        Box(side)
    return side


def _mapping(value: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ProblemError(f"{what} is missing or is not a table of names.")
    return value


def _listed(value: Any, name: str) -> list[Any]:
    with at(name):
        return _list(value, name)


def _list(value: Any, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise ProblemError(f"{what} is missing or is not a list.")
    return value


def _known(table: Mapping[str, Any], name: Any, what: str) -> Any:
    if not isinstance(name, str) or name not in table:
        raise ProblemError(f"{brief(name, 40)} is not a {what}; known: {', '.join(table)}.")
    return table[name]


def _only(item: Mapping[str, Any], keys: tuple[str, ...], what: str) -> None:
    for key in item:
        if key not in keys:
            with at(str(key)):
                raise ProblemError(
                    f"{what} has an entry {brief(key, 40)}; known: {', '.join(keys)}."
                )
