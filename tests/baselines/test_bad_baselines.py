"""What networks that are trained refuse, and how they say it."""

import sys

import numpy as np
import pytest
import sympy
from builders import decay_of

from piscm import Box, Condition, Observations, Problem, ProblemError, coordinates, field, solve
from piscm.baselines import PINN, PISCN

t = coordinates("t")
u = field("u", t)
PROBLEM = decay_of(u, end=1)
OBSERVED = [Observations(u, [0.5], [0.6])]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hidden": ()}, r"hidden=\(\)\): give a list of widths"),
        ({"hidden": 64}, r"hidden=64\): give a list of widths"),
        ({"hidden": (64, 0)}, r"PINN\(hidden=\.\.\.\) is 0"),
        ({"hidden": "64"}, "give a list of widths"),
        ({"epochs": -1}, r"PINN\(epochs=\.\.\.\) is -1: give a whole number from 0"),
        ({"epochs": 1.5}, "give a whole number"),
        ({"epochs": 0}, "trains nothing"),
        ({"polish": True}, "give a whole number"),
        ({"learning_rate": 0}, "give a positive number"),
        ({"emphasis": -1.0}, r"PINN\(emphasis=\.\.\.\) holds -1.0"),
        ({"schedule": "linear"}, "known are constant, cosine, exponential"),
        ({"precision": "float16"}, "known are float32, float64"),
        ({"activation": "relu"}, "activation 'relu' is unknown"),
        ({"stretch": (1.0, -1.0)}, "give a positive number"),
        ({"stretch": 100.0}, "give a list of factors"),
        ({"normalize": 1}, "give True or False"),
        ({"initialization": "zeros"}, "known: glorot, fan_in"),
    ],
)
def test_bad_options_of_pinn(options, message):
    with pytest.raises(ProblemError, match=message):
        PINN(**options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_nodes": 0}, r"PISCN\(max_nodes=\.\.\.\) is 0"),
        ({"scale": -1.0}, r"PISCN\(scale=\.\.\.\) holds -1.0"),
        ({"ranges": ()}, "PISCN.*give a list of numbers"),
        ({"tolerance": -1}, r"PISCN\(tolerance=-1\)"),
    ],
)
def test_bad_options_of_piscn(options, message):
    with pytest.raises(ProblemError, match=message):
        PISCN(**options)


def test_lists_and_arrays_are_taken():
    assert PINN(hidden=[3, 4]) == PINN(hidden=np.array([3, 4])) == PINN(hidden=(3, 4))
    assert PISCN(ranges=[1, 2]) == PISCN(ranges=(1, 2))


def test_one_factor_a_coordinate():
    with pytest.raises(ProblemError, match="has 2 factors for 1 coordinates"):
        solve(PROBLEM, PINN(stretch=(100.0, 1.0)))


def test_no_tolerance():
    with pytest.raises(ProblemError, match="PINN has no tolerance"):
        solve(PROBLEM, PINN(), tol=1e-3)


def test_labels_are_needed():
    with pytest.raises(ProblemError, match="give Observations of the fields themselves"):
        solve(PROBLEM, PISCN())
    slope = PROBLEM.with_observations([Observations(u.diff(t), [0.5], [0.6])])
    with pytest.raises(ProblemError, match="not of Derivative"):
        solve(slope, PISCN())


def test_a_function_that_jax_has_not():
    bessel = Problem(
        domain=Box({t: (0, 1)}),
        equations=[u.diff(t) + sympy.bessely(2, u)],
        conditions=[Condition(u - 1, on={t: 0})],
    )
    with pytest.raises(ProblemError, match="Equation 1 holds a function of a field or an unknown"):
        solve(bessel, PINN())


def test_squares_only():
    robust = PROBLEM.with_observations([Observations(u, [0.5], [0.6], loss="huber")])
    with pytest.raises(ProblemError, match="PINN fits observations by plain least squares"):
        solve(robust, PINN())


@pytest.mark.parametrize("missing", ["jax", "optax"])
@pytest.mark.parametrize("method", [PINN(), PISCN()])
def test_what_is_missing_is_told_before_any_work(monkeypatch, missing, method):
    monkeypatch.setitem(sys.modules, missing, None)
    message = rf"{type(method).__name__} needs JAX and optax: pip install 'piscm\[baselines\]'"
    with pytest.raises(ImportError, match=message):
        solve(PROBLEM.with_observations(OBSERVED), method)
