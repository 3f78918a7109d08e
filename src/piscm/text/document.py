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
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import sympy

from piscm.problem.conditions import Condition, Periodic
from piscm.problem.domain import Domain
from piscm.problem.errors import ProblemError, brief
from piscm.problem.guesses import interval
from piscm.problem.mosaic import Mosaic
from piscm.problem.observations import Observations
from piscm.problem.problem import Problem
from piscm.problem.region import Region
from piscm.problem.symbols import checked_name, field, unknown
from piscm.text.keys import at
from piscm.text.parse import expression_text, parse_expression
from piscm.text.places import Regions, read_domain, read_place

_KEYS = (
    "domain",
    "region",
    "interface",
    "singular",
    "fields",
    "unknowns",
    "equations",
    "conditions",
    "observations",
    "regions",
)


def problem_to_document(problem: Problem) -> dict[str, Any]:
    """A problem as dictionaries, lists, numbers and text."""
    said = problem.statement or problem
    named = {own.name or f"region_{i}": own for i, own in enumerate(_regions(problem), start=1)}
    regions = Regions(problem.domain, {name: own.domain for name, own in named.items()})

    def text(expression: sympy.Expr) -> str:
        return expression_text(regions.taken_out(expression))

    document: dict[str, Any] = {
        "fields": {
            str(f.func): [argument.name for argument in f.args] for f in problem.written_fields
        },
        "unknowns": {
            symbol.name: {
                "guess": guess,
                "bounds": [_finite(bound) for bound in problem.bounds[symbol]],
                "positive": bool(symbol.is_positive),
            }
            for symbol, guess in problem.unknowns.items()
            if symbol not in problem.amplitudes
        },
        "equations": [text(equation) for equation in said.equations],
        "conditions": [item.document(text) for item in said.conditions],
        "observations": [item.document(text) for item in said.observations],
    }
    if problem.statement is None:
        document["domain"] = problem.domain.document
        if not problem.tries_singular:
            document["singular"] = _singular_document(
                {item: list(own.values()) for item, own in problem.singular.items()}
            )
    else:
        document["region"] = [_region_document(name, own) for name, own in named.items()]
        if problem.statement.interface is not None:
            pairs = problem.statement.interface.items()
            document["interface"] = [{"of": text(e), "jump": text(jump)} for e, jump in pairs]
    ranges = {name: own for name, own in regions.document.items() if name not in named}
    if ranges:
        document["regions"] = ranges
    return document


def _regions(problem: Problem) -> tuple[Region, ...]:
    return () if problem.statement is None else problem.statement.regions


def _region_document(name: str, own: Region) -> dict[str, Any]:
    """A region; a coefficient that is a function has its coordinates with it."""
    values: dict[str, Any] = {}
    for symbol, value in own.values.items():
        written = expression_text(value)
        if isinstance(symbol, sympy.Symbol):
            values[symbol.name] = written
        else:
            of = [argument.name for argument in symbol.args]
            values[str(symbol.func)] = {"value": written, "of": of}
    made: dict[str, Any] = {"name": name, "domain": own.domain.document, "values": values}
    if own.singular is not None:
        made["singular"] = _singular_document(own.singular)
    return made


def _singular_document(given: Mapping[Any, Any]) -> dict[str, list[str]]:
    return {
        str(item.func): [expression_text(own) for own in functions]
        for item, functions in given.items()
    }


def problem_from_document(document: Any) -> Problem:
    """The problem described by a document; any mistake in it is a `ProblemError`."""
    document = _mapping(document, "The problem")
    _only(document, _KEYS, "The problem")
    parts = _read_parts(document)
    if parts:
        domain: Domain = Mosaic([own for _, own, _ in parts], [name for name, _, _ in parts])
    else:
        with at("domain"):
            domain = read_domain(document.get("domain"))
    own = {symbol.name: symbol for symbol in domain.coordinates}
    symbols, fields, guesses = _read_names(document, own)
    with at("regions"):
        named = {name: member for name, member, _ in parts}
        regions = Regions.read(document.get("regions", {}), domain, named)
    coefficients, functions = _read_coefficients([given for _, _, given in parts], own)
    fields = fields | functions
    names = regions.symbols | symbols | coefficients

    def parse(text: Any, where: str) -> sympy.Expr:
        return regions.put_in(parse_expression(text, names, fields, where))

    equations = []
    for number, text in enumerate(_listed(document.get("equations"), "equations"), start=1):
        with at("equations", number - 1):
            equations.append(parse(text, f"Equation {number}"))
    conditions, observations = [], []
    for number, item in enumerate(_listed(document.get("conditions", []), "conditions")):
        with at("conditions", number):
            conditions.append(_read_condition(_mapping(item, "A condition"), parse, domain))
    for number, item in enumerate(_listed(document.get("observations", []), "observations")):
        with at("observations", number):
            item = _mapping(item, "An entry of observations")
            observations.append(_read_observations(item, parse))
    if not parts:
        with at("singular"):
            singular = _read_singular(document.get("singular"), fields, parse)
        return Problem(domain, equations, conditions, guesses, observations, singular=singular)
    pairs = zip(parts, enumerate(parts), strict=True)
    made = []
    for (name, member, given), (number, _) in pairs:
        with at("region", number):
            table = _mapping(given.get("values", {}), "values")
            values = {
                coefficients.get(key) or functions[key]: parse(_value(value), f"The value of {key}")
                for key, value in table.items()
            }
            singular = _read_singular(given.get("singular"), fields, parse)
            made.append(Region(member, values, singular=singular, name=name))
    with at("interface"):
        interface = _read_interface(document.get("interface"), parse)
    return Problem(
        equations=equations,
        conditions=conditions,
        unknowns=guesses,
        observations=observations,
        regions=made,
        interface=interface,
    )


def _read_parts(document: Mapping[str, Any]) -> list[tuple[str, Domain, Mapping[str, Any]]]:
    """The regions of a problem: name, domain, and the table that describes each."""
    listed = _listed(document.get("region", []), "region")
    if listed and "domain" in document:
        raise ProblemError("The problem has a domain and regions: give one of them.")
    found = []
    for number, item in enumerate(listed):
        with at("region", number):
            given = _mapping(item, "A region")
            _only(given, ("name", "domain", "values", "singular"), "A region")
            name = given.get("name", f"region_{number + 1}")
            with at("domain"):
                found.append((checked_name(name), read_domain(given.get("domain")), given))
    return found


def _read_coefficients(
    regions: Sequence[Mapping[str, Any]], own: Mapping[str, sympy.Symbol]
) -> tuple[dict[str, sympy.Symbol], dict[str, sympy.Expr]]:
    """The coefficients of regions: symbols, and functions of coordinates."""
    symbols: dict[str, sympy.Symbol] = {}
    functions: dict[str, sympy.Expr] = {}
    for given in regions:
        for name, value in _mapping(given.get("values", {}), "values").items():
            if isinstance(value, Mapping):
                _only(value, ("value", "of"), "The value of a region")
                along = [_known(own, item, "coordinate") for item in _list(value.get("of"), "of")]
                functions[name] = field(name, *along)
            else:
                symbols[name] = unknown(name)
    return symbols, functions


def _value(given: Any) -> Any:
    """The text of a value, which may be a number."""
    value = given.get("value") if isinstance(given, Mapping) else given
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return repr(value) if number else value


def _read_singular(
    given: Any, fields: Mapping[str, sympy.Expr], parse: "Parser"
) -> dict[sympy.Expr, list[sympy.Expr]] | None:
    if given is None:
        return None
    return {
        _known(fields, name, "field"): [
            parse(text, "A singular function") for text in _list(listed, "singular")
        ]
        for name, listed in _mapping(given, "singular").items()
    }


def _read_interface(given: Any, parse: "Parser") -> dict[sympy.Expr, sympy.Expr] | None:
    if given is None:
        return None
    table = {}
    for item in _list(given, "interface"):
        if isinstance(item, Mapping):
            _only(item, ("of", "jump"), "An entry of interface")
            tied = parse(item.get("of"), "What an interface ties")
            table[tied] = parse(_value(item.get("jump", 0)), "A jump")
        else:
            table[parse(item, "What an interface ties")] = sympy.S.Zero
    return table


def _read_names(
    document: Mapping[str, Any], own: Mapping[str, sympy.Symbol]
) -> tuple[dict[str, sympy.Symbol], dict[str, sympy.Expr], dict[sympy.Symbol, Any]]:
    """All symbols by name, the fields by name, and the first guesses of the unknowns.

    `own` are the coordinates of the domain.
    """
    symbols: dict[str, sympy.Symbol] = dict(own)
    fields: dict[str, sympy.Expr] = {}
    guesses: dict[sympy.Symbol, Any] = {}
    # By the name as Python has it, in which µ and μ are one.
    taken = dict.fromkeys(own, "a coordinate")

    def take(name: str, what: str) -> None:
        plain = unicodedata.normalize("NFKC", name)
        if plain in taken:
            other = f"both {taken[plain]} and" if taken[plain] != what else "twice"
            raise ProblemError(f"{brief(name, 40)} is {other} {what}; choose another name.")
        taken[plain] = what

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
