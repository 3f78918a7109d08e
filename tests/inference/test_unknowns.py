"""Unknown parameters: bounds, error bars, what cannot be known, outliers."""

import numpy as np
import pytest
import sympy
from builders import decay_of
from medians import medians_hold

from piscm import (
    PISC1,
    PISC2,
    PISC3,
    Box,
    Condition,
    Disk,
    Observations,
    Problem,
    ProblemError,
    Sampling,
    Status,
    coordinates,
    field,
    load,
    solve,
    unknown,
)

x = coordinates("x")
u = field("u", x)
k, c = unknown("k"), unknown("c")
METHOD = PISC3(max_nodes=40, selection="orthogonal", candidates=60)
SAMPLING = Sampling(interior=100)
PLACES = np.linspace(0.05, 2, 30)


def decay(guess=0.5, noise=0.0, seed=0, **options):
    """u' = -k u from observations of u."""
    values = np.exp(-1.5 * PLACES) + noise * np.random.default_rng(seed).normal(size=len(PLACES))
    return decay_of(u, {k: guess}, [Observations(u, PLACES, values, **options)], rate=k)


def run(problem, method=METHOD, **options):
    return solve(problem, method, sampling=SAMPLING, **options)


@pytest.mark.parametrize("method", [PISC1, PISC2, PISC3])
def test_every_algorithm_finds_the_rate(method):
    solution = run(decay(), method(max_nodes=60, scale=2.0))
    assert solution.unknowns["k"].value == pytest.approx(1.5, abs=0.3 if method is PISC1 else 1e-4)


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
def test_the_unit_of_an_unknown_does_not_matter(unit):
    problem = Problem(
        Box({x: (0, 2)}),
        [u.diff(x, 2) + c * 1e9 * u.diff(x) + k / unit * u],
        [Condition(u - 1, on={x: 0}), Condition(u.diff(x), on={x: 0})],
        {k: 0.5 * unit, c: 1e-10},
        [Observations(u, PLACES, _oscillation(PLACES))],
    )
    solution = run(problem)
    assert solution.unknowns["k"].value / unit == pytest.approx(4.0, rel=1e-5)
    assert solution.unknowns["c"].value * 1e9 == pytest.approx(0.5, rel=1e-5)


def _oscillation(t):
    rate = np.sqrt(4 - 0.0625)
    return np.exp(-0.25 * t) * (np.cos(rate * t) + 0.25 / rate * np.sin(rate * t))


def test_an_unknown_in_a_condition_and_in_the_observed_expression():
    problem = Problem(
        Box({x: (0, 2)}),
        [u.diff(x) + u],
        [Condition(u - k, on={x: 0})],
        {k: 1.0, c: 1.0},
        [
            Observations(u, PLACES, 3 * np.exp(-PLACES)),
            Observations(c * u, [0.5], [6 * np.exp(-0.5)]),
        ],
    )
    solution = run(problem)
    assert solution.unknowns["k"].value == pytest.approx(3, abs=1e-6)
    assert solution.unknowns["c"].value == pytest.approx(2, abs=1e-5)


def test_bounds_hold_at_every_step():
    """The equation is not finite outside: a step there would show."""
    p = unknown("p", positive=True)
    problem = Problem(
        Box({x: (0, 2)}),
        [u.diff(x) + sympy.sqrt(p) * u],
        [Condition(u - 1, on={x: 0})],
        {p: 1e-3},
        [Observations(u, PLACES, np.exp(-1.5 * PLACES))],
    )
    assert run(problem).unknowns["p"].value == pytest.approx(2.25, abs=1e-3)


def test_an_interval_that_keeps_the_truth_out():
    solution = run(decay(guess=(0.5, 0.0, 1.0)))
    assert solution.unknowns["k"].value == pytest.approx(1.0)


def test_bad_bounds_are_told():
    for bad in [(0.5, 1.0, 2.0), (0.5, 1.0, 0.0), (0.5, 1.0), (0.5, float("nan"), 1.0)]:
        with pytest.raises(ProblemError, match="k"):
            decay(guess=bad)
    with pytest.raises(ProblemError, match="positive"):
        Problem(
            Box({x: (0, 1)}),
            [u.diff(x) + unknown("q", positive=True)],
            [Condition(u, on={x: 0})],
            {unknown("q", positive=True): -1.0},
        )


def test_standard_error_by_hand():
    """With the equation met exactly, this is nonlinear regression on exp(-k x)."""
    sigma = 0.01
    found = run(decay(noise=sigma)).unknowns["k"]
    slope = PLACES * np.exp(-1.5 * PLACES)
    expected = sigma / np.linalg.norm(slope)
    assert found.stderr == pytest.approx(expected, rel=0.4)
    assert abs(found.value - 1.5) < 4 * expected


def test_known_noise_sets_the_error():
    small = run(_with_noise(0.01)).unknowns["k"].stderr
    large = run(_with_noise(0.1)).unknowns["k"].stderr
    assert large == pytest.approx(10 * small, rel=0.3)


def _with_noise(noise):
    values = np.exp(-1.5 * PLACES)
    problem = decay()
    return Problem(
        problem.domain,
        problem.equations,
        problem.conditions,
        problem.unknowns,
        [Observations(u, PLACES, values, noise=noise)],
    )


def test_error_bar_of_the_state():
    solution = run(decay(noise=0.02))
    bars = solution.std(x=PLACES)
    assert bars.shape == PLACES.shape
    expected = PLACES * np.exp(-1.5 * PLACES) * solution.unknowns["k"].stderr
    np.testing.assert_allclose(bars[3:], expected[3:], rtol=0.3)
    assert solution.std(k * u, x=1.0) > 0


def test_error_bars_travel_with_the_file(tmp_path):
    solution = run(decay(noise=0.02))
    solution.save(tmp_path / "decay.npz")
    loaded = load(tmp_path / "decay.npz")
    assert loaded.unknowns == solution.unknowns
    np.testing.assert_allclose(loaded.std(x=PLACES), solution.std(x=PLACES))


def test_no_error_bars_without_data():
    problem = Problem(Box({x: (0, 1)}), [u.diff(x) + u], [Condition(u - 1, on={x: 0})])
    with pytest.raises(ProblemError, match="observations"):
        run(problem).std(x=0.5)


@pytest.mark.parametrize(
    ("expression", "text"),
    [(k * c, "k*c"), (k / c, "k/c"), (k + c, "k + c"), (k - c, "k - c")],
)
def test_only_a_combination_is_determined(expression, text):
    problem = Problem(
        Box({x: (0, 2)}),
        [u.diff(x) + expression * u],
        [Condition(u - 1, on={x: 0})],
        {k: 2.0, c: 0.5},
        [Observations(u, PLACES, np.exp(-1.5 * PLACES))],
    )
    solution = run(problem)
    assert solution.status is Status.UNDETERMINED
    names, _, combination = solution.undetermined.partition(" (only their combination ")
    assert sorted(names.removeprefix("not determined by these data: ").split(", ")) == ["c", "k"]
    assert sorted(combination.rstrip(")")) == sorted(text)
    assert np.isinf(solution.unknowns["k"].stderr)
    assert "not determined" in repr(solution)


def test_an_unknown_that_no_data_touch():
    """v has an equation of its own with c in it, and nobody looks at v."""
    v = field("v", x)
    problem = Problem(
        Box({x: (0, 2)}),
        [u.diff(x) + k * u, v.diff(x) + c * v],
        [Condition(u - 1, on={x: 0}), Condition(v - 1, on={x: 0})],
        {k: 0.5, c: 0.5},
        [Observations(u, PLACES, np.exp(-1.5 * PLACES))],
    )
    solution = run(problem)
    assert solution.status is Status.UNDETERMINED
    assert solution.undetermined == "not determined by these data: c"
    assert solution.unknowns["k"].value == pytest.approx(1.5, abs=1e-4)
    assert np.isfinite(solution.unknowns["k"].stderr)


def test_outliers_do_not_pull_with_the_robust_loss():
    rng = np.random.default_rng(1)
    values = np.exp(-1.5 * PLACES) + 0.01 * rng.normal(size=len(PLACES))
    values[[4, 9, 15]] += 1.0

    def error(loss):
        base = decay()
        data = [Observations(u, PLACES, values, loss=loss)]
        problem = Problem(base.domain, base.equations, base.conditions, base.unknowns, data)
        return abs(run(problem).unknowns["k"].value - 1.5)

    assert error("huber") < 0.03 < error("square")


def test_noise_degrades_the_estimate_gracefully():
    bars = {0.0: 1e-6, 0.01: 0.02, 0.05: 0.1, 0.1: 0.2}

    def measured(seed):
        found = {noise: run(decay(noise=noise, seed=seed)).unknowns["k"].value for noise in bars}
        return [(abs(found[noise] - 1.5), bar) for noise, bar in bars.items()]

    assert medians_hold(measured, seeds=7)


def test_correlation_is_symmetric_with_ones():
    problem = Problem(
        Box({x: (0, 2)}),
        [u.diff(x, 2) + c * u.diff(x) + k * u],
        [Condition(u - 1, on={x: 0}), Condition(u.diff(x), on={x: 0})],
        {k: 2.0, c: 0.1},
        [Observations(u, PLACES, _oscillation(PLACES) + 0.01 * np.sin(37 * PLACES))],
    )
    correlation = run(problem).correlation
    np.testing.assert_allclose(np.diag(correlation), 1.0)
    np.testing.assert_allclose(correlation, correlation.T)
    assert abs(correlation[0, 1]) < 1


def test_a_condition_at_one_point_tells_an_unknown():
    y = coordinates("y")
    mode, lam = field("mode", x, y), unknown("lam")
    disk = Disk({x: 0, y: 0}, 1)

    def found(equation, at, guess):
        conditions = [Condition(mode, on="boundary"), at]
        return solve(Problem(disk, [equation], conditions, unknowns={lam: guess}), max_seconds=20)

    laplace = mode.diff(x, 2) + mode.diff(y, 2)
    drum = found(laplace + lam * mode, Condition(mode - 1, on={x: 0, y: 0}), 5.0)
    assert drum.status.ok
    assert drum.unknowns["lam"].value == pytest.approx(2.404825557695773**2, rel=1e-6)
    assert np.isfinite(drum.unknowns["lam"].stderr)
    load = found(laplace + lam, Condition(mode - 1, on={x: 0, y: 0}), 1.0)
    assert load.status.ok
    assert load.unknowns["lam"].value == pytest.approx(4)
    # On the rim the field is known already.
    assert found(laplace + lam, Condition(mode, on={x: 1, y: 0}), 1.0).status is Status.UNDETERMINED
