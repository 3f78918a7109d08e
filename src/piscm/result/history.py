"""What a run writes down on its way."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

HISTORY = np.dtype(
    [
        ("residual", float),
        ("range", float),
        ("damping", float),
        ("step", float),
        ("rank", float),
        ("seconds", float),
        ("window", int),
    ]
)
"""One record a node: the residual after it (or its block), how it was found, its seconds.

The rank is that of the correction, NaN where it was not computed.
"""

Report = Callable[[int, float], None]
"""``report(nodes, residual)`` is called after each node, block of nodes or iteration."""


def history_of(residuals: Sequence[float], seconds: Sequence[float]) -> np.recarray[Any, Any]:
    """A history with one record an iteration, of a method that does not grow."""
    records = np.zeros(len(residuals), dtype=HISTORY)
    records["residual"], records["seconds"] = residuals, seconds
    records["rank"] = np.nan
    return np.rec.array(records)
