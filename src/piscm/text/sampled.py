"""Sampled functions in documents: written out, or in a table beside a problem file."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray

from piscm.problem.errors import ProblemError, brief
from piscm.problem.numeric import finite_array
from piscm.problem.sampled import Sampled, Samples
from piscm.problem.samples import sampled
from piscm.problem.spline import increasing
from piscm.text.entries import checked_list, checked_table, known_only
from piscm.text.keys import at
from piscm.text.regional import known
from piscm.text.schema import SAMPLES, names
from piscm.text.tables import read_columns

Floats = NDArray[np.float64]

_FILES = ("file", "columns")


def samples_document(own: Sampled) -> dict[str, Any]:
    """A sampled function as plain data."""
    spline = own.samples.spline
    made: dict[str, Any] = {
        "of": [symbol.name for symbol in own.samples.coordinates],
        "degree": spline.degree,
        "axes": [points.tolist() for points in spline.axes],
        "values": spline.values.tolist(),
    }
    if len(own.samples.scattered):
        made["scattered"] = own.samples.scattered.tolist()
    return made


def read_samples(
    name: str, given: Any, coordinates: Mapping[str, sympy.Symbol], folder: Path | None
) -> sympy.Expr:
    """The sampled function that a table of a document describes.

    Parameters
    ----------
    folder : Path or None
        Where its file is; None if there may be none.
    """
    table = checked_table(given, f"The sampled function {name}")
    accepted = tuple(key for key in names(SAMPLES) if folder is not None or key not in _FILES)
    known_only(table, accepted, "A sampled function")
    with at("of"):
        listed = checked_list(table.get("of", list(coordinates)), "of")
        symbols = [known(coordinates, item, "coordinate") for item in listed]
    degree = {"degree": table["degree"]} if "degree" in table else {}
    if folder is not None and "file" in table:
        with at("file"):
            axes, values = _from_file(name, table, [s.name for s in symbols], folder)
    else:
        with at("axes"):
            axes = checked_list(table.get("axes"), f"The axes of {name}")
            if len(axes) != len(symbols):
                raise ProblemError(f"{name} has {len(symbols)} coordinates and {len(axes)} axes.")
        values = table.get("values")
    if "scattered" in table:
        return _as_saved(name, symbols, axes, values, table)
    return sampled(name, dict(zip(symbols, axes, strict=True)), values, **degree)


def _as_saved(
    name: str, symbols: Sequence[sympy.Symbol], axes: Sequence[Any], values: Any, table: Any
) -> sympy.Expr:
    """What scattered samples became: their grid, and where they were."""
    grid = [finite_array(points, f"The axes of {name}") for points in axes]
    made = finite_array(values, f"The values of {name}")
    where = finite_array(table["scattered"], f"The scattered points of {name}")
    fits = made.shape == tuple(points.size for points in grid)
    if not fits or where.shape[1:] != (len(grid),) or not all(map(increasing, grid)):
        raise ProblemError(f"The values of {name} do not fit its axes.")
    degree = table.get("degree")
    if not isinstance(degree, int) or not 1 <= degree <= 7:
        raise ProblemError(f"The degree of {name} is {brief(degree)}.")
    samples = Samples(name, tuple(symbols), grid, made, degree, where)
    return Sampled(samples, *symbols, *[0] * len(symbols))


def _from_file(
    name: str, table: Mapping[str, Any], own: list[str], folder: Path
) -> tuple[list[Any], Any]:
    """Points and values of a table; a grid if its rows are all points of one."""
    if not isinstance(table["file"], str):
        raise ProblemError(f"The file is {brief(table['file'], 40)}; give its name as text.")
    given = checked_table(table.get("columns", {}), "columns")
    known_only(given, (*own, "value"), "columns")
    columns = [str(given.get(coordinate, coordinate)) for coordinate in own]
    either = [str(given["value"])] if "value" in given else ["value", name]
    found = read_columns(folder / table["file"], columns, either)
    values = np.array(found[list(found)[-1]])
    points = np.array([found[column] for column in columns])
    axes, place = [], []
    for row in points:
        distinct, index = np.unique(row, return_inverse=True)
        axes.append(distinct)
        place.append(index)
    shape = tuple(len(distinct) for distinct in axes)
    if np.prod(shape) != len(values):
        return list(points), values
    grid = np.full(shape, np.nan)
    grid[tuple(place)] = values
    if np.isnan(grid).any():
        return list(points), values
    return list(axes), grid
