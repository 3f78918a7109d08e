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

[parameters]          # names for numbers in the text above; `piscm sweep` varies them
width = 1

[method]
max_nodes = 200
scale = 5.0

[sampling]
interior = 500
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from piscm.problem.errors import (
    KeyedProblemError,
    ProblemError,
    brief,
    printable,
    shortened,
)
from piscm.problem.problem import Problem
from piscm.text.document import problem_from_document
from piscm.text.files import line_of, read_csv, read_toml
from piscm.text.keys import at
from piscm.text.parameters import with_values
from piscm.text.places import read_domain


@dataclass(frozen=True)
class ProblemFile:
    """The content of a problem file: the problem, and options for the method and the sampling."""

    problem: Problem
    options: Mapping[str, Any]
    sampling: Mapping[str, Any]  # empty leaves it to the method
    path: str
    text: str


def read_problem_file(
    path: str | PathLike[str], values: Mapping[str, float] | None = None
) -> ProblemFile:
    """Read a problem file; a mistake in it is told with its line and key.

    Parameters
    ----------
    values : mapping of str to float, optional
        Replace its parameters, or make its unknowns known.
    """
    document, text = read_toml(path)
    try:
        with at("parameters"):
            document = with_values(document, values or {})
        with at("method"):
            options = _table(document.pop("method", {}), "method")
        with at("sampling"):
            counts = _table(document.pop("sampling", {}), "sampling")
        _check_numbers(document | {"method": options, "sampling": counts})
        data = document.get("observations", [])
        if isinstance(data, list):
            names = _coordinates_of(document)
            document["observations"] = [
                _with_data(item, number, Path(path).parent, names)
                for number, item in enumerate(data)
            ]
        return ProblemFile(problem_from_document(document), options, counts, str(path), text)
    except KeyedProblemError as error:
        raise mistake(str(path), text, error) from error.__cause__
    except ProblemError as error:
        raise ProblemError(f"{path}: {error}") from error.__cause__


def _coordinates_of(document: Mapping[str, Any]) -> list[str]:
    """The names of the coordinates, from the domain or from the first region."""
    regions = document.get("region")
    if isinstance(regions, list) and regions and isinstance(regions[0], dict):
        with at("region", 0, "domain"):
            domain = read_domain(regions[0].get("domain"))
    else:
        with at("domain"):
            domain = read_domain(_table(document.get("domain", {}), "domain"))
    return [symbol.name for symbol in domain.coordinates]


def mistake(path: str, text: str, error: KeyedProblemError) -> ProblemError:
    """A mistake with the file, the line and the key where it is."""
    names = [f"[{part}]" if isinstance(part, int) else f".{printable(part)}" for part in error.key]
    key = shortened("".join(names).removeprefix("."), 80)
    return ProblemError(f"{path}, line {line_of(text, error.key)}, {key}: {error}")


def _check_numbers(value: Any) -> None:
    """Refuse whole numbers beyond any float, which nobody means and Python does not even print."""
    inner: Iterable[tuple[str | int, Any]] = ()
    if isinstance(value, dict):
        inner = value.items()
    elif isinstance(value, list):
        inner = enumerate(value)
    elif isinstance(value, int) and value.bit_length() > 1023:
        raise ProblemError("It is too large a number.")
    for key, item in inner:
        with at(key):
            _check_numbers(item)


def _table(value: Any, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ProblemError(f"[{name}] is not a table.")
    return value


def _with_data(item: Any, number: int, folder: Path, names: list[str]) -> Any:
    """An entry of observations with the name of its CSV file replaced by the numbers in it."""
    if not isinstance(item, dict) or "file" not in item:
        return item
    with at("observations", number, "file"):
        if not isinstance(item["file"], str):
            raise ProblemError(f"The file is {brief(item['file'], 40)}; give its name as text.")
        if "value" in names:
            raise ProblemError(
                "A coordinate is called 'value', as the column of measured values in a table is; "
                "choose another name for it."
            )
    columns = read_csv(folder / item["file"], [*names, "value"])
    rest = {key: value for key, value in item.items() if key != "file"}
    points = [list(point) for point in zip(*(columns[name] for name in names), strict=True)]
    return {**rest, "points": points, "values": columns["value"]}
