"""What the references by collocation on pieces of an interval have in common."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import roots_jacobi

Array = NDArray[np.float64]


def radau_points(stages: int) -> Array:
    """Collocation points in (-1, 1] of a method that damps stiff components; the last is 1."""
    return np.append(roots_jacobi(stages - 1, 1, 0)[0], 1.0)


def differentiation_matrix(points: Array) -> Array:
    """The map from values at the points to the slopes there of the polynomial through them."""
    gaps = points[:, None] - points
    np.fill_diagonal(gaps, 1.0)
    weights = 1 / gaps.prod(axis=1)
    matrix = weights / weights[:, None] / gaps
    np.fill_diagonal(matrix, 0.0)
    np.fill_diagonal(matrix, -matrix.sum(axis=1))
    return np.asarray(matrix)


def locate(values: Array, edges: Array) -> tuple[NDArray[np.intp], Array]:
    """Return the piece that contains each value, and the value scaled to [-1, 1] in that piece."""
    piece = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, len(edges) - 2)
    left, right = edges[piece], edges[piece + 1]
    return piece, (2 * values - left - right) / (right - left)
