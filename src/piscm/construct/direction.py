"""A full step of the weights and the unknowns, before the line search."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Direction(NamedTuple):
    """A full correction step and the rank of its system (NaN if not computed)."""

    weights: Floats  # (active nodes, fields)
    unknowns: Floats
    rank: float
