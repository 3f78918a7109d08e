"""Problems of every kind by Auto and Windows: the right answer, or the right word for it."""

from functools import partial

import numpy as np
import pytest
import sympy
from builders import decay_of

from piscm import (
    PISC3,
    Auto,
    Box,
    Condition,
    Observations,
    Periodic,
    Problem,
    Sampling,
    Status,
    Windows,
    coordinates,
    field,
    solve,
    unknown,
)

pytestmark = pytest.mark.usefixtures("at_once")

x, y, t = coordinates("x y t")
u = field("u", t)
k, a, b = unknown("k"), unknown("a"), unknown("b")
SMALL = PISC3(selection="orthogonal", max_nodes=20, candidates=40)
THREE = Windows(t, 3, method=SMALL)
TIMES = np.linspace(0.02, 2, 60)


decay = partial(decay_of, u)


def noise_of(size):
    return size * np.random.default_rng(0).normal(size=len(TIMES))


def seen(values, times=TIMES, **options):
    return [Observations(u, times, values, **options)]


BOTH = pytest.mark.parametrize("method", [Auto(max_nodes=60), THREE], ids=["Auto", "Windows"])


# --- zero, and starts -------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("tol", [None, 1e-6])
def test_zero_is_the_solution(method, tol):
    problem = decay(start=0)
    solution = solve(problem, method, tol=tol)
    assert solution.status in (Status.SOLVED_AT_START, Status.CONVERGED)
    assert solution.n_nodes == 0
    np.testing.assert_array_equal(solution(t=[0.0, 0.9, 2.0]), 0.0)
    assert solution.error_estimate.by_field["u"] < 1e-12
    assert not solution.error_estimate.relative > 1e-6
    assert "inf" not in repr(solution)


@BOTH
def test_zero_for_some_windows_only(method):
    """Nothing happens until t = 1."""
    problem = Problem(
        Box({t: (0, 3)}),
        [u.diff(t) - 8 * sympy.Max(t - 1, 0) ** 3],
        [Condition(u, on={t: 0})],
    )
    solution = solve(problem, method, tol=1e-5)
    np.testing.assert_allclose(solution(t=[0.5, 1.0, 2.0, 3.0]), [0, 0, 2, 32], atol=2e-3)


@pytest.mark.parametrize("start", [1e4, 1e4 * sympy.sin(5 * t)])
def test_a_first_guess_far_off_does_not_loosen_the_tolerance(start):
    solution = solve(decay(), tol=1e-6, initial={u: start})
    np.testing.assert_allclose(solution(t=TIMES), np.exp(-TIMES), atol=1e-5)


def test_a_run_without_nodes_does_not_say_that_all_were_placed():
    problem = Problem(Box({t: (0, 3)}), [u.diff(t) + u], [Condition(u**2 - 1, on={t: 0})])
    solution = solve(problem)
    assert solution.n_nodes == 0
    assert solution.status is Status.STALLED


# --- kinds of conditions and fields -----------------------------------------------------------


@BOTH
def test_mixed_conditions_of_second_order(method):
    problem = Problem(
        Box({t: (0, 6)}),
        [u.diff(t, 2) + u],
        [Condition(u + u.diff(t) - 1, on={t: 0}), Condition(u - u.diff(t) - 1, on={t: 0})],
    )
    solution = solve(problem, method)
    times = np.linspace(0, 6, 13)
    np.testing.assert_allclose(solution(t=times), np.cos(times), atol=1e-5)
    np.testing.assert_allclose(solution(u.diff(t), t=times), -np.sin(times), atol=1e-4)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_nonlinear_condition_is_handed_on(sign):
    problem = Problem(Box({t: (0, 3)}), [u.diff(t) + u], [Condition(u**2 - 1, on={t: 0})])
    solution = solve(problem, THREE, initial={u: sign})
    times = np.linspace(0, 3, 7)
    np.testing.assert_allclose(solution(t=times), sign * np.exp(-times), atol=1e-6)


@BOTH
def test_a_system_of_first_and_second_order(method):
    p, q = field("p", t), field("q", t)
    problem = Problem(
        Box({t: (0, 3)}),
        [p.diff(t, 2) + p - q, q.diff(t) + q],
        [
            Condition(p - 1.5, on={t: 0}),
            Condition(p.diff(t) - 0.5, on={t: 0}),
            Condition(q * p.diff(t) - 0.5, on={t: 0}),
        ],
    )
    # p = cos t + sin t + exp(-t)/2, q = exp(-t)
    solution = solve(problem, method, initial={q: 1})
    times = np.linspace(0, 3, 7)
    truth = np.cos(times) + np.sin(times) + np.exp(-times) / 2
    np.testing.assert_allclose(solution(p, t=times), truth, atol=1e-4)
    np.testing.assert_allclose(solution(q, t=times), np.exp(-times), atol=1e-4)


@BOTH
def test_fields_of_different_coordinates(method):
    v, g, h = field("v", x, t), field("g", x), field("h", t)
    problem = Problem(
        Box({x: (0, 1), t: (0, 2)}),
        [v.diff(t) - g * h, g.diff(x) - g, h.diff(t) + h],
        [Condition(v, on={t: 0}), Condition(g - 1, on={x: 0}), Condition(h - 1, on={t: 0})],
    )
    method = (
        method
        if isinstance(method, Auto)
        else Windows(t, 2, method=PISC3(selection="orthogonal", max_nodes=40, candidates=60))
    )
    solution = solve(problem, method, tol=1e-4)
    times = np.array([0.2, 1.1, 1.9])
    truth = np.exp(0.5) * (1 - np.exp(-times))
    np.testing.assert_allclose(solution(v, x=0.5, t=times), truth, atol=1e-3)
    np.testing.assert_allclose(solution(g, x=[0.0, 1.0], t=1.9), [1, np.e], atol=1e-3)
    np.testing.assert_allclose(solution(h, x=0.3, t=times), np.exp(-times), atol=1e-3)


@pytest.mark.parametrize("method", [Auto(activation="sin"), THREE], ids=["Auto", "Windows"])
def test_three_coordinates(method):
    w = field("w", x, y, t)
    pi = sympy.pi
    problem = Problem(
        Box({x: (0, pi), y: (0, 2 * pi), t: (0, 0.4)}),
        [w.diff(t) - w.diff(x, 2) - w.diff(y, 2)],
        [
            Condition(w - sympy.sin(x) * sympy.sin(y), on={t: 0}),
            Condition(w, on=[{x: 0}, {x: pi}]),
            Periodic(w, along=y),
            Periodic(w.diff(y), along=y),
        ],
    )
    sampling = None
    if isinstance(method, Windows):
        each = PISC3(selection="orthogonal", max_nodes=120, candidates=100)
        method, sampling = Windows(t, 2, method=each), Sampling(700, 300)
    solution = solve(problem, method, tol=1e-3, sampling=sampling)
    points = np.random.default_rng(0).uniform(0, [np.pi, 2 * np.pi, 0.4], (50, 3)).T
    truth = np.exp(-2 * points[2]) * np.sin(points[0]) * np.sin(points[1])
    found = solution(x=points[0], y=points[1], t=points[2])
    np.testing.assert_allclose(found, truth, atol=1e-2)


def test_a_boundary_value_problem_is_not_marched():
    v = field("v", x)
    problem = Problem(
        Box({x: (0, 1)}), [v.diff(x, 2) + v], [Condition(v, on={x: 0}), Condition(v - 1, on={x: 1})]
    )
    solution = solve(problem)
    assert solution.network.panels is None
    places = np.linspace(0, 1, 5)
    np.testing.assert_allclose(solution(x=places), np.sin(places) / np.sin(1), atol=1e-6)


# --- data -------------------------------------------------------------------------------------


@BOTH
def test_a_bound_that_is_hit(method):
    solution = solve(decay({k: (0.5, 0.1, 0.8)}, seen(np.exp(-TIMES)), rate=k), method)
    assert 0.1 <= solution.unknowns["k"].value <= 0.8
    assert solution.unknowns["k"].value == pytest.approx(0.8, abs=1e-6)
    np.testing.assert_allclose(solution(t=TIMES), np.exp(-0.8 * TIMES), atol=0.05)


@BOTH
@pytest.mark.parametrize("noise", [None, 0.05])
def test_noise_and_its_error_bars(method, noise):
    solution = solve(
        decay({k: 0.5}, seen(np.exp(-TIMES) + noise_of(0.05), noise=noise), rate=k), method
    )
    found = solution.unknowns["k"]
    assert found.value == pytest.approx(1.0, abs=0.08)
    assert 0.01 < found.stderr < 0.04
    assert abs(found.value - 1.0) < 4 * found.stderr
    assert list(solution.uncertainty.noise.values()) == pytest.approx([0.05], rel=0.25)
    assert 0.001 < solution.std(u, t=1.0) < 0.05


@BOTH
def test_outliers_with_huber_loss(method):
    values = np.exp(-TIMES) + noise_of(0.005)
    values[::10] += 5.0
    solution = solve(decay({k: 0.5}, seen(values, loss="huber"), rate=k), method)
    found = solution.unknowns["k"]
    assert found.value == pytest.approx(1.0, abs=0.03)
    assert 5e-4 < found.stderr < 0.03
    assert solution.error_estimate.relative < 0.3


@BOTH
def test_data_in_one_window_only(method):
    late = np.linspace(1.5, 2, 10)
    solution = solve(decay({k: 0.5}, seen(np.exp(-late), late), rate=k), method)
    assert solution.unknowns["k"].value == pytest.approx(1.0, abs=1e-5)
    np.testing.assert_allclose(solution(t=TIMES), np.exp(-TIMES), atol=1e-4)


@BOTH
def test_data_on_the_edges_of_windows(method):
    at = np.array([0.0, 2 / 3, 4 / 3, 2.0])
    solution = solve(decay({k: 0.5}, seen(np.exp(-at), at), rate=k), method)
    assert solution.unknowns["k"].value == pytest.approx(1.0, abs=1e-5)


@BOTH
def test_what_the_data_do_not_determine_is_said(method):
    problem = decay({a: 0.5, b: 1.5}, seen(np.exp(-TIMES)), rate=a * b)
    solution = solve(problem, method)
    assert solution.status is Status.UNDETERMINED
    assert "a" in solution.undetermined
    assert np.isinf(solution.unknowns["a"].stderr)
    product = solution.unknowns["a"].value * solution.unknowns["b"].value
    assert product == pytest.approx(1.0, abs=1e-4)


@BOTH
def test_an_unknown_that_appears_in_no_datum(method):
    v = field("v", t)
    problem = Problem(
        Box({t: (0, 2)}),
        [u.diff(t) + u, v.diff(t) + k * v],
        [Condition(u - 1, on={t: 0}), Condition(v - 1, on={t: 0})],
        {k: 0.5},
        seen(np.exp(-TIMES)),
    )
    solution = solve(problem, method, tol=1e-4)
    assert solution.status is Status.UNDETERMINED
    assert "k" in solution.undetermined


@BOTH
def test_an_unknown_of_the_initial_condition(method):
    solution = solve(decay({k: 0.5}, seen(3 * np.exp(-TIMES)), start=k), method)
    assert solution.unknowns["k"].value == pytest.approx(3.0, abs=1e-5)
    np.testing.assert_allclose(solution(t=TIMES), 3 * np.exp(-TIMES), atol=1e-4)


def test_noisy_data_do_not_ask_for_more_nodes():
    """Noise is not a residual that nodes could lower."""
    solution = solve(
        decay(None, seen(np.exp(-TIMES) + noise_of(0.05), noise=0.05)), Auto(max_nodes=60)
    )
    assert solution.status is not Status.NODE_LIMIT


def test_in_time_alone_a_looser_tolerance_takes_no_longer():
    """Windows aim at the default tolerance then; to just meet a looser one would cost more."""
    t = coordinates("t")
    x, y = field("x", t), field("y", t)
    equations = [x.diff(t) - 1.5 * x + x * y, y.diff(t) + 3 * y - x * y]
    ends = [Condition(x - 4, on={t: 0}), Condition(y - 1, on={t: 0})]
    problem = Problem(Box({t: (0, 4)}), equations, ends)
    loose, tight = (solve(problem, tol=tol) for tol in (1e-3, 1e-6))
    assert loose.status.ok
    assert loose.n_nodes <= tight.n_nodes
    assert loose.network.panels.counts == tight.network.panels.counts


def test_an_error_far_above_its_residual_is_met_by_a_smaller_residual():
    """A fourth order amplifies: asking once more for a residual already reached gains nothing."""
    w = field("w", x, t)
    exact = sympy.cos(sympy.pi * x) * sympy.exp(-t) / 2

    def separating(v):
        return v.diff(t) - (v**3 - v).diff(x, 2) + sympy.Rational(1, 50) * v.diff(x, 4)

    walls = [Condition(w.diff(x, order), on={x: end}) for order in (1, 3) for end in (0, 1)]
    problem = Problem(
        Box({x: (0, 1), t: (0, 1)}),
        [separating(w) - separating(exact)],
        [Condition(w - exact, on={t: 0}), *walls],
    )
    solution = solve(problem, tol=1e-6, seed=0)
    assert solution.status.ok
    assert solution.error_estimate.relative <= 1e-6
