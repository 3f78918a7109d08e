r"""Deep networks and their exact derivatives, carried through the layers.

A layer is :math:`h = g(z)`, :math:`z = W^T h' + b`. The product rule gives every derivative of h
from those of z, for :math:`g'(z) = v` and :math:`\gamma = \delta + e_j`:

.. math:: D^\gamma h = D^\delta (v\, D^{e_j} z)
          = \sum_{\epsilon\le\delta} \binom{\delta}{\epsilon} D^\epsilon v\, D^{\gamma-\epsilon} z,

where v is 1 - h² for tanh, h - h² for the sigmoid, and the cosine for the sine. The work grows with
the square of the number of derivatives, whatever their order.

The same code runs on NumPy's arrays and on JAX's: the module is the argument `xp`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from math import comb, prod
from typing import Any

Orders = tuple[int, ...]
"""Of a derivative, by each coordinate."""

Layers = Sequence[tuple[Any, Any]]
"""Weights, shape (inputs, outputs), and biases, shape (outputs,), from the first to the last."""

Series = dict[Orders, Any]
"""Derivatives by their orders; one that is missing is zero."""


def derivatives(
    layers: Layers,
    inputs: Any,
    slopes: Sequence[Any],
    wanted: Iterable[Orders],
    activation: str,
    xp: Any,
) -> Series:
    """The wanted derivatives of a network, each of shape (points, outputs).

    Parameters
    ----------
    layers : sequence of pairs
        The last one has no activation.
    inputs : array, shape (points, coordinates)
        What the first layer sees.
    slopes : one number a coordinate
        How fast what the layer sees moves with the coordinate itself.
    wanted : iterable of tuples of int
    activation : str
    xp : module
        NumPy or jax.numpy.
    """
    wanted = list(wanted)
    orders = _needed(wanted)
    (weights, biases), *others = layers
    z: Series = {orders[0]: inputs @ weights + biases}
    for axis, slope in enumerate(slopes):
        first = tuple(int(k == axis) for k in range(len(slopes)))
        if first in orders:
            z[first] = slope * weights[axis : axis + 1]
    for weights, biases in others:
        hidden = DEEP_ACTIVATIONS[activation](z, orders, xp)
        z = {order: hidden[order] @ weights for order in orders}
        z[orders[0]] = z[orders[0]] + biases
    shape = (len(inputs), layers[-1][0].shape[1])
    # Without a hidden layer the first derivatives are constant, and higher ones vanish.
    return {order: xp.broadcast_to(z.get(order, 0.0), shape) for order in wanted}


def _needed(wanted: Iterable[Orders]) -> list[Orders]:
    """All derivatives that some are made of, lower ones first; the value is always there."""
    every = {lower for orders in wanted for lower in _below(orders)}
    return sorted(every, key=lambda orders: (sum(orders), orders))


def _below(orders: Orders) -> Iterator[Orders]:
    return product(*(range(order + 1) for order in orders))


def _product(orders: Orders, one: Mapping[Orders, Any], other: Mapping[Orders, Any]) -> Any:
    """A derivative of a product, None where every term of it is missing."""
    total = None
    for lower in _below(orders):
        rest = tuple(k - m for k, m in zip(orders, lower, strict=True))
        if lower in one and rest in other:
            count = prod(map(comb, orders, lower))
            term = one[lower] * other[rest] if count == 1 else count * one[lower] * other[rest]
            total = term if total is None else total + term
    return total


def _square(orders: Orders, one: Mapping[Orders, Any]) -> Any:
    """A derivative of a square, in half the terms of a product."""
    total = None
    for lower in _below(orders):
        rest = tuple(k - m for k, m in zip(orders, lower, strict=True))
        if lower <= rest and lower in one and rest in one:
            count = prod(map(comb, orders, lower)) * (1 if lower == rest else 2)
            term = one[lower] * one[rest] if count == 1 else count * one[lower] * one[rest]
            total = term if total is None else total + term
    return total


def _chain(orders: Orders, slope: Mapping[Orders, Any], z: Mapping[Orders, Any]) -> Any:
    """A derivative of h, where Dh is the slope times Dz."""
    axis = next(k for k, order in enumerate(orders) if order)
    step = tuple(int(k == axis) for k in range(len(orders)))
    lowered = tuple(k - m for k, m in zip(orders, step, strict=True))
    moved = {
        tuple(k - m for k, m in zip(own, step, strict=True)): value
        for own, value in z.items()
        if own[axis]
    }
    return _product(lowered, slope, moved)


def _tanh(z: Series, orders: Sequence[Orders], xp: Any) -> Series:
    zero = orders[0]
    hidden = {zero: xp.tanh(z[zero])}
    slope = {zero: 1 - hidden[zero] * hidden[zero]}
    for own in orders[1:]:
        hidden[own] = _chain(own, slope, z)
        slope[own] = -_square(own, hidden)
    return hidden


def _sigmoid(z: Series, orders: Sequence[Orders], xp: Any) -> Series:
    zero = orders[0]
    hidden = {zero: 0.5 + 0.5 * xp.tanh(0.5 * z[zero])}  # never overflows
    slope = {zero: hidden[zero] - hidden[zero] * hidden[zero]}
    for own in orders[1:]:
        hidden[own] = _chain(own, slope, z)
        slope[own] = hidden[own] - _square(own, hidden)
    return hidden


def _sin(z: Series, orders: Sequence[Orders], xp: Any) -> Series:
    zero = orders[0]
    hidden, slope = {zero: xp.sin(z[zero])}, {zero: xp.cos(z[zero])}
    for own in orders[1:]:
        hidden[own], slope[own] = _chain(own, slope, z), -_chain(own, hidden, z)
    return hidden


def _gaussian(z: Series, orders: Sequence[Orders], xp: Any) -> Series:
    squares = {own: _square(own, z) for own in orders}
    exponent = {own: -value for own, value in squares.items() if value is not None}
    hidden = {orders[0]: xp.exp(exponent[orders[0]])}
    for own in orders[1:]:
        hidden[own] = _chain(own, hidden, exponent)
    return hidden


DEEP_ACTIVATIONS: dict[str, Callable[[Series, Sequence[Orders], Any], Series]] = {
    "sin": _sin,
    "tanh": _tanh,
    "sigmoid": _sigmoid,
    "gaussian": _gaussian,
}
"""Those of `piscm.network.activations`, of a series instead of a number."""
