"""Closed-form derivatives against SymPy, and each order against differences of the one below."""

import numpy as np
import pytest
import sympy

from piscm import ProblemError
from piscm.network import activations
from piscm.network.activations import ACTIVATIONS, activation_named

Z = np.linspace(-3, 3, 41)
z = sympy.Symbol("z")
FORMULAS = {
    "sin": sympy.sin(z),
    "tanh": sympy.tanh(z),
    "sigmoid": 1 / (1 + sympy.exp(-z)),
    "gaussian": sympy.exp(-(z**2)),
}


def derivative(activation, arguments, order):
    sign, values = activation.derivatives(arguments, [order])[order]
    return sign * values


def test_every_activation_has_a_formula_here():
    assert set(FORMULAS) == set(ACTIVATIONS)


@pytest.mark.parametrize("order", range(7))
@pytest.mark.parametrize("name", ACTIVATIONS)
def test_derivative_is_sympys(name, order):
    exact = sympy.lambdify(z, FORMULAS[name].diff(z, order), "numpy")(Z)
    found = derivative(activation_named(name), Z, order)
    np.testing.assert_allclose(found, exact, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("order", range(1, 7))
@pytest.mark.parametrize("name", ACTIVATIONS)
def test_derivative_is_the_slope_of_the_order_below(name, order):
    h = 1e-5
    g = activation_named(name)
    slope = (derivative(g, Z + h, order - 1) - derivative(g, Z - h, order - 1)) / (2 * h)
    found = derivative(g, Z, order)
    np.testing.assert_allclose(found, slope, atol=1e-6 * np.abs(found).max())


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_far_arguments_stay_finite(name):
    values = activation_named(name).derivatives(np.array([-1e4, 1e4]), range(5))
    assert all(np.isfinite(value).all() for _, value in values.values())


def test_unknown_name_is_told():
    with pytest.raises(ProblemError, match=r"relu.*known: sin"):
        activation_named("relu")


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_several_orders_at_once_are_those_asked_for_alone(name):
    together = activation_named(name).derivatives(Z, range(6))
    assert together[0].sign == 1.0
    for order, (sign, values) in together.items():
        alone = derivative(activation_named(name), Z, order)
        np.testing.assert_allclose(sign * values, alone, rtol=1e-14, atol=1e-14)


def test_orders_of_the_sine_share_their_values():
    made = activation_named("sin").derivatives(Z, range(5))
    assert made[0].values is made[2].values is made[4].values
    assert [made[order].sign for order in range(5)] == [1.0, 1.0, -1.0, -1.0, 1.0]


def test_gaussians_have_the_bits_of_their_formula():
    z = np.random.default_rng(1).normal(scale=3.0, size=(5, 300))
    square, bell = z * z, np.exp(-(z * z))
    found = activation_named("gaussian").derivatives(z, range(5))
    exact = [1.0, -2.0 * z, 4.0 * square - 2.0]
    exact += [(-8.0 * square + 12.0) * z, (16.0 * square - 48.0) * square + 12.0]
    for order, factor in enumerate(exact):
        np.testing.assert_array_equal(found[order].values, factor * bell)


def test_bumps_are_zero_where_their_squares_would_underflow():
    z = np.linspace(17.6, 40.0, 300)
    found = activation_named("gaussian").derivatives(z, range(5))
    exact = np.exp(-(z * z))
    assert (found[0].values[z * z >= 350.0] == 0.0).all()
    np.testing.assert_allclose(found[0].values, exact, rtol=0, atol=2e-152)
    for order in range(5):  # none of them is so small that it is slow
        values = np.abs(found[order].values)
        assert not ((values > 0) & (values < np.finfo(float).tiny)).any()


@pytest.mark.parametrize("name", ["tanh", "sigmoid", "gaussian"])
def test_chunks_give_the_bits_of_all_numbers_at_once(name, monkeypatch):
    z = np.random.default_rng(0).normal(scale=3.0, size=(7, 1001))
    own = activation_named(name)
    every = own.derivatives(z, range(7))
    monkeypatch.setattr(activations, "_CHUNK", 64)
    chunked = own.derivatives(z, range(7))
    assert all(np.array_equal(every[k].values, chunked[k].values) for k in range(7))
    alone = [own.derivatives(z, [k])[k].values for k in range(7)]
    assert all(np.array_equal(every[k].values, alone[k]) for k in range(7))
