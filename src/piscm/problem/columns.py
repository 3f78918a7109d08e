"""Points given as a table: columns are matched by name, never by where they stand."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import sympy

from piscm.problem.errors import ProblemError, brief
from piscm.problem.nearest import did_you_mean
from piscm.problem.numeric import Floats, float_array


def table_of(given: Any) -> dict[str, Any] | None:
    """The columns of a table by name: a mapping, DataFrame or structured array; else None."""
    if isinstance(given, Mapping):
        return {_name(key): column for key, column in given.items()}
    for module, kind in (("pandas", "DataFrame"), ("polars", "DataFrame")):
        loaded = sys.modules.get(module)  # who passes a table has loaded its package
        if loaded is not None and isinstance(given, getattr(loaded, kind)):
            return {_name(key): np.asarray(given[key]) for key in given.columns}
    if isinstance(given, np.ndarray) and given.dtype.names:
        return {name: given[name] for name in given.dtype.names}
    return None


def _name(key: Any) -> str:
    return key.name if isinstance(key, sympy.Symbol) else str(key)


def column(table: Mapping[str, Any], name: str, what: str) -> Any:
    """One column of a table."""
    if name not in table:
        known = ", ".join(map(str, table))
        raise ProblemError(
            f"{what}: the table has no column {name!r}{did_you_mean(name, table)}; its columns are "
            f"{brief(known)}."
        )
    return table[name]


def as_columns(given: Any, names: Sequence[str], what: str) -> Floats:
    """Points of shape (N, n) in the order of the names; an array is taken to have that order."""
    table = table_of(given)
    if table is None:
        array = float_array(given, what)
        return array[:, None] if array.ndim == 1 and len(names) == 1 else array
    arrays = [float_array(column(table, name, what), f"{what}, {name},") for name in names]
    if len({array.shape for array in arrays}) > 1 or arrays[0].ndim != 1:
        shapes = ", ".join(f"{n} {a.shape}" for n, a in zip(names, arrays, strict=True))
        raise ProblemError(f"{what}: the columns have the shapes {shapes}; they must be alike.")
    return np.stack(arrays, axis=-1)
