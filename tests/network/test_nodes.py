"""Features of hidden nodes against finite differences."""

import numpy as np
import pytest
from builders import random_nodes

from piscm.network.activations import ACTIVATIONS, activation_named
from piscm.network.nodes import Feature

POINTS = np.stack([np.linspace(-1, 1, 9), np.cos(np.arange(9))], axis=1)


def features(orders, points=POINTS, sees=(True, True), activation="sin"):
    feature = Feature(sees, orders)
    return random_nodes(4, 2, seed=1).features(points, [feature], activation_named(activation))[
        feature
    ]


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("orders", [(0, 0), (1, 0), (0, 2), (1, 1), (2, 1), (0, 3)])
@pytest.mark.parametrize("axis", [0, 1])
def test_one_order_more_is_the_slope(activation, orders, axis):
    h = 1e-5
    step = np.zeros(2)
    step[axis] = h
    upper = features(orders, POINTS + step, activation=activation)
    lower = features(orders, POINTS - step, activation=activation)
    more = tuple(order + (i == axis) for i, order in enumerate(orders))
    np.testing.assert_allclose(
        features(more, activation=activation), (upper - lower) / (2 * h), atol=1e-6
    )


def test_a_field_of_one_coordinate_does_not_see_the_other():
    moved = POINTS + np.array([0.0, 0.7])
    sees = (True, False)
    np.testing.assert_array_equal(features((1, 0), sees=sees), features((1, 0), moved, sees=sees))
    assert not features((0, 1), sees=sees).any()
