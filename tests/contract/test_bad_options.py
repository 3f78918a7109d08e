"""Wrong options of a method or a sampling, and wrong arguments of `solve`."""

import numpy as np
import pytest
import sympy

from piscm import (
    PISC1,
    PISC2,
    PISC3,
    Box,
    Condition,
    NotConverged,
    Problem,
    ProblemError,
    Sampling,
    Solution,
    Status,
    coordinates,
    field,
    solve,
    zoo,
)

pytestmark = pytest.mark.usefixtures("at_once")

x, t = coordinates("x t")
u, v = field("u", x), field("v", x)
a = sympy.Symbol("a")
HUGE = 10**400
METHOD = PISC3(max_nodes=3, candidates=5)
SAMPLING = Sampling(interior=16, boundary=4)


PROBLEM = Problem(Box({x: (0, 1)}), [u.diff(x) - u], [Condition(u - 1, on={x: 0})])


def solved(problem=PROBLEM, method=METHOD, sampling=SAMPLING, **options):
    return solve(problem, method, sampling=sampling, **options)


BAD_COUNTS = [0, -1, 1.5, 2.0, "3", None, True, np.nan, [3], np.array([3])]
BAD_NUMBERS = [0, -1, np.nan, np.inf, "a", True, 1j, HUGE]
BAD_LADDERS = [[], None, 3, "12", [-1], [np.nan], [np.inf], ["1"], [True], [[1.0]], {1}]


@pytest.mark.parametrize("kind", [PISC1, PISC2, PISC3])
@pytest.mark.parametrize(
    ("option", "values"),
    [
        ("max_nodes", BAD_COUNTS),
        ("candidates", BAD_COUNTS),
        ("scale", [*BAD_NUMBERS, [], [1, -1], [1, np.nan], [[1, 2]], {1}]),
        ("truncation", [*BAD_NUMBERS, None, [], [1e-3], (1e-10, 1e-5)]),
        ("max_seconds", [*BAD_NUMBERS, [], [1, 2]]),
        ("tolerance", [*BAD_NUMBERS[1:], None, [0.1]]),
        ("ranges", [*BAD_LADDERS, [0], np.array(3.0)]),
        ("dampings", [*BAD_LADDERS, [0], [2]]),
        ("contractions", [*BAD_LADDERS, [0], [2]]),
        ("steps", [*BAD_LADDERS, [2]]),
        ("activation", ["relu", "SIN", "", None, 3, np.sin, ["sin"], {}]),
    ],
)
def test_options_of_a_method(refused, kind, option, values):
    for value in values:
        refused(lambda value=value: kind(**{option: value}), option)


@pytest.mark.parametrize("window", BAD_COUNTS)
def test_the_window(refused, window):
    refused(lambda: PISC2(window=window), "window")


@pytest.mark.parametrize(
    "options",
    [
        {"max_nodes": np.int64(3), "candidates": np.int32(5), "tolerance": np.float32(0.1)},
        {"scale": np.array(2.0)},
        {"scale": np.array([2.0]), "ranges": np.array([1, 2]), "steps": [1]},
        {"scale": (2,), "ranges": (1,), "truncation": np.float64(1e-8)},
    ],
)
def test_numpy_options_are_taken(options):
    method = PISC3(**{"max_nodes": 3, "candidates": 5, **options})
    assert solved(method=method, sampling=Sampling(interior=np.int64(9))).n_nodes <= 3


@pytest.mark.parametrize("option", ["interior", "boundary"])
def test_counts_of_a_sampling(refused, option):
    for value in BAD_COUNTS:
        refused(lambda value=value: Sampling(**{option: value}), option)


@pytest.mark.parametrize("rule", ["random", "SOBOL", None, 3, ["sobol"], {}])
def test_the_rule_of_a_sampling(refused, rule):
    refused(lambda: Sampling(rule=rule), "rule")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"problem": None}, "not a NoneType"),
        ({"problem": [u]}, "not a list"),
        ({"method": "PISC3"}, "The method is str"),
        ({"method": PISC3}, "PISC3()"),
        ({"method": {}}, "The method is dict"),
        ({"sampling": 100}, "sampling"),
        ({"sampling": Sampling}, "sampling"),
        *(({"tol": bad}, "tol") for bad in (-1, np.nan, np.inf, "a", True, 1j, np.ones(2))),
        ({"weights": [1, 2]}, "weights"),
        ({"weights": {"equation": 1}}, "'equation'"),
        *(({"weights": {"equations": bad}}, "equations") for bad in (0, -1, np.nan, "a", None)),
        ({"weights": {"conditions": np.ones(4)}}, "conditions"),
        *(({"seed": bad}, "seed") for bad in (-1, 1.5, None, "a", True, [1, 2], np.nan)),
        ({"progress": "yes"}, "progress='yes'"),
        ({"progress": 1}, "progress=1"),
        ({"method": PISC3(scale=[1, 2, 3])}, "scale holds 3 numbers"),
    ],
)
def test_arguments_of_solve(refused, options, words):
    refused(lambda: solved(**options), words)


def test_sizes_beyond_all_memory(refused):
    refused(lambda: solved(method=PISC3(max_nodes=10**15)), "max_nodes")
    refused(lambda: solved(sampling=Sampling(interior=10**15)), "interior")


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
    refused(lambda: solved(initial=initial), words)


@pytest.mark.parametrize(
    "value", [x, 1, np.float64(0.5), sympy.pi, abs(x - 0.5), sympy.Max(x, 0.5, 1 - x)]
)
def test_starting_values_that_are_taken(value):
    assert isinstance(solved(initial={u: value}), Solution)


@pytest.mark.parametrize("value", [sympy.Heaviside(x - 0.5), sympy.floor(3 * x)])
def test_a_starting_value_with_a_jump_is_taken_or_refused(value):
    try:
        assert np.isfinite(solved(initial={u: value})(x=[0.1, 0.9])).all()
    except ProblemError as error:
        assert str(value) in str(error)  # noqa: PT017 - one or the other


def test_throw():
    with pytest.raises(NotConverged, match="max_nodes") as caught:
        solved(tol=1e-30, throw=True)
    assert caught.value.solution.status is Status.NODE_LIMIT
    assert np.isfinite(caught.value.solution(x=0.5))
    assert solved(tol=1e-30).status is Status.NODE_LIMIT
    assert solved(throw=True).status is Status.FINISHED


def test_an_error_in_the_function_of_the_user_comes_through():
    with pytest.raises(ZeroDivisionError):
        solved(progress=lambda nodes, residual: 1 / 0)


def test_the_zoo_names_what_it_has(refused):
    refused(lambda: zoo.load("nope"), "'nope'; known: van-der-pol")
