r"""The membrane over an L under an even load, by the series of its corner.

In polar coordinates around the re-entrant corner, with theta from one side (0) to the other
(3 pi/2), a particular solution that vanishes on both is

.. math:: p = -\tfrac{r^2}{4}(1 - \cos 2\theta)
              - \tfrac{r^2}{3\pi}(\log r \sin 2\theta + \theta \cos 2\theta),

and the rest is a sum of :math:`r^{2k/3} \sin(2k\theta/3)`, the same with the cosine, harmonic
polynomials, and :math:`z^2 \log z` around each of the five other corners, fitted on the sides; what
it misses there, 2e-11, bounds its error.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

_TERMS, _SMOOTH, _POINTS = 40, 10, 400
# Each corner with a right angle, and the direction to the inside.
_CORNERS = ((1, -1 + 1j), (1 + 1j, -1 - 1j), (-1 + 1j, 1 - 1j), (-1 - 1j, 1 + 1j), (-1j, -1 + 1j))


def l_shape(x: ArrayLike, y: ArrayLike) -> Floats:
    """The solution on [-1, 1]² without the quarter where x > 0 and y < 0."""
    a, b = np.broadcast_arrays(np.asarray(x, dtype=float), np.asarray(y, dtype=float))
    r, theta = _polar(a, b)
    series = sum(c * own for c, own in zip(_coefficients(), _terms(r, theta), strict=True))
    return np.asarray(_particular(r, theta) + series)


def _polar(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    theta = np.arctan2(y, x)
    return np.hypot(x, y), np.where(theta < -1e-9, theta + 2 * np.pi, np.maximum(theta, 0.0))


def _particular(r: Floats, theta: Floats) -> Floats:
    log = np.log(np.maximum(r, 1e-300))
    bent = log * np.sin(2 * theta) + theta * np.cos(2 * theta)
    return np.asarray(-(r**2) / 4 * (1 - np.cos(2 * theta)) - r**2 / (3 * np.pi) * bent)


def _terms(r: Floats, theta: Floats) -> list[Floats]:
    """The functions of the series, about as large as 1."""
    powers, size = 2 * np.arange(1, _TERMS + 1) / 3, r / np.sqrt(2)
    terms = [
        own for p in powers for own in (size**p * np.sin(p * theta), size**p * np.cos(p * theta))
    ]
    point = r * np.exp(1j * theta)
    for power in range(_SMOOTH):
        terms += [size**power * np.cos(power * theta), size**power * np.sin(power * theta)]
    for corner, inward in _CORNERS:
        z = (point - corner) / inward
        bent = z**2 * np.log(np.where(z == 0, 1.0, z))
        terms += [bent.real, bent.imag]
    return terms


@lru_cache(maxsize=1)
def _coefficients() -> tuple[float, ...]:
    """By least squares on all sides, denser at their ends."""
    half = (1 - np.cos(np.pi * (np.arange(_POINTS) + 0.5) / _POINTS)) / 2
    whole, ones = 2 * half - 1, np.ones(_POINTS)
    x = np.concatenate([half, ones, whole, -ones, half - 1, 0 * ones])
    y = np.concatenate([0 * ones, half, ones, whole, -ones, half - 1])
    r, theta = _polar(x, y)
    design = np.stack(_terms(r, theta), axis=1)
    found = np.linalg.lstsq(design, -_particular(r, theta), rcond=1e-14)[0]
    return tuple(map(float, found))
