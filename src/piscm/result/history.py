"""What a run records along the way."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

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
"""One record per node: the residual after it (or its block), how it was found, its seconds.

The rank is that of the correction, NaN if not computed.
"""

History = np.recarray[tuple[int, ...], np.dtype[np.void]]
"""An array of such records, with columns as attributes: ``history.residual``."""

Report = Callable[[int, float], None]
"""``report(nodes, residual)`` is called after each node, block of nodes or iteration."""


def history_of(residuals: Sequence[float], seconds: Sequence[float]) -> History:
    """A history with one record per iteration, for a method that does not grow."""
    records = np.zeros(len(residuals), dtype=HISTORY)
    records["residual"], records["seconds"] = residuals, seconds
    records["rank"] = np.nan
    return as_history(records)


def as_history(records: NDArray[np.void]) -> History:
    """Records with columns as attributes."""
    return records.view(np.recarray)
