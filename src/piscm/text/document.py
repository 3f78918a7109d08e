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

from piscm.problem.problem import Problem
from piscm.problem.region import Region
from piscm.problem.symbols import ComplexField
from piscm.text.declarations import Declarations
from piscm.text.entries import checked_table, known_only
from piscm.text.mistakes import Mistakes
from piscm.text.places import Regions
from piscm.text.printing import expression_text
from piscm.text.reading import read_document
from piscm.text.sampled import samples_document

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
    "samples",
    "complex",
)


def problem_to_document(
    problem: Problem, formula: Callable[[sympy.Expr], str] = expression_text
) -> dict[str, Any]:
    """A problem as dictionaries, lists, numbers and text; `formula` writes expressions."""
    said = problem.statement or problem
    named = {own.name or f"region_{i}": own for i, own in enumerate(_regions(problem), start=1)}
    regions = Regions(problem.domain, {name: own.domain for name, own in named.items()})

    def text(expression: sympy.Expr) -> str:
        return formula(regions.taken_out(expression))

    priors = {item.expression: item.document(text) for item in problem.priors}
    document: dict[str, Any] = {
        "fields": {
            str(f.func): [argument.name for argument in f.args] for f in problem.written_fields
        },
        "unknowns": {
            symbol.name: {
                "guess": guess,
                "bounds": [_finite(bound) for bound in problem.bounds[symbol]],
                "positive": bool(symbol.is_positive),
                **({"prior": priors[symbol]} if symbol in priors else {}),
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
    whole = [str(f.func) for f in problem.shown_fields if isinstance(f, ComplexField)]
    if whole:
        document["complex"] = whole
    if problem.samples:
        document["samples"] = {name: samples_document(own) for name, own in problem.samples.items()}
    ranges = {name: own for name, own in regions.document.items() if name not in named}
    if ranges:
        document["regions"] = ranges
    return document


def _regions(problem: Problem) -> tuple[Region, ...]:
    return () if problem.statement is None else problem.statement.regions


def _region_document(name: str, own: Region) -> dict[str, Any]:
    """A region; a coefficient that varies has its coordinates with it, none if it is a symbol."""
    values: dict[str, Any] = {}
    for symbol, value in own.values.items():
        written = expression_text(value)
        if isinstance(symbol, sympy.Symbol):
            varies = value.free_symbols & set(own.domain.coordinates)
            values[symbol.name] = {"value": written, "of": []} if varies else written
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
    mistakes = Mistakes()
    table = checked_table(document, "The problem")
    known_only(table, _KEYS, "The problem")
    problem = read_document(table, Declarations(mistakes))
    mistakes.raise_first()
    assert problem is not None
    return problem


def _finite(bound: float) -> float | None:
    return bound if np.isfinite(bound) else None
