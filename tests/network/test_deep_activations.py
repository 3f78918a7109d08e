"""The chain rule through a layer against derivatives in closed form."""

from itertools import product

import numpy as np
import pytest
import sympy

from piscm.network.activations import ACTIVATIONS
from piscm.network.series import below

x, y = sympy.symbols("x y")
FORMULAS = {
    "sin": sympy.sin,
    "tanh": sympy.tanh,
    "sigmoid": lambda z: 1 / (1 + sympy.exp(-z)),
    "gaussian": lambda z: sympy.exp(-(z**2)),
}
HIGHEST = (3, 2)
ORDERS = sorted(below(HIGHEST), key=lambda orders: (sum(orders), orders))
POINTS = np.array([[0.3, -0.7], [-1.1, 0.2], [0.9, 0.8], [0.0, 0.0]])


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_of_a_straight_line_it_is_the_derivative_times_powers(name):
    activation = ACTIVATIONS[name]
    slopes, bias = (1.3, -0.4), 0.2
    argument = POINTS @ slopes + bias
    z = {(0, 0): argument, (1, 0): np.array(slopes[0]), (0, 1): np.array(slopes[1])}
    made = activation.deep(z, ORDERS, np)
    assert set(made) == set(ORDERS)
    closed = activation.derivatives(argument, {sum(orders) for orders in ORDERS})
    for i, j in ORDERS:
        sign, values = closed[i + j]
        expected = sign * values * slopes[0] ** i * slopes[1] ** j
        np.testing.assert_allclose(made[i, j], expected, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_of_a_curved_argument_it_is_sympys(name):
    argument = x * y + sympy.sin(x) - y**2 / 3
    z = {orders: evaluated(argument.diff(x, orders[0], y, orders[1])) for orders in ORDERS}
    made = ACTIVATIONS[name].deep(z, ORDERS, np)
    formula = FORMULAS[name](argument)
    for i, j in product(range(HIGHEST[0] + 1), range(HIGHEST[1] + 1)):
        expected = evaluated(formula.diff(x, i, y, j))
        np.testing.assert_allclose(made[i, j], expected, rtol=1e-9, atol=1e-9)


def evaluated(expression):
    values = sympy.lambdify((x, y), expression, "numpy")(*POINTS.T)
    return np.broadcast_to(np.asarray(values, dtype=float), len(POINTS))


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_far_arguments_stay_finite(name):
    z = {(0,): np.array([-1e4, 0.0, 1e4]), (1,): np.array(2.0)}
    made = ACTIVATIONS[name].deep(z, [(0,), (1,), (2,), (3,)], np)
    assert all(np.isfinite(values).all() for values in made.values())
