"""A full step of the weights and the unknowns, before its length is searched."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Direction(NamedTuple):
    """A full correction step, and the rank of the system it came from (NaN: not computed)."""

    weights: Floats  # (active nodes, fields)
    unknowns: Floats
    rank: float
