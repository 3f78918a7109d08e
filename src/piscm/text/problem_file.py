"""Problem files: a problem in TOML, with its data in CSV files next to it if needed.

equations = ["diff(u, t) = k * diff(u, x, 2)"]
conditions = [
    {expression = "u - sin(pi*x)", on = {t = 0}},
    {expression = "u", on = [{x = 0}, {x = 1}]},
]
observations = [{expression = "u", file = "measured.csv"}]   # columns x, t, value

[domain]
x = [0, 1]
t = [0, "pi/4"]

[unknowns]
k = 0.5

[method]
max_nodes = 200
scale = 5.0

[sampling]
interior = 500
"""

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from piscm.problem.errors import ProblemError
from piscm.problem.problem import Problem
from piscm.text.document import problem_from_document
from piscm.text.files import read_csv, read_toml
from piscm.text.places import read_domain


@dataclass(frozen=True)
class ProblemFile:
    """The content of a problem file: the problem, and options for the method and the sampling."""

    problem: Problem
    options: Mapping[str, Any]
    sampling: Mapping[str, Any]  # empty leaves it to the method


def read_problem_file(path: str | PathLike[str]) -> ProblemFile:
    """Read a problem file."""
    document = read_toml(path)
    options = _table(document.pop("method", {}), "method")
    counts = _table(document.pop("sampling", {}), "sampling")
    data = document.get("observations", [])
    if isinstance(data, list):
        names = [symbol.name for symbol in read_domain(document.get("domain")).coordinates]
        document["observations"] = [_with_data(item, Path(path).parent, names) for item in data]
    return ProblemFile(problem_from_document(document), options, counts)


def _table(value: Any, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ProblemError(f"[{name}] is not a table.")
    return value


def _with_data(item: Any, folder: Path, names: list[str]) -> Any:
    """An entry of observations with the name of its CSV file replaced by the numbers in it."""
    if not isinstance(item, dict) or "file" not in item:
        return item
    columns = read_csv(folder / str(item["file"]), [*names, "value"])
    rest = {key: value for key, value in item.items() if key != "file"}
    points = [list(point) for point in zip(*(columns[name] for name in names), strict=True)]
    return {**rest, "points": points, "values": columns["value"]}
