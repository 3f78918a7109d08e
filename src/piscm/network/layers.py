r"""Deep networks and their exact derivatives, propagated through the layers.

A layer is :math:`h = g(z)`, :math:`z = W^T h' + b`. The product rule gives every derivative of h
from those of z, for :math:`g'(z) = v` and :math:`\gamma = \delta + e_j`:

.. math:: D^\gamma h = D^\delta (v\, D^{e_j} z)
          = \sum_{\epsilon\le\delta} \binom{\delta}{\epsilon} D^\epsilon v\, D^{\gamma-\epsilon} z,

where v is 1 - h² for tanh, h - h² for the sigmoid, and the cosine for the sine. The work grows with
the square of the number of derivatives, whatever their order.

The same code runs on NumPy and JAX arrays: the module is the argument `xp`.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from piscm.network.activations import activation_named
from piscm.network.series import Orders, Series, below

Layers = Sequence[tuple[Any, Any]]
"""Weights, shape (inputs, outputs), and biases, shape (outputs,), from first to last."""


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
        The inputs of the first layer.
    slopes : one number per coordinate
        The derivative of each input by its coordinate.
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
        hidden = activation_named(activation).deep(z, orders, xp)
        z = {order: hidden[order] @ weights for order in orders}
        z[orders[0]] = z[orders[0]] + biases
    shape = (len(inputs), layers[-1][0].shape[1])
    # Without a hidden layer, first derivatives are constant and higher ones vanish.
    return {order: xp.broadcast_to(z.get(order, 0.0), shape) for order in wanted}


def _needed(wanted: Iterable[Orders]) -> list[Orders]:
    """All derivatives that the wanted ones depend on, lower ones first, always with the value."""
    every = {lower for orders in wanted for lower in below(orders)}
    return sorted(every, key=lambda orders: (sum(orders), orders))
