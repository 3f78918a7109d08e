"""Observations of a document: points and values that it holds, or a table beside it."""

from collections.abc import Mapping
from typing import Any

from piscm.problem.errors import ProblemError, brief
from piscm.problem.expressions import check_field
from piscm.problem.observations import Observations
from piscm.text.declarations import Declarations
from piscm.text.entries import checked_table, known_only
from piscm.text.keys import at
from piscm.text.schema import OBSERVATION, names
from piscm.text.tables import read_columns

DATA = ("file", "columns")
"""Entries of observations that a problem file may have, and a saved solution has not."""


def read_observations(item: Any, declared: Declarations) -> Observations:
    """One set of observations."""
    own = checked_table(item, "An entry of observations")
    accepted = names(OBSERVATION)
    if declared.folder is None:
        accepted = tuple(name for name in accepted if name not in DATA)
    known_only(own, accepted, "An entry of observations")
    with at("expression"):
        expression = declared.parse(own.get("expression"), "An observed expression")
        check_field(expression, "An observed expression")
    rest = {key: own[key] for key in ("weight", "noise", "loss") if key in own}
    if declared.folder is None or "file" not in own:
        points, values = own.get("points", []), own.get("values", [])
        return Observations(expression, points=points, values=values, **rest)
    with at("file"):
        points, values, noise = _table(own, str(own.get("expression", "")), declared)
    if noise is not None:
        rest["noise"] = noise
    return Observations(expression, points=points, values=values, **rest)


def _table(item: Mapping[str, Any], observed: str, declared: Declarations) -> tuple[Any, Any, Any]:
    """Points, values and, if there is a column of it, noise from a table."""
    if not isinstance(item["file"], str):
        raise ProblemError(f"The file is {brief(item['file'], 40)}; give its name as text.")
    own = [symbol.name for symbol in declared.domain.coordinates] if declared.domain else []
    given = checked_table(item.get("columns", {}), "columns")
    known_only(given, (*own, "value", "noise"), "columns")
    if "value" in own and "value" not in given:
        raise ProblemError(
            "A coordinate is called 'value', as the column of measured values in a table is; "
            "choose another name for it."
        )
    columns = [str(given.get(name, name)) for name in own]
    wanted = [*columns, *([str(given["noise"])] if "noise" in given else [])]
    either = [str(given["value"])] if "value" in given else ["value", observed.strip()]
    assert declared.folder is not None
    found = read_columns(declared.folder / item["file"], wanted, either)
    values = found[list(found)[-1]]
    points = [list(point) for point in zip(*(found[name] for name in columns), strict=True)]
    return points, values, found[str(given["noise"])] if "noise" in given else None
