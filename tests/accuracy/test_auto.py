"""Auto at its default tolerance on problems with a known solution, and what windows buy."""

import numpy as np
import pytest
import sympy
from medians import medians_hold

from piscm import (
    PISC3,
    Auto,
    Box,
    Condition,
    Observations,
    Periodic,
    Problem,
    Sampling,
    Windows,
    coordinates,
    field,
    solve,
    unknown,
)

x, y, t = coordinates("x y t")
v = field("v", t)
EACH = PISC3(selection="orthogonal", max_nodes=40, candidates=60)
pi = sympy.pi


def manufactured(truth, box, operator, conditions):
    u = field("u", *box.coordinates)
    equation = operator(u) - operator(truth).doit()
    return Problem(box, [equation], conditions(u, truth)), truth


def ends(u, f, coordinate, *values):
    return [Condition(u - f.subs(coordinate, value), on={coordinate: value}) for value in values]


CASES = {
    "oscillator": manufactured(
        sympy.cos(3 * t) + t / 5,
        Box({t: (0, 5)}),
        lambda f: f.diff(t, 2) + 9 * f + f**2 * f.diff(t),
        lambda u, f: [
            *ends(u, f, t, 0),
            Condition(u.diff(t) - f.diff(t).subs(t, 0), on={t: 0}),
        ],
    ),
    "front": manufactured(
        sympy.tanh(25 * (t - 1)),
        Box({t: (0, 2)}),
        lambda f: f.diff(t) + f**3,
        lambda u, f: ends(u, f, t, 0),
    ),
    "heat": manufactured(
        sympy.exp(-t) * sympy.sin(3 * x) + x * t,
        Box({x: (0, 1), t: (0, 1)}),
        lambda f: f.diff(t) - f.diff(x, 2) / 9,
        lambda u, f: [*ends(u, f, t, 0), *ends(u, f, x, 0, 1)],
    ),
    "wave": manufactured(
        sympy.sin(x) * sympy.cos(2 * t),
        Box({x: (0, pi), t: (0, 2)}),
        lambda f: f.diff(t, 2) - 4 * f.diff(x, 2),
        lambda u, f: [*ends(u, f, t, 0), Condition(u.diff(t), on={t: 0}), *ends(u, f, x, 0, pi)],
    ),
    "advection": manufactured(
        sympy.exp(sympy.sin(x - 2 * t)),
        Box({x: (0, 2 * pi), t: (0, 1)}),
        lambda f: f.diff(t) + 2 * f.diff(x),
        lambda u, f: [*ends(u, f, t, 0), Periodic(u, along=x)],
    ),
    "beam": manufactured(
        x**2 * sympy.sin(4 * x),
        Box({x: (0, 2)}),
        lambda f: f.diff(x, 4) + f * f.diff(x),
        lambda u, f: [
            *ends(u, f, x, 0, 2),
            Condition(u.diff(x), on={x: 0}),
            Condition(u.diff(x) - f.diff(x).subs(x, 2), on={x: 2}),
        ],
    ),
    "poisson": manufactured(
        sympy.sin(2 * x) * sympy.exp(y),
        Box({x: (-1, 1), y: (0, 1)}),
        lambda f: f.diff(x, 2) + f.diff(y, 2) - sympy.sin(f),
        lambda u, f: [Condition(u - f, on="boundary")],
    ),
}


def relative_error(solution, truth):
    box = solution.problem.domain
    rng = np.random.default_rng(11)
    points = (box.lower + box.width * rng.random((2000, box.dimension))).T
    right = sympy.lambdify(box.coordinates, truth)(*points)
    names = [symbol.name for symbol in box.coordinates]
    wrong = solution(**dict(zip(names, points, strict=True))) - right
    return np.sqrt(np.mean(wrong**2) / np.mean(right**2))


@pytest.mark.parametrize("name", CASES)
def test_auto_meets_its_tolerance(name):
    problem, truth = CASES[name]

    def measured(seed):
        solution = solve(problem, tol=1e-6, seed=seed)
        return (relative_error(solution, truth), 1e-5), (not solution.status.ok, False)

    assert medians_hold(measured)


@pytest.mark.parametrize("unit", [1e-9, 1e6])
def test_units_do_not_matter(unit):
    """Nanoseconds or megaseconds, microvolts or megavolts."""
    box = Box({t: (0, 4 * unit)})
    problem = Problem(
        box,
        [v.diff(t, 2) * unit**2 + v],
        [Condition(v - unit, on={t: 0}), Condition(v.diff(t), on={t: 0})],
    )
    truth = unit * sympy.cos(t / unit)
    assert medians_hold(lambda seed: [(relative_error(solve(problem, seed=seed), truth), 1e-5)])


def test_an_offset_in_time_does_not_matter():
    problem = Problem(
        Box({t: (1000, 1004)}),
        [v.diff(t, 2) + v],
        [Condition(v - 1, on={t: 1000}), Condition(v.diff(t), on={t: 1000})],
    )
    truth = sympy.cos(t - 1000)
    assert medians_hold(lambda seed: [(relative_error(solve(problem, seed=seed), truth), 1e-5)])


def test_windows_reach_where_one_network_of_the_size_does_not():
    problem = Problem(
        Box({t: (0, 40)}),
        [v.diff(t, 2) + v],
        [Condition(v - 1, on={t: 0}), Condition(v.diff(t), on={t: 0})],
    )
    each = PISC3(selection="orthogonal", max_nodes=20, candidates=60)

    def measured(seed):
        method = Windows(t, 10, method=each)
        solution = solve(problem, method, sampling=Sampling(100), seed=seed)
        return [(relative_error(solution, sympy.cos(t)), 1e-5)]

    assert medians_hold(measured)


def error_of_k(problem, method, seed):
    return abs(solve(problem, method, seed=seed).unknowns["k"].value - 4)


@pytest.mark.parametrize("method", [Auto(), Windows(t, 3, method=EACH)], ids=["Auto", "Windows"])
def test_an_unknown_from_exact_data(method):
    k = unknown("k", positive=True)
    times = np.linspace(0.5, 6, 12)
    problem = Problem(
        Box({t: (0, 6)}),
        [v.diff(t, 2) + k * v],
        [Condition(v - 1, on={t: 0}), Condition(v.diff(t), on={t: 0})],
        {k: 3.0},
        [Observations(v, times, np.cos(2 * times))],
    )
    assert medians_hold(lambda seed: [(error_of_k(problem, method, seed), 1e-4)])


BOTH = [Auto(max_nodes=60), Windows(t, 3, method=EACH)]


@pytest.mark.slow
@pytest.mark.parametrize("guess", [0.4, 40.0])
@pytest.mark.parametrize("method", BOTH, ids=["Auto", "Windows"])
def test_a_guess_ten_times_off(method, guess):
    """PISC3 alone finds it from 0.4; what stands in for it must not lose that."""
    k = unknown("k", positive=True)
    times = np.linspace(0.1, 10, 60)
    problem = Problem(
        Box({t: (0, 10)}),
        [v.diff(t, 2) + k * v],
        [Condition(v - 1, on={t: 0}), Condition(v.diff(t), on={t: 0})],
        {k: guess},
        [Observations(v, times, np.cos(2 * times))],
    )
    assert medians_hold(lambda seed: [(error_of_k(problem, method, seed), 1e-2)])


def test_the_default_copes_with_a_long_time():
    """Thirty periods: frequencies far beyond the first range of candidates."""
    problem = Problem(
        Box({t: (0, 200)}),
        [v.diff(t, 2) + v],
        [Condition(v - 1, on={t: 0}), Condition(v.diff(t), on={t: 0})],
    )
    times = np.linspace(0, 200, 100)
    np.testing.assert_allclose(solve(problem)(t=times), np.cos(times), atol=1e-6)
