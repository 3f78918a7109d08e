"""Parts of some points that are spread as all of them are.

Every second point of a Sobol sequence would not do: in the plane they lie in one half of it.
"""

import numpy as np
from numpy.typing import NDArray

from piscm.problem.place import Leg


def random_half(count: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """The indices of half of some points, rounded down."""
    return np.sort(rng.permutation(count)[: count // 2])


def spread_part(leg: Leg, count: int) -> NDArray[np.intp]:
    """The indices of some rows of all: on a line evenly along it, otherwise at random."""
    if leg.sums is None and leg.points.shape[1] == 1:
        along = np.argsort(leg.points[:, 0])
        return np.sort(along[np.arange(count) * leg.rows // count])
    return np.sort(np.random.default_rng(0).permutation(leg.rows)[:count])
