"""Reference solution of the Allen-Cahn equation with a kink in its periodic initial value.

Solves ``u_t - 1e-4 u_xx + 5 u^3 - 5 u = 0`` for ``x`` in [-1, 1] and ``t`` in [0, 0.5] with
``u(x, 0) = x^2 cos(pi x)`` and ``u``, ``u_x`` periodic in ``x``.

By symmetry ``u_x = 0`` at x = 0 and x = 1. The initial slope at x = 1 is -2 instead, which starts a
layer of width ``sqrt(1e-4 t)``. With ``u = initial value + layer + remainder``, where the layer
solves the heat equation in closed form, the remainder is far smoother and starts at zero. It is
computed by spectral elements graded towards x = 1 and Radau collocation on time panels graded
towards t = 0.

The error is below 1e-11 everywhere: for |x| < 0.9, at the kink, and down to t = 0. The measured
difference is 2e-13 from the finest resolution in `convergence` and 5e-13 from an independent
Fourier method with 16384 points, started from exact Fourier coefficients. Rounding errors limit
it, as the solution amplifies them up to 12 times (``exp(5 t)``) where u is near zero.
"""

import functools
import itertools
from dataclasses import dataclass

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import ArrayLike, NDArray
from scipy.special import erfc, eval_legendre, roots_jacobi

from piscm.zoo.references.collocation import differentiation_matrix, locate, radau_points

Array = NDArray[np.float64]

T_END = 0.5
DIFFUSIVITY = 1e-4
REACTION = 5.0
INITIAL_SLOPE_AT_KINK = -2.0

_EARLIEST = 1e-40  # until then the solution is the initial value to rounding
_MAX_SWEEPS = 60
_CHUNK = 10_000
_DOMAIN_TOLERANCE = 1e-12


@dataclass(frozen=True)
class Solution:
    """The solution, callable; its remainder is a Chebyshev series per element and time panel."""

    element_edges: Array  # in the distance 1 - |x| from the kink
    panel_edges: Array
    coefficients: Array  # by panel, element, degree in space, degree in time

    def __call__(self, x: ArrayLike, t: ArrayLike) -> Array:
        """Evaluate at broadcasting arrays of points inside the domain."""
        places, times = np.broadcast_arrays(np.asarray(x, np.float64), np.asarray(t, np.float64))
        inside = (np.abs(places) <= 1 + _DOMAIN_TOLERANCE) & (times >= -_DOMAIN_TOLERANCE)
        if not np.all(inside & (times <= T_END + _DOMAIN_TOLERANCE)):
            raise ValueError("points outside the domain of the Allen-Cahn reference")
        distance, elapsed = 1 - np.abs(places.ravel()), times.ravel()
        values = _initial(places.ravel())
        # In chunks, because every point gathers all the coefficients of its element and panel.
        for chunk in np.array_split(np.flatnonzero(elapsed > _EARLIEST), 1 + values.size // _CHUNK):
            values[chunk] += _layer(distance[chunk], elapsed[chunk])
            values[chunk] += self._remainder(distance[chunk], elapsed[chunk])
        return values.reshape(places.shape)

    def _remainder(self, distance: Array, t: Array) -> Array:
        element, local_place = locate(distance, self.element_edges)
        panel, local_time = locate(t, self.panel_edges)
        in_space = chebyshev.chebvander(local_place, self.coefficients.shape[2] - 1)
        in_time = chebyshev.chebvander(local_time, self.coefficients.shape[3] - 1)
        by_time = np.matmul(in_space[:, None, :], self.coefficients[panel, element])[:, 0]
        return np.asarray(np.sum(by_time * in_time, axis=1))


def reference(x: ArrayLike, t: ArrayLike) -> Array:
    """Evaluate the solution, which the first call in a process computes (under a second).

    Parameters
    ----------
    x, t : array_like
        Broadcasting points in [-1, 1] and [0, 0.5]. At t = 0 the initial value is exact.

    Returns
    -------
    ndarray
        ``u(x, t)`` in the broadcast shape. A point outside the domain is a `ValueError`.
    """
    return compute()(x, t)


def convergence() -> list[tuple[int, float]]:
    """Pair each polynomial degree with its largest difference from a finer computation.

    The last pair is the reference itself. The finest computation also has smaller elements and
    time panels. The points compared at cluster at the kink and at t = 0.
    """
    towards_zero = np.concatenate([np.logspace(-12, -1.1, 80), np.linspace(0.1, 1.0, 120)])
    x, t = 1 - towards_zero, T_END * towards_zero[:, None]
    finest = compute(degree=30, stages=18, smallest_element=2e-5, first_panel=1e-9)(x, t)
    coarser = {degree: compute(degree, 3 * degree // 5)(x, t) for degree in (8, 12, 16, 20)}
    return [(degree, float(np.abs(u - finest).max())) for degree, u in coarser.items()]


@functools.cache
def compute(
    degree: int = 20, stages: int = 12, smallest_element: float = 1.5e-4, first_panel: float = 1e-7
) -> Solution:
    """Solve for the remainder, with polynomials of `degree` in space and `stages` in time."""
    element_edges = _graded_edges(smallest_element, widest=0.1, end=1.0)
    panel_edges = _graded_edges(first_panel, widest=0.032, end=T_END)
    distance, decay_rates, to_modes, from_modes = _neumann_modes(element_edges, degree)
    stage_times = radau_points(stages)
    panel_times = np.append(-1.0, stage_times)
    derivative = differentiation_matrix(panel_times)[1:]
    series_in_space = np.linalg.inv(chebyshev.chebvander(_lobatto(degree)[0], degree))
    series_in_time = np.linalg.inv(chebyshev.chebvander(panel_times, stages)).T
    element_nodes = degree * np.arange(len(element_edges) - 1)[:, None] + np.arange(degree + 1)
    x = 1 - distance[:, None]
    initial_curvature = 2 * np.cos(np.pi * x) - 4 * np.pi * x * np.sin(np.pi * x)
    initial_curvature -= np.pi**2 * _initial(x)
    remainder = np.zeros((distance.size, stages + 1))
    coefficients = []
    for start, end in itertools.pairwise(panel_edges):
        half = (end - start) / 2
        known = _initial(x) + _layer(distance[:, None], start + half * (1 + stage_times))
        remainder = np.repeat(remainder[:, -1:], stages + 1, axis=1)
        carried_over = derivative[:, 0] * (to_modes @ remainder[:, :1])
        decay = half * decay_rates[:, None, None] * np.eye(stages)
        inverses = np.linalg.inv(derivative[:, 1:] + decay)
        # Only diffusion is stiff, and it is inverted mode by mode. Over such short panels plain
        # fixed-point sweeps over the reaction converge within a dozen.
        for _ in range(_MAX_SWEEPS):
            u = known + remainder[:, 1:]
            source = half * (DIFFUSIVITY * initial_curvature + REACTION * (u - u**3))
            modes = np.einsum("kij,kj->ki", inverses, to_modes @ source - carried_over)
            remainder[:, 1:] = from_modes @ modes
            if np.abs(known + remainder[:, 1:] - u).max() < 1e-14:
                break
        coefficients.append(series_in_space @ remainder[element_nodes] @ series_in_time)
    return Solution(element_edges, panel_edges, np.array(coefficients))


def _initial(x: Array) -> Array:
    return x**2 * np.cos(np.pi * x)


def _layer(distance: Array, t: Array) -> Array:
    """Half-line solution of the heat equation that cancels the initial slope at the kink."""
    width = 2 * np.sqrt(DIFFUSIVITY * t)
    scaled = distance / width
    bump = width / np.sqrt(np.pi) * np.exp(-(scaled**2)) - distance * erfc(scaled)
    return np.asarray(-INITIAL_SLOPE_AT_KINK * bump)


def _neumann_modes(edges: Array, degree: int) -> tuple[Array, Array, Array, Array]:
    """Return the nodes, the modes' decay rates, and the maps from nodes to modes and back."""
    points, weights = _lobatto(degree)
    derivative = differentiation_matrix(points)
    size = (len(edges) - 1) * degree + 1
    nodes, mass = np.empty(size), np.zeros(size)
    gradient = np.zeros((len(edges) - 1, degree + 1, size))
    for element, half in enumerate(np.diff(edges) / 2):
        own = slice(element * degree, (element + 1) * degree + 1)
        nodes[own] = edges[element] + half * (1 + points)
        mass[own] += half * weights
        gradient[element, :, own] = np.sqrt(DIFFUSIVITY * weights / half)[:, None] * derivative
    # The singular values of the gradient are the square roots of the decay rates. Taken from the
    # Laplacian, whose norm is the square, the slow modes would lose half of their digits.
    scaled_gradient = gradient.reshape(-1, size) / np.sqrt(mass)
    _, singular_values, modes = np.linalg.svd(scaled_gradient, full_matrices=False)
    return nodes, singular_values**2, modes * np.sqrt(mass), (modes / np.sqrt(mass)).T


def _lobatto(degree: int) -> tuple[Array, Array]:
    points = np.concatenate([[-1.0], roots_jacobi(degree - 1, 1, 1)[0], [1.0]])
    return points, 2 / (degree * (degree + 1) * eval_legendre(degree, points) ** 2)


def _graded_edges(first: float, widest: float, end: float) -> Array:
    """Pieces that double in width starting from `first`, until they reach `widest`."""
    graded = [0.0, first]
    while graded[-1] < widest:
        graded.append(2 * graded[-1])
    count = int(np.ceil((end - graded[-1]) / widest))
    return np.concatenate([graded[:-1], np.linspace(graded[-1], end, count + 1)])
