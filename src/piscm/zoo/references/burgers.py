"""Reference solution of the viscous Burgers equation from a sine wave.

Solves ``u_t + u u_x - nu u_xx = 0`` for ``x`` in [-1, 1] and ``t`` in [0, 1] with
``u(x, 0) = -sin(pi x)`` and ``u(-1, t) = u(1, t) = 0``.

By the Cole-Hopf transformation, ``-u(x, t)`` is the mean of ``sin(pi y)`` over
``y = x - sqrt(4 nu t) z`` with the positive weight ``exp(-z^2 - cos(pi y) / (2 pi nu))``. Both
integrals are summed by the trapezoidal rule, which for such weights converges like
``exp(-constant / step^2)``. A mean with positive weights is well conditioned, even in the shock and
at t = 0. The measured difference from quadrature in 40 digits is 2e-15, for nu = 0.01/pi and 0.1;
that from an independent Fourier method with 4096 points is 3e-12, the error of the latter.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

T_END = 1.0

_STEP = 0.1
_NEGLIGIBLE = 40.0  # a weight of exp(-40) relative to the largest
_DOMAIN_TOLERANCE = 1e-12


def reference(x: ArrayLike, t: ArrayLike, viscosity: float) -> Array:
    """Evaluate the solution.

    Parameters
    ----------
    x, t : array_like
        Broadcasting points in [-1, 1] and [0, 1].
    viscosity : float
        The coefficient nu, from 0.001 up; weights overflow below half of that.

    Returns
    -------
    ndarray
        ``u(x, t)`` in the broadcast shape. A point outside the domain is a `ValueError`.
    """
    places, times = np.broadcast_arrays(np.asarray(x, np.float64), np.asarray(t, np.float64))
    inside = (np.abs(places) <= 1 + _DOMAIN_TOLERANCE) & (times >= -_DOMAIN_TOLERANCE)
    if not np.all(inside & (times <= T_END + _DOMAIN_TOLERANCE)):
        raise ValueError("points outside the domain of the Burgers reference")
    contrast = 1 / (2 * np.pi * viscosity)
    spread = np.sqrt(4 * viscosity * np.maximum(times, 0))
    at_center = np.cos(np.pi * places)
    # The cosine changes the exponent by at most twice the contrast.
    count = int(np.sqrt(_NEGLIGIBLE + 2 * contrast) / _STEP) + 1
    total, weighted = np.zeros(places.shape), np.zeros(places.shape)
    for z in _STEP * np.arange(-count, count + 1):
        y = np.pi * (places - spread * z)
        # Relative to the weight at z = 0, so that the total is never below 1.
        weight = np.exp(contrast * (at_center - np.cos(y)) - z**2)
        total += weight
        weighted += weight * np.sin(y)
    return np.asarray(-weighted / total)
