"""Harmonic functions around holes, by least squares on series that satisfy the equation exactly.

Outside of circular holes a harmonic function is the real part of a power series, plus a logarithm
and negative powers about the center of every hole. Coefficients are fitted to the boundary values;
the largest misfit there bounds the error everywhere, by the maximum principle.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Harmonic:
    """A harmonic function, and the largest misfit of its boundary values."""

    centers: tuple[complex, ...]
    scale: float
    radius: float
    powers: int
    poles: int
    coefficients: Floats
    misfit: float

    def __call__(self, x: ArrayLike, y: ArrayLike) -> Floats:
        z = np.asarray(x, dtype=float) + 1j * np.asarray(y, dtype=float)
        basis = _basis(z.ravel(), self.centers, self.scale, self.radius, self.powers, self.poles)
        return (basis @ self.coefficients).reshape(z.shape)


def _basis(
    z: NDArray[np.complex128],
    centers: Sequence[complex],
    scale: float,
    radius: float,
    powers: int,
    poles: int,
) -> Floats:
    columns = [np.ones(len(z))]
    for k in range(1, powers + 1):
        term = (z / scale) ** k
        columns += [term.real, term.imag]
    for center in centers:
        away = z - center
        columns.append(np.log(np.abs(away) / scale))
        for m in range(1, poles + 1):
            term = (radius / away) ** m
            columns += [term.real, term.imag]
    return np.stack(columns, axis=1)


def fitted(
    boundary: Sequence[tuple[NDArray[np.complex128], Callable[[Floats, Floats], ArrayLike]]],
    centers: Sequence[complex],
    *,
    scale: float,
    radius: float,
    powers: int,
    poles: int,
) -> Harmonic:
    """Fit boundary values, given at points of every part of the boundary.

    `scale` is the size of the domain and `radius` that of the holes.
    """
    z = np.concatenate([points for points, _ in boundary])
    values = np.concatenate(
        [np.broadcast_to(value(p.real, p.imag), p.shape) for p, value in boundary]
    )
    basis = _basis(z, centers, scale, radius, powers, poles)
    coefficients = np.linalg.lstsq(basis, values, rcond=1e-14)[0]
    misfit = float(np.abs(basis @ coefficients - values).max())
    return Harmonic(tuple(centers), scale, radius, powers, poles, coefficients, misfit)
