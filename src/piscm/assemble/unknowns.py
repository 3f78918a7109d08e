"""The unknowns of a problem as arrays."""

import numpy as np

from piscm.linalg.bounded import Bounds
from piscm.problem.problem import Problem


def bounds_of(problem: Problem) -> Bounds:
    """The bounds of each unknown."""
    pairs = [problem.bounds[symbol] for symbol in problem.unknowns]
    return Bounds(
        lower=np.array([low for low, _ in pairs]),
        upper=np.array([high for _, high in pairs]),
        positive=np.array([bool(symbol.is_positive) for symbol in problem.unknowns], dtype=bool),
    )
