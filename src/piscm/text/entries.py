"""Tables and lists of a document, and the entries that they may have."""

from collections.abc import Mapping
from typing import Any

from piscm.problem.errors import NAME, FormulaError, ProblemError, brief
from piscm.problem.nearest import did_you_mean
from piscm.text.keys import at


def checked_table(value: Any, what: str) -> Mapping[str, Any]:
    """A table of names."""
    if not isinstance(value, Mapping):
        raise ProblemError(f"{what} is missing or is not a table of names.")
    return value


def checked_list(value: Any, what: str) -> list[Any]:
    """A list."""
    if not isinstance(value, list):
        raise ProblemError(f"{what} is missing or is not a list.")
    return value


def known_only(item: Mapping[str, Any], keys: tuple[str, ...], what: str) -> None:
    """Refuse entries that a table does not have."""
    for key in item:
        if key not in keys:
            with at(str(key)):
                near = did_you_mean(str(key), keys)
                raise FormulaError(
                    f"{what} has an entry {brief(key, 40)}{near}; known: {', '.join(keys)}.", NAME
                )
