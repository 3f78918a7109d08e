"""Wrong calls of a solution: coordinates, expressions, points."""

import numpy as np
import pytest
import sympy

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

x, t = coordinates("x t")
u, v, w = field("u", x), field("v", x), field("w", x, t)
k = unknown("k")
a = sympy.Symbol("a")
HUGE = 10**400


def solved(box, *equations, **more):
    problem = Problem(box, list(equations), [Condition(u - 1, on={x: 0})], **more)
    method = PISC3(max_nodes=3, candidates=5)
    return solve(problem, method, sampling=Sampling(interior=16, boundary=4))


@pytest.fixture(scope="module")
def solution():
    return solved(Box({x: (0, 1)}), u.diff(x) - u)


@pytest.fixture(scope="module")
def wide():
    """A solution of two fields, one of them of two coordinates, and an unknown."""
    square = Box({x: (0, 1), t: (0, 1)})
    return solved(square, u.diff(x) - k * u, w.diff(t) - u, unknowns={k: 1.0})


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({}, "'x' is missing"),
        ({"x": 0.5, "y": 1}, "'y' is not a coordinate"),
        ({"X": 0.5}, "'X' is not a coordinate"),
        ({"x": 2}, "outside the domain"),
        ({"x": [0.1, -0.1]}, "1 of 2 points"),
        ({"x": np.nan}, "NaN"),
        ({"x": np.inf}, "infinite"),
        ({"x": None}, "NaN"),
        ({"x": []}, "no points"),
        ({"x": "abc"}, "x"),
        ({"x": a}, "x"),
        ({"x": {1}}, "x"),
        ({"x": 0.5j}, "x"),
        ({"x": np.array([0.5j])}, "x"),
        ({"x": [[0.1], [0.1, 0.2]]}, "x"),
        ({"x": HUGE}, "x"),
        ({"x": np.ma.array([0.1, 0.2], mask=[0, 1])}, "x"),
    ],
)
def test_coordinates_of_a_call(refused, solution, values, words):
    refused(lambda: solution(**values), words)


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("q", "'q' is not declared"),
        ("__import__('os')", "__import__"),
        ([u, u], "list"),
        (np.array([0.5]), "ndarray"),
        (u.func, "UndefinedFunction"),
        (a * u, "'a'"),
        (a, "'a'"),
        (v, "v(x)"),
        (u.subs(x, 0), "u(0)"),
        (u > 0, "u(x) > 0"),
        (True, "True"),
        (sympy.Matrix([u, u]), "vector"),
        (sympy.gamma(u), "gamma"),
        (sympy.I * u, "complex"),
        (sympy.cbrt(-8) * u, "(-1)"),
        (sympy.nan * u, "nan"),
        (sympy.Derivative(u, t), "t"),
        (sympy.Integral(u, (x, 0, 1)), "Integral"),
    ],
)
def test_expressions_of_a_call(refused, solution, expression, words):
    refused(lambda: solution(expression, x=0.5), words)


def test_calls_of_several_fields(refused, wide):
    refused(lambda: wide(x=0.5, t=0.5), "several fields (u(x), w(x, t))")
    refused(lambda: wide(w, x=0.5), "'t' is missing")
    refused(lambda: wide(w, x=np.zeros(3), t=np.zeros(4)), "x (3,), t (4,)")
    assert wide(w, x=np.zeros((3, 1)), t=np.zeros(4)).shape == (3, 4)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        (x, lambda solution: 0.5),
        (k, lambda solution: solution.unknowns["k"].value),
        (sympy.Integer(3), lambda solution: 3.0),
        (sympy.floor(u), lambda solution: np.floor(solution(u, x=0.5, t=0.5))),
        (
            sympy.Max(u, w, x),
            lambda solution: max(0.5, *(solution(f, x=0.5, t=0.5) for f in (u, w))),
        ),
    ],
)
def test_plain_expressions_of_a_call(wide, expression, value):
    assert wide(expression, x=0.5, t=0.5) == value(wide)


@pytest.mark.parametrize(
    "points", [0.5, [[0.1, 0.2]], [np.nan], [], ["a"], [3.0], [HUGE], [[[0.1]]], None]
)
def test_points_of_the_residual(refused, solution, points):
    refused(lambda: solution.residual(points), "points")


def test_grids(wide):
    pytest.importorskip("xarray")
    for axes in ({"y": [0.1]}, {"x": "a", "t": 0}, {"x": [[0.1, 0.2]], "t": [0]}, {"x": 0, "y": 0}):
        with pytest.raises(ProblemError):
            wide.to_xarray(w, **axes)
