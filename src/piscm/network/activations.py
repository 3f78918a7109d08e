r"""Activation functions with derivatives of every order in closed form.

=========  ======================  ==================================================
name       :math:`g(z)`            :math:`g^{(k)}(z)`
=========  ======================  ==================================================
sin        :math:`\sin z`          :math:`\sin(z + k\pi/2)`
tanh       :math:`T = \tanh z`     :math:`P_k(T)`, :math:`P_{k+1} = P_k' (1 - T^2)`
sigmoid    :math:`S = 1/(1+e^{-z})` :math:`P_k(S)`, :math:`P_{k+1} = P_k' (S - S^2)`
gaussian   :math:`e^{-z^2}`        :math:`(-1)^k H_k(z) e^{-z^2}`
=========  ======================  ==================================================
"""

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.polynomial import Polynomial, hermite
from numpy.typing import NDArray
from scipy.special import expit

from piscm.network.waves import sin_and_cos
from piscm.problem.errors import ProblemError

Floats = NDArray[np.float64]


class Signed(NamedTuple):
    """A derivative of an activation, ``sign * values``; that of order 0 has the sign +1.

    Derivatives that differ in sign alone share their values, so that nothing is computed or added
    up twice: the values are not to be changed.
    """

    sign: float
    values: Floats


Activation = Callable[[Floats, Iterable[int]], dict[int, Signed]]
"""``g(z, orders)`` gives ``{k: g^(k)(z)}``."""

# So many numbers at once that they stay in the cache while a polynomial is added up.
_CHUNK = 8192


def _sin(z: Floats, orders: Iterable[int]) -> dict[int, Signed]:
    wanted = sorted(set(orders))
    parities = {k % 2 for k in wanted}
    waves = sin_and_cos(z, want_sin=0 in parities, want_cos=1 in parities)
    return {k: Signed(-1.0 if k % 4 >= 2 else 1.0, waves[k % 2]) for k in wanted}


def _tanh(z: Floats, orders: Iterable[int]) -> dict[int, Signed]:
    return _polynomials(np.tanh(z), {k: _chain(k, (1.0, 0.0, -1.0)).coef for k in orders})


def _sigmoid(z: Floats, orders: Iterable[int]) -> dict[int, Signed]:
    return _polynomials(expit(z), {k: _chain(k, (0.0, 1.0, -1.0)).coef for k in orders})


def _gaussian(z: Floats, orders: Iterable[int]) -> dict[int, Signed]:
    made = _polynomials(z, {k: (-1.0) ** k * hermite.herm2poly([0.0] * k + [1.0]) for k in orders})
    bell = np.exp(-z * z)
    for signed in made.values():
        np.multiply(signed.values, bell, out=signed.values)
    return made


def _polynomials(x: Floats, coefficients: dict[int, Any]) -> dict[int, Signed]:
    """Several polynomials of the same numbers, by Horner's rule, a piece of them at a time."""
    flat = np.ascontiguousarray(x).reshape(-1)
    made = {k: np.empty_like(flat) for k in coefficients}
    for first in range(0, len(flat), _CHUNK):
        part = flat[first : first + _CHUNK]
        for k, powers in coefficients.items():
            out = made[k][first : first + _CHUNK]
            out[:] = powers[-1]
            for power in powers[-2::-1]:
                out *= part
                if power:
                    out += power
    return {k: Signed(1.0, values.reshape(x.shape)) for k, values in made.items()}


@cache
def _chain(order: int, slope: tuple[float, ...]) -> Polynomial:
    """The k-th derivative of g as a polynomial in g, where g' is the polynomial `slope` in g."""
    if order == 0:
        return Polynomial([0.0, 1.0])
    return _chain(order - 1, slope).deriv() * Polynomial(slope)


ACTIVATIONS: dict[str, Activation] = {
    "sin": _sin,
    "tanh": _tanh,
    "sigmoid": _sigmoid,
    "gaussian": _gaussian,
}


def activation_named(name: str) -> Activation:
    """The activation of that name."""
    if not isinstance(name, str) or name not in ACTIVATIONS:
        raise ProblemError(f"The activation {name!r} is unknown; known: {', '.join(ACTIVATIONS)}.")
    return ACTIVATIONS[name]
