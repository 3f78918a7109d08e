"""Parameters of a problem file: names for numbers, replaced in its text before it is parsed."""

import re
from collections.abc import Mapping
from typing import Any

from piscm.problem.errors import ProblemError, brief
from piscm.problem.symbols import checked_name


def with_values(document: Mapping[str, Any], values: Mapping[str, float]) -> dict[str, Any]:
    """A document without parameters: each is replaced by its number.

    `values` go before the numbers of the table ``[parameters]``; an unknown that is among them is
    known from then on.
    """
    document = dict(document)
    table = document.pop("parameters", {})
    if not isinstance(table, dict):
        raise ProblemError("[parameters] is not a table.")
    unknowns = document.get("unknowns", {})
    unknowns = unknowns if isinstance(unknowns, dict) else {}
    for name in values:
        if name not in table and name not in unknowns:
            known = ", ".join([*table, *unknowns]) or "none"
            raise ProblemError(
                f"There is no parameter {brief(name, 40)} to set: those of [parameters] and "
                f"[unknowns] can be ({known})."
            )
    numbers = {**table, **values}
    if not numbers:
        return document
    for name, value in numbers.items():
        checked_name(name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ProblemError(f"The parameter {name} is {brief(value, 40)}; give a number.")
    if unknowns:
        left = {name: own for name, own in unknowns.items() if name not in values}
        document["unknowns"] = left
        if not left:
            del document["unknowns"]
    texts = {name: f"({float(value)!r})" for name, value in numbers.items()}
    return {key: _replaced(own, texts) for key, own in document.items()}


def _replaced(value: Any, texts: Mapping[str, str]) -> Any:
    """Text with every name replaced; names inside longer names stay."""
    if isinstance(value, str):
        names = "|".join(re.escape(name) for name in texts)
        return re.sub(rf"(?<![\w.])({names})(?!\w)", lambda found: texts[found[1]], value)
    if isinstance(value, list):
        return [_replaced(own, texts) for own in value]
    if isinstance(value, dict):
        return {key: _replaced(own, texts) for key, own in value.items()}
    return value
