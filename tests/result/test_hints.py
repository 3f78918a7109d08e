"""What a status says to try: tried."""

from dataclasses import replace

import numpy as np
import pytest
import sympy
from scipy.optimize import curve_fit

from piscm import (
    PISC3,
    Box,
    Condition,
    Observations,
    Problem,
    ProblemError,
    Sampling,
    coordinates,
    field,
    solve,
    unknown,
)
from piscm.baselines import RandomFeatures
from piscm.problem.errors import IllPosedWarning
from piscm.result.status import Status

x, t = coordinates("x t")
u, s = field("u", x), field("s", t)
k = unknown("k")
LINE = Box({x: (0, 1)})
ENDS = Condition(u, on="boundary")
BEND = Problem(LINE, [u.diff(x, 2) + 1], [ENDS])
WAVES = Problem(LINE, [u.diff(x, 2) + 400 * u - 400], [ENDS])
WHERE = np.linspace(0.05, 0.95, 30)[:, None]


def grown(nodes):
    return PISC3(selection="orthogonal", candidates=50, max_nodes=nodes)


def seen(problem_values, noise=0.0):
    values = problem_values + noise * np.random.default_rng(0).standard_normal(len(WHERE))
    return [Observations(u, points=WHERE, values=values)]


def parabola_with(unknown_guess, noise):
    data = seen(WHERE[:, 0] * (1 - WHERE[:, 0]) / 2, noise)
    equation = k * u.diff(x, 2) + 1
    return Problem(LINE, [equation], [ENDS], unknowns={k: unknown_guess}, observations=data)


def test_more_nodes():
    assert solve(WAVES, grown(8), tol=1e-5).status is Status.NODE_LIMIT
    assert solve(WAVES, grown(80), tol=1e-5).status.ok


def test_more_seconds():
    assert solve(WAVES, max_seconds=0.02).status is Status.TIME_LIMIT
    assert solve(WAVES, max_seconds=600).status.ok


def test_more_memory():
    with pytest.raises(ProblemError, match="raise max_memory"):
        solve(WAVES, grown(80), sampling=Sampling(20_000, 10), max_memory=2e6)
    assert solve(
        WAVES, grown(80), tol=1e-5, sampling=Sampling(20_000, 10), max_memory=1e9
    ).status.ok


def test_a_better_first_guess():
    times = np.linspace(0, 5, 40)[:, None]

    def oscillator(guess):
        return Problem(
            Box({t: (0, 5)}),
            [s.diff(t, 2) + k * s],
            [Condition(s - 1, on={t: 0}), Condition(s.diff(t), on={t: 0})],
            unknowns={k: guess},
            observations=[Observations(s, points=times, values=np.cos(5 * times[:, 0]))],
        )

    assert not solve(oscillator(1.0), grown(40), tol=1e-4).status.ok
    better = solve(oscillator(20.0), tol=1e-4)
    assert better.status.ok
    assert better.unknowns["k"].value == pytest.approx(25, rel=1e-3)


def test_contradictory_conditions():
    both = [ENDS, Condition(u - 1, on={x: 0})]
    stalled = solve(Problem(LINE, [u.diff(x, 2) + 1], both), grown(40), tol=1e-6)
    # Where the last bits still fall, which they do on some machines, growth does not end earlier.
    assert stalled.status in (Status.STALLED, Status.NODE_LIMIT)
    assert stalled.error_estimate.relative > 0.1
    assert solve(BEND, grown(40), tol=1e-6).status.ok


def test_starting_elsewhere():
    singular = Problem(LINE, [u.diff(x, 2) - sympy.log(u)], [Condition(u - 2, on="boundary")])
    with pytest.raises(ProblemError, match="Start elsewhere"):
        solve(singular)
    assert solve(singular, initial={u: 2}).status.ok
    trivial = Problem(LINE, [u.diff(x, 2) + 6 * u**2], [ENDS])
    assert solve(trivial).status is Status.SOLVED_AT_START
    other = solve(trivial, initial={u: 12 * x * (1 - x)}, tol=1e-4)
    assert other.status.ok
    assert float(other(x=0.5)) > 1


def test_the_condition_that_is_missing():
    with pytest.warns(IllPosedWarning, match="order 2 in x"):
        free = solve(Problem(LINE, [u.diff(x, 2) + 1], [Condition(u, on={x: 0})]), tol=1e-4)
    assert free.status is Status.UNDETERMINED
    assert free.error_estimate.relative == np.inf
    assert "not determined: u" in str(free)
    assert "on={x: 0}" in str(free)
    assert solve(BEND, tol=1e-4).status.ok


def test_a_combination_instead_of_both():
    a, b = unknown("a"), unknown("b")
    data = seen(WHERE[:, 0] * (1 - WHERE[:, 0]) / 2)
    both = Problem(
        LINE, [u.diff(x, 2) + a * b], [ENDS], unknowns={a: 0.5, b: 0.5}, observations=data
    )
    found = solve(both, tol=1e-4)
    assert found.status is Status.UNDETERMINED
    assert "a*b" in found.undetermined
    one = Problem(LINE, [u.diff(x, 2) + k], [ENDS], unknowns={k: 0.5}, observations=data)
    assert solve(one, tol=1e-4).status.ok


def test_a_tolerance_above_the_noise():
    noisy = parabola_with(0.5, 1e-3)
    first = solve(noisy, tol=1e-5)
    assert first.status in (Status.NOISY, Status.INACCURATE)
    assert first.error_estimate.from_noise > 1e-4
    assert solve(noisy, tol=1e-2).status.ok


def test_a_condition_that_noisy_data_stood_in_for():
    start = unknown("start")
    hours = np.linspace(0.05, 2, 40)
    dose = 2 * np.exp(-1.3 * hours) + 0.02 * np.random.default_rng(0).standard_normal(40)
    decay = {
        "domain": Box({t: (0, 2)}),
        "equations": [s.diff(t) + k * s],
        "observations": [Observations(s, hours, dose)],
    }
    without = Problem(conditions=[], unknowns={k: 1}, **decay)
    assert solve(without, tol=0.1).status is Status.BENT
    given = [Condition(s - start, on={t: 0})]
    known = solve(Problem(conditions=given, unknowns={k: 1, start: 1}, **decay), tol=0.1)
    assert known.status.ok
    best, _ = curve_fit(lambda at, k, start: start * np.exp(-k * at), hours, dose, (1, 1))
    np.testing.assert_allclose([own.value for own in known.unknowns.values()], best, rtol=1e-6)


def test_more_points():
    bump = sympy.exp(-(((x - 0.3) / 0.01) ** 2))
    narrow = Problem(LINE, [u.diff(x, 2) + bump], [ENDS])
    method = replace(grown(100), activation="gaussian")
    few = solve(narrow, method, tol=1e-4, sampling=Sampling(10, 2))
    assert few.status is Status.UNSEEN
    assert "between the points: equation" in str(few)
    many = solve(narrow, method, tol=1e-4, sampling=Sampling(2000, 2))
    assert many.status is not Status.UNSEEN
    assert many.error_estimate.relative < 0.01 * few.error_estimate.relative


def test_more_iterations():
    curved = Problem(LINE, [u.diff(x, 2) + sympy.exp(u) - 1], [Condition(u - 1, on="boundary")])
    once = solve(curved, RandomFeatures(nodes=20, scale=5.0, max_iterations=1))
    assert once.status is Status.ITERATION_LIMIT
    more = solve(curved, RandomFeatures(nodes=20, scale=5.0))
    assert more.status is Status.SETTLED
    assert more.fitted_residual < once.fitted_residual
    assert not more.status.ok  # no tolerance was asked for
    assert not more.status.failed


def test_a_smaller_tolerance():
    growth = Problem(Box({t: (0, 8)}), [s.diff(t) - s], [Condition(s - 1, on={t: 0})])
    method = PISC3(selection="orthogonal", candidates=50, block=1, max_nodes=60)
    loose = solve(growth, method, tol=0.3)
    missed = loose.error_estimate.relative / 0.3
    assert loose.status is Status.INACCURATE
    assert 1 < missed < np.inf
    assert solve(growth, method, tol=0.3 / (3 * missed)).status.ok
