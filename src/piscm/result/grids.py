"""Grids over a domain, from what a user gives of them."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from piscm.problem.errors import ProblemError
from piscm.problem.numeric import float_array
from piscm.problem.problem import Problem

Floats = NDArray[np.float64]

# Points along each axis of a grid that nobody asked for, by the number of axes.
_GRID = {1: 201, 2: 101, 3: 41}
_GRID_BEYOND = 11


def grid_axes(problem: Problem, given: Mapping[str, ArrayLike]) -> dict[str, Floats]:
    """The axes of a grid, in the order in which they are given, then in the domain's."""
    axes = {
        name: np.atleast_1d(float_array(values, f"The values of {name}"))
        for name, values in given.items()
    }
    for name, axis in axes.items():
        if axis.ndim > 1:
            raise ProblemError(f"{name} has the shape {axis.shape}; give one axis of a grid.")
    box = problem.domain.bounding_box
    missing = [s.name for s in problem.domain.coordinates if s.name not in axes]
    count = _GRID.get(len(missing), _GRID_BEYOND)
    for symbol, low, high in zip(box.coordinates, box.lower, box.upper, strict=True):
        if symbol.name in missing:
            axes[symbol.name] = np.linspace(low, high, count)
    return axes
