"""Measurements from tables: CSV, Parquet, NetCDF."""

import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from piscm.problem.errors import ProblemError
from piscm.problem.nearest import did_you_mean
from piscm.text.files import csv_header, read_csv

_MAX_BYTES = 2**30


def read_columns(
    path: Path, wanted: Sequence[str], either: Sequence[str]
) -> dict[str, list[float]]:
    """Columns of a table by name.

    Parameters
    ----------
    path : Path
    wanted : sequence of str
        Columns that must be there.
    either : sequence of str
        The first of these that is there is returned as well.
    """
    if not os.path.lexists(path):
        raise ProblemError(f"There is no file {str(path)!r}.")
    kind = path.suffix.lower()
    if kind in (".parquet", ".pq"):
        columns = _parquet(path)
    elif kind in (".nc", ".nc4", ".netcdf"):
        columns = _netcdf(path)
    else:
        header = csv_header(path)
        return read_csv(path, [*wanted, _first(path, either, header)])
    names = [*wanted, _first(path, either, columns)]
    for name in names:
        if name not in columns:
            raise ProblemError(_missing(path, name, columns))
    return _whole_rows({name: columns[name] for name in names}, path)


def _first(path: Path, either: Sequence[str], known: Any) -> str:
    for name in either:
        if name in known:
            return name
    return either[0]  # its absence is told as that of any other


def _missing(path: Path, name: str, known: Mapping[str, Any]) -> str:
    near = did_you_mean(name, known)
    return f"{path} has no column {name!r}{near}; it has {', '.join(map(str, known))}."


def _check_size(path: Path) -> None:
    if not path.is_file():
        raise ProblemError(f"{str(path)!r} is not an ordinary file.")
    if path.stat().st_size > _MAX_BYTES:
        raise ProblemError(f"{path} has more than {_MAX_BYTES} bytes.")


def _parquet(path: Path) -> dict[str, Any]:
    _check_size(path)
    try:
        import pandas

        frame = pandas.read_parquet(path)
    except ImportError:
        raise ImportError(
            "Parquet files need pandas and pyarrow: pip install 'piscm[io]'"
        ) from None
    except Exception as error:  # of many kinds, in the depths of the reader
        raise ProblemError(f"{path} is not a Parquet file: {error}.") from None
    return {str(name): frame[name].to_numpy() for name in frame.columns}


def _netcdf(path: Path) -> dict[str, Any]:
    """Variables on a grid as columns: a row for each point of the grid that has a value."""
    _check_size(path)
    try:
        import xarray

        with xarray.open_dataset(path) as data:
            frame = data.to_dataframe().reset_index()
    except ImportError:
        raise ImportError("NetCDF files need xarray: pip install 'piscm[io]'") from None
    except Exception as error:  # of many kinds, in the depths of the reader
        raise ProblemError(f"{path} is not a NetCDF file: {error}.") from None
    return {str(name): frame[name].to_numpy() for name in frame.columns}


def _whole_rows(columns: Mapping[str, Any], path: Path) -> dict[str, list[float]]:
    """Rows without gaps, as numbers."""
    made = {}
    for name, values in columns.items():
        try:
            made[name] = np.asarray(values, dtype=float)
        except (TypeError, ValueError):
            raise ProblemError(f"{path}, column {name}: it does not hold numbers.") from None
    kept = ~np.any([np.isnan(values) for values in made.values()], axis=0)
    for name, values in made.items():
        if not all(map(math.isfinite, values[kept])):
            raise ProblemError(f"{path}, column {name}: it holds infinite numbers.")
    return {name: values[kept].tolist() for name, values in made.items()}
