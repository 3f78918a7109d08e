"""Derivatives of deep networks, carried through the layers."""

import numpy as np
import pytest

from piscm.network.activations import ACTIVATIONS
from piscm.network.layers import derivatives
from piscm.network.nodes import Feature, Nodes

ORDERS = [(0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 3), (2, 1), (4, 0), (2, 2)]


def network(*widths, seed=0):
    rng = np.random.default_rng(seed)
    return [
        (rng.normal(size=(widths[i], widths[i + 1])), rng.normal(size=widths[i + 1]))
        for i in range(len(widths) - 1)
    ]


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_one_layer_is_a_sum_of_nodes(name):
    (weights, biases), (outer, last) = layers = network(2, 5, 3)
    points = np.random.default_rng(1).uniform(-1, 1, (7, 2))
    features = [Feature((True, True), orders) for orders in ORDERS]
    nodes = Nodes(weights.T, biases).features(points, features, ACTIVATIONS[name])
    made = derivatives(layers, points, (1.0, 1.0), ORDERS, name, np)
    for feature in features:
        bias = last if not any(feature.orders) else 0.0
        expected = nodes[feature].T @ outer + bias
        np.testing.assert_allclose(made[feature.orders], expected, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("name", ACTIVATIONS)
@pytest.mark.parametrize("axis", [0, 1])
def test_deep_derivatives_against_differences(name, axis):
    layers = network(2, 4, 3, 2, seed=3)
    points = np.random.default_rng(1).uniform(-0.5, 0.5, (6, 2))
    step = np.zeros(2)
    step[axis] = 1e-5
    higher = [tuple(k + (i == axis) for i, k in enumerate(orders)) for orders in ORDERS[:6]]
    made = derivatives(layers, points, (1.0, 1.0), higher, name, np)
    above = derivatives(layers, points + step, (1.0, 1.0), ORDERS[:6], name, np)
    below = derivatives(layers, points - step, (1.0, 1.0), ORDERS[:6], name, np)
    for low, high in zip(ORDERS[:6], higher, strict=True):
        difference = (above[low] - below[low]) / 2e-5
        size = max(1.0, np.abs(made[high]).max())
        np.testing.assert_allclose(made[high], difference, atol=1e-8 * size)


def test_slopes_are_those_of_what_the_network_sees():
    layers = network(2, 4, 4, 1)
    points = np.random.default_rng(1).uniform(-1, 1, (5, 2))
    scale = np.array([3.0, 0.5])
    folded = [(scale[:, None] * layers[0][0], layers[0][1]), *layers[1:]]
    stretched = derivatives(layers, points * scale, scale, ORDERS, "tanh", np)
    plain = derivatives(folded, points, (1.0, 1.0), ORDERS, "tanh", np)
    for orders in ORDERS:
        np.testing.assert_allclose(stretched[orders], plain[orders], rtol=1e-9, atol=1e-12)


def test_a_high_derivative_is_quick():
    made = derivatives(network(1, 3, 3, 1), np.zeros((1, 1)), (1.0,), [(20,)], "tanh", np)
    assert np.isfinite(made[20,]).all()
