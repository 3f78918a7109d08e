r"""Activation functions with derivatives of every order in closed form.

=========  ======================  ==================================================
name       :math:`g(z)`            :math:`g^{(k)}(z)`
=========  ======================  ==================================================
sin        :math:`\sin z`          :math:`\sin(z + k\pi/2)`
tanh       :math:`T = \tanh z`     :math:`P_k(T)`, :math:`P_{k+1} = P_k' (1 - T^2)`
sigmoid    :math:`S = 1/(1+e^{-z})` :math:`P_k(S)`, :math:`P_{k+1} = P_k' (S - S^2)`
gaussian   :math:`e^{-z^2}`        :math:`(-1)^k H_k(z) e^{-z^2}`
=========  ======================  ==================================================

To add one, write a class in this file and list it in `_ALL` at the end.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import scipy
from numpy.polynomial import Polynomial, hermite
from numpy.typing import NDArray

from piscm.network.series import Orders, Series, chain, square
from piscm.network.waves import sin_and_cos
from piscm.problem.errors import ProblemError

Floats = NDArray[np.float64]


class Signed(NamedTuple):
    """A derivative of an activation, ``sign * values``; order 0 has sign +1.

    Derivatives that differ only in sign share their values, so nothing is computed or summed twice;
    the values must not be modified.
    """

    sign: float
    values: Floats


class Activation(ABC):
    """A function of one variable, with its derivatives.

    Attributes
    ----------
    name : str
        The name a user gives.
    localized : bool
        Whether it has a location, like a step or a bump, which is put where the residual is large;
        a wave has none.
    """

    name: str
    localized: bool

    @abstractmethod
    def derivatives(self, z: Floats, orders: Iterable[int]) -> dict[int, Signed]:
        """``{k: g^(k)(z)}`` for every order k."""

    @abstractmethod
    def deep(self, z: Series, orders: Sequence[Orders], xp: Any) -> Series:
        """The same for a series instead of a number: the chain rule through a layer.

        `orders` begins with that of the value itself, lower ones first; `xp` is NumPy or jax.numpy.
        """


# The square of the argument beyond which a bump is zero, as its own square would be. Numbers that
# underflow are slow (exp takes 10 to 150 times as long, products too), and few nodes are without:
# 0.4 of the time of bumps was spent on them. What is subtracted changes no value above 1e-136.
_FARTHEST = 350.0
_LEAST = float(np.exp(np.array([-_FARTHEST]))[0])

# Few enough numbers at a time to stay in cache while a polynomial is evaluated, and enough that the
# calls of NumPy do not count: Gaussians with 4 derivatives take 20 % longer with 8192.
_CHUNK = 65536


class Sine(Activation):
    name, localized = "sin", False

    def derivatives(self, z: Floats, orders: Iterable[int]) -> dict[int, Signed]:
        wanted = sorted(set(orders))
        parities = {k % 2 for k in wanted}
        waves = sin_and_cos(z, want_sin=0 in parities, want_cos=1 in parities)
        return {k: Signed(-1.0 if k % 4 >= 2 else 1.0, waves[k % 2]) for k in wanted}

    def deep(self, z: Series, orders: Sequence[Orders], xp: Any) -> Series:
        zero = orders[0]
        hidden, slope = {zero: xp.sin(z[zero])}, {zero: xp.cos(z[zero])}
        for own in orders[1:]:
            hidden[own], slope[own] = chain(own, slope, z), -chain(own, hidden, z)
        return hidden


class Tanh(Activation):
    name, localized = "tanh", True

    def derivatives(self, z: Floats, orders: Iterable[int]) -> dict[int, Signed]:
        return _polynomials(z, {k: _chain(k, (1.0, 0.0, -1.0)).coef for k in orders}, of=np.tanh)

    def deep(self, z: Series, orders: Sequence[Orders], xp: Any) -> Series:
        zero = orders[0]
        hidden = {zero: xp.tanh(z[zero])}
        slope = {zero: 1 - hidden[zero] * hidden[zero]}
        for own in orders[1:]:
            hidden[own] = chain(own, slope, z)
            slope[own] = -square(own, hidden)
        return hidden


class Sigmoid(Activation):
    name, localized = "sigmoid", True

    def derivatives(self, z: Floats, orders: Iterable[int]) -> dict[int, Signed]:
        chain = {k: _chain(k, (0.0, 1.0, -1.0)).coef for k in orders}
        return _polynomials(z, chain, of=scipy.special.expit)

    def deep(self, z: Series, orders: Sequence[Orders], xp: Any) -> Series:
        zero = orders[0]
        hidden = {zero: 0.5 + 0.5 * xp.tanh(0.5 * z[zero])}  # never overflows
        slope = {zero: hidden[zero] - hidden[zero] * hidden[zero]}
        for own in orders[1:]:
            hidden[own] = chain(own, slope, z)
            slope[own] = hidden[own] - square(own, hidden)
        return hidden


class Gaussian(Activation):
    name, localized = "gaussian", True

    def derivatives(self, z: Floats, orders: Iterable[int]) -> dict[int, Signed]:
        return _polynomials(z, {k: _hermite(k) for k in orders}, times=_bell)

    def deep(self, z: Series, orders: Sequence[Orders], xp: Any) -> Series:
        squares = {own: square(own, z) for own in orders}
        exponent = {own: -value for own, value in squares.items() if value is not None}
        hidden = {orders[0]: xp.exp(exponent[orders[0]])}
        for own in orders[1:]:
            hidden[own] = chain(own, hidden, exponent)
        return hidden


def _bell(square: Floats) -> Floats:
    """The exponential of minus a square; zero where it is too small for a square of its own."""
    bell = np.negative(square)
    np.maximum(bell, -_FARTHEST, out=bell)
    np.exp(bell, out=bell)
    bell -= _LEAST
    return bell


def _polynomials(
    z: Floats,
    coefficients: dict[int, Any],
    of: Callable[[Floats], Floats] | None = None,
    times: Callable[[Floats], Floats] | None = None,
) -> dict[int, Signed]:
    """Several polynomials of z, or of a function of it, one chunk of numbers at a time.

    By Horner's rule; even and odd ones in the square, which takes half of the steps. A function of
    the square is a factor of all of them, if given.
    """
    flat = np.ascontiguousarray(z).reshape(-1)
    made = {k: np.empty_like(flat) for k in coefficients}
    for first in range(0, len(flat), _CHUNK):
        own = slice(first, first + _CHUNK)
        part = flat[own] if of is None else of(flat[own])
        square = part * part
        factor = None if times is None else times(square)
        for k, powers in coefficients.items():
            _polynomial(powers, part, square, factor, made[k][own])
    return {k: Signed(1.0, values.reshape(z.shape)) for k, values in made.items()}


def _polynomial(
    powers: Any, part: Floats, square: Floats, factor: Floats | None, out: Floats
) -> None:
    """One polynomial of one chunk, times a factor if given, written to `out`."""
    odd = not any(powers[0::2])
    if len(powers) > 1 and (odd or not any(powers[1::2])):
        powers, x = powers[int(odd) :: 2], square
    else:
        odd, x = False, part
    if len(powers) == 1:  # no variable is left
        scaled = part if odd else factor
        if scaled is None:
            out[:] = powers[0]
        else:
            np.multiply(scaled, powers[0], out=out)
        if not odd:
            return
    else:
        _horner(powers, x, out)
        if odd:
            out *= part
    if factor is not None:
        out *= factor


def _horner(powers: Any, x: Floats, out: Floats) -> None:
    """A polynomial of at least first degree."""
    np.multiply(x, powers[-1], out=out)
    if powers[-2]:
        out += powers[-2]
    for power in powers[-3::-1]:
        out *= x
        if power:
            out += power


@cache
def _hermite(order: int) -> tuple[float, ...]:
    """What a bump is multiplied by in its k-th derivative."""
    return tuple(map(float, (-1.0) ** order * hermite.herm2poly([0.0] * order + [1.0])))


@cache
def _chain(order: int, slope: tuple[float, ...]) -> Polynomial:
    """The k-th derivative of g as a polynomial in g, if g' is the polynomial `slope` in g."""
    if order == 0:
        return Polynomial([0.0, 1.0])
    return _chain(order - 1, slope).deriv() * Polynomial(slope)


_ALL = (Sine(), Tanh(), Sigmoid(), Gaussian())
ACTIVATIONS: dict[str, Activation] = {activation.name: activation for activation in _ALL}


def activation_named(name: str) -> Activation:
    """The activation with a given name."""
    if not isinstance(name, str) or name not in ACTIVATIONS:
        raise ProblemError(f"The activation {name!r} is unknown; known: {', '.join(ACTIVATIONS)}.")
    return ACTIVATIONS[name]
