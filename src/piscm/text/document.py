"""A problem as plain data, as in a problem file or a saved solution.

equations = ["diff(u, t, 2) - mu*(1 - u**2)*diff(u, t) + u - U"]
conditions = [{expression = "u + 0.25", on = {t = 0}}, {periodic = "u", along = "x"}]

[domain]
t = [0, 5]
U = [0, 1]

[unknowns]
mu = 0.1
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import sympy

from piscm.problem.problem import Problem
from piscm.text.entries import checked_table, known_only
from piscm.text.mistakes import Mistakes
from piscm.text.parse import expression_text
from piscm.text.places import Regions
from piscm.text.reading import Reading

_KEYS = ("domain", "fields", "unknowns", "equations", "conditions", "observations", "regions")


def problem_to_document(
    problem: Problem, formula: Callable[[sympy.Expr], str] = expression_text
) -> dict[str, Any]:
    """A problem as dictionaries, lists, numbers and text; `formula` writes expressions."""
    regions = Regions(problem.domain)

    def text(expression: sympy.Expr) -> str:
        return formula(regions.taken_out(expression))

    priors = {item.expression: item.document(text) for item in problem.priors}
    document: dict[str, Any] = {
        "domain": problem.domain.document,
        "fields": {str(f.func): [argument.name for argument in f.args] for f in problem.fields},
        "unknowns": {
            symbol.name: {
                "guess": guess,
                "bounds": [_finite(bound) for bound in problem.bounds[symbol]],
                "positive": bool(symbol.is_positive),
                **({"prior": priors[symbol]} if symbol in priors else {}),
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
    mistakes = Mistakes()
    table = checked_table(document, "The problem")
    known_only(table, _KEYS, "The problem")
    problem = Reading(mistakes).read(table)
    mistakes.raise_first()
    assert problem is not None
    return problem


def _finite(bound: float) -> float | None:
    return bound if np.isfinite(bound) else None
