"""Starting values, to which the network is added: wrong ones, odd ones, and those taken."""

import numpy as np
import pytest
import sympy
from builders import solved_in_no_time

from piscm import Box, Condition, Problem, ProblemError, Solution, coordinates, field, solve
from piscm.network.start import Start

pytestmark = pytest.mark.usefixtures("at_once")

x, t = coordinates("x t")
u, v = field("u", x), field("v", x)
a = sympy.Symbol("a")
HUGE = 10**400


@pytest.mark.parametrize(
    ("initial", "words"),
    [
        ([1], "initial"),
        (1, "initial"),
        ({"u": 1}, "initial names u"),
        ({v: 1}, "v(x)"),
        ({u.func: 1}, "initial names u"),
        ({u: 2 * a}, "'a'"),
        ({u: a}, "'a'"),
        ({u: t}, "'t'"),
        ({u: sympy.Symbol("x")}, "assumptions"),
        ({u: u}, "u(x)"),
        ({u: "x"}, "is text"),
        ({u: None}, "NoneType"),
        ({u: np.ones(5)}, "ndarray"),
        ({u: np.sin}, "ufunc"),
        ({u: np.nan}, "nan"),
        ({u: sympy.oo}, "oo"),
        ({u: HUGE}, "not a finite number"),
        ({u: sympy.I}, "complex"),
        ({u: sympy.cbrt(-8)}, "u(x)"),
        ({u: sympy.log(x - 2)}, "not finite"),
        ({u: 1 / x}, "not finite at x = 0"),
    ],
)
def test_starting_values(refused, initial, words):
    refused(lambda: solved_in_no_time(initial=initial), words)


@pytest.mark.parametrize(
    "value", [x, 1, np.float64(0.5), sympy.pi, abs(x - 0.5), sympy.Max(x, 0.5, 1 - x)]
)
def test_starting_values_that_are_taken(value):
    assert isinstance(solved_in_no_time(initial={u: value}), Solution)


@pytest.mark.parametrize("value", [sympy.Heaviside(x - 0.5), sympy.floor(3 * x)])
def test_a_starting_value_with_a_jump_is_taken_or_refused(value):
    try:
        assert np.isfinite(solved_in_no_time(initial={u: value})(x=[0.1, 0.9])).all()
    except ProblemError as error:
        assert str(value) in str(error)  # noqa: PT017 - one or the other


@pytest.mark.parametrize(
    "value",
    [
        sympy.Min(x, 1 - x),
        sympy.Heaviside(x - 0.3),
        sympy.floor(5 * x),
        sympy.sqrt(x),
        abs(x - 0.5) ** 3,
        sympy.Piecewise((0, x < 0.4), (1, True)),
    ],
)
def test_a_kink_in_the_start_leaves_no_trace(value):
    problem = Problem(Box({x: (0, 1)}), [u.diff(x, 2) + 1], [Condition(u, on="boundary")])
    solution = solve(problem, initial={u: value})
    at = np.linspace(0, 1, 201)
    assert solution.status.ok
    np.testing.assert_allclose(solution(x=at), at * (1 - at) / 2, atol=1e-6)


@pytest.mark.parametrize("value", [1 + x**2, sympy.exp(-x), sympy.sqrt(1 + x), 1 / (1 + x)])
def test_a_smooth_start_is_taken_as_it_is(value):
    problem = Problem(Box({x: (0, 1)}), [u.diff(x, 2) + 1], [Condition(u, on="boundary")])
    assert Start(problem, {u: value}).expressions == {0: value}
