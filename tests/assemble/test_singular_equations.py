"""Equations that cannot be evaluated are refused by name; those with kinks are solved."""

import numpy as np
import pytest
import sympy
from sympy import Max, Min, Piecewise, Rational, cbrt, exp, log, sqrt

from piscm import (
    PISC3,
    Box,
    Condition,
    Problem,
    ProblemError,
    Sampling,
    coordinates,
    field,
    solve,
    unknown,
)

pytestmark = pytest.mark.usefixtures("at_once")

x = coordinates("x")
u, v = field("u", x), field("v", x)
k = unknown("k")


def solved(*equations, conditions=None, method=None, **more):
    conditions = [Condition(u - 1, on={x: 0})] if conditions is None else conditions
    problem = Problem(Box({x: (0, 1)}), list(equations) or [u.diff(x) - u], conditions, **more)
    method = method or PISC3(max_nodes=2, candidates=4)
    return solve(problem, method, sampling=Sampling(interior=16, boundary=4))


@pytest.mark.parametrize(
    ("equation", "more"),
    [
        (u.diff(x) - 1 / u, {}),
        (u.diff(x) - log(u), {}),
        (u.diff(x) - sqrt(u), {}),
        (u.diff(x) - u**u, {}),
        (u.diff(x) - sqrt(abs(u)), {}),
        (u.diff(x) - sympy.coth(u), {}),
        (u.diff(x) - sympy.besselk(0, u), {}),
        (u.diff(x) - log(x - 2), {}),
        (u.diff(x) - Piecewise((1, x > 2)), {}),
        (u.diff(x) - u / k, {"unknowns": {k: 0}}),
        (u.diff(x) - log(k) * u, {"unknowns": {k: -1}}),
    ],
)
def test_not_finite_at_the_points(refused, equation, more):
    refused(lambda: solved(equation, **more), "Equation 1")
    refused(lambda: solved(equation, **more), "not finite at x = ")


@pytest.mark.parametrize(
    ("number", "words"),
    [(sympy.asin(2), "is not a real number"), (exp(1000), "that a float cannot hold")],
)
def test_numbers_that_are_none_are_refused_before_any_points(refused, number, words):
    refused(lambda: solved(u.diff(x) - number * u), "Equation 1: ")
    refused(lambda: solved(u.diff(x) - number * u), words)


def test_a_condition_that_is_not_finite_is_named(refused):
    conditions = [Condition(u / x - 1, on={x: 0})]
    refused(lambda: solved(conditions=conditions), "-1 + u(x)/x = 0 on x = 0")


@pytest.mark.parametrize("number", [cbrt(-8), Rational(-1) ** Rational(1, 3)])
def test_a_hidden_complex_number_is_not_cut_down_to_its_real_part(refused, number):
    refused(lambda: solved(u.diff(x) - number * u), "Equation 1")


@pytest.mark.parametrize("depth", [30, 60, 200])
def test_a_deep_expression_is_solved_or_refused(refused, depth):
    nested = u
    for _ in range(depth):
        nested = sympy.sin(nested + x)
    try:
        solved(u.diff(x) - nested)
    except ProblemError as error:
        assert "Equation 1" in str(error)  # noqa: PT017


@pytest.mark.parametrize(
    "term",
    [
        abs(u),
        sympy.sign(u),
        sympy.Heaviside(u),
        Max(u, 0),
        Max(u, x, 0.5),
        Max(u, x, k),
        Min(Max(u, x), 1 - x),
        Piecewise((u, x < 0.5), (1, True)),
        Piecewise((u, (x < 0.5) & (u > 0)), (1, True)),
        Piecewise((u, (x < 0.5) | (u > k)), (1, True)),
        Piecewise((u, ~sympy.Eq(x, 0.5)), (1, True)),
        sympy.floor(3 * x) * u,
        sympy.besselj(0, u),
        sympy.atan2(u, x),
        np.float32(0.5) * u,
        np.int64(2) * u,
        (1 + u) ** 1000,
        (1 + u + x) ** 100,
    ],
)
def test_kinks_jumps_and_odd_coefficients_are_solved(term):
    solution = solved(u.diff(x) - k * u - term, unknowns={k: 1.0})
    assert np.isfinite(solution(x=[0.0, 0.5, 1.0])).all()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("equation", "scale"), [(u.diff(x, 200) - v, None), (u.diff(x, 2) - v, 1e200)]
)
def test_overflow_does_not_end_in_lapack(equation, scale):
    method = PISC3(max_nodes=2, candidates=4, scale=scale)
    try:
        solution = solved(equation, v.diff(x) - u, method=method)
    except ProblemError:
        return
    assert np.isfinite(solution(u, x=[0.0, 0.5, 1.0])).all()


def test_what_holds_already_has_converged():
    problem = Problem(Box({x: (0, 1)}), [u.diff(x)], [Condition(u, on={x: 0})])
    solution = solve(problem, PISC3(max_nodes=2), tol=1e-8, throw=True)
    assert solution.status.ok
    assert float(solution.residual) == 0.0
