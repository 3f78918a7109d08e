"""References given by formulas."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import sympy
from numpy.typing import ArrayLike
from sympy.core.function import AppliedUndef

Exact = Mapping[AppliedUndef, sympy.Expr]


def exact_reference(exact: Exact) -> Callable[..., Any]:
    """Make a benchmark's `reference` from the exact solution of every field."""
    functions = {
        str(item.func): (
            [symbol.name for symbol in item.args],
            sympy.lambdify(item.args, formula, modules="numpy"),
        )
        for item, formula in exact.items()
    }

    def reference(**at: ArrayLike) -> Any:
        # A formula need not contain every coordinate, but its values have the shape of all of them.
        arrays = np.broadcast_arrays(*(np.asarray(values, dtype=float) for values in at.values()))
        places = dict(zip(at, arrays, strict=True))
        values = {
            field: np.asarray(function(*(places[name] for name in names)))
            for field, (names, function) in functions.items()
        }
        return values if len(values) > 1 else next(iter(values.values()))

    return reference
