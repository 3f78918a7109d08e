"""Noise that differs from point to point, priors on unknowns, tables matched by name."""

import pickle

import numpy as np
import pytest

import piscm
from piscm import (
    PISC3,
    Auto,
    Box,
    Condition,
    Observations,
    Prior,
    Problem,
    ProblemError,
    Sampling,
    coordinates,
    field,
    solve,
    unknown,
)

x, t = coordinates("x t")
u, w = field("u", x, t), field("w", t)
k = unknown("k")
METHOD = PISC3(max_nodes=14, scale=2.0, candidates=30, selection="orthogonal")


def decay(data, guess=1.0):
    return Problem(
        Box({t: (0, 2)}), [w.diff(t) + k * w], [Condition(w - 1, on={t: 0})], {k: guess}, data
    )


def found(problem, method=METHOD):
    return solve(problem, method, sampling=Sampling(80, 5), max_seconds=100).unknowns["k"]


def measured(noise, seed=0, count=60):
    at = np.linspace(0.05, 2, count)
    sigma = np.broadcast_to(noise, at.shape)
    return at, np.exp(-1.5 * at) + sigma * np.random.default_rng(seed).normal(size=count)


def expected(at, values, sigma, prior=None):
    """Weighted least squares for k by Gauss-Newton on the exact solution."""
    rate = 1.5
    for _ in range(30):
        slope, miss = -at * np.exp(-rate * at) / sigma, (values - np.exp(-rate * at)) / sigma
        precision, right = slope @ slope, slope @ miss
        if prior is not None:
            precision += prior.std**-2
            right += (prior.mean - rate) / prior.std**2
        rate += right / precision
    return rate, precision**-0.5


def test_noise_by_point_is_weighted_least_squares():
    sigma = np.where(np.arange(60) % 3 == 0, 0.003, 0.1)
    at, values = measured(sigma)
    value, stderr = expected(at, values, sigma)
    one = found(decay([Observations(w, at, values, noise=sigma)]))
    assert one.value == pytest.approx(value, abs=0.1 * stderr)
    assert one.stderr == pytest.approx(stderr, rel=0.1)
    # Two sets of known noise are the same thing.
    low = sigma < 0.01
    sets = [Observations(w, at[own], values[own], noise=sigma[own][0]) for own in (low, ~low)]
    two = found(decay(sets))
    assert two.value == pytest.approx(one.value, abs=0.05 * stderr)
    assert two.stderr == pytest.approx(one.stderr, rel=0.05)


@pytest.mark.parametrize("std", [0.02, 0.2])
def test_a_prior_is_combined_with_the_data_by_precision(std):
    at, values = measured(0.05, count=30)
    prior = Prior(1.45, std)
    value, stderr = expected(at, values, 0.05, prior)
    one = found(decay([Observations(w, at, values, noise=0.05)], prior))
    assert one.value == pytest.approx(value, abs=0.15 * stderr)
    assert one.stderr == pytest.approx(stderr, rel=0.15)


def test_a_prior_with_auto():
    at, values = measured(0.05, count=30)
    prior = Prior(1.45, 0.05, guess=2.0, low=0.1)
    value, stderr = expected(at, values, 0.05, prior)
    one = found(decay([Observations(w, at, values, noise=0.05)], prior), Auto(tolerance=1e-3))
    assert one.value == pytest.approx(value, abs=0.2 * stderr)
    assert one.stderr == pytest.approx(stderr, rel=0.2)


ELSEWHERE = {
    "along time": (Box({t: (0, 2)}), w, w.diff(t) + w - k, {t: 0}, 2.0),
    "in no direction": (
        Box({x: (0, 1)}),
        field("v", x),
        field("v", x).diff(x, 2) + k,
        "boundary",
        1,
    ),
}


@pytest.mark.parametrize(
    ("method", "apart"), [(None, 5), (METHOD, 2), (METHOD, 5)], ids=["auto", "near", "far"]
)
@pytest.mark.parametrize("name", ELSEWHERE)
def test_a_prior_that_contradicts_the_data_leaves_the_equation_alone(name, method, apart):
    domain, state, equation, place, end = ELSEWHERE[name]
    at = np.linspace(0.05, 0.95, 25) * end
    # The state is proportional to k, so the posterior is Gaussian.
    slope = 1 - np.exp(-at) if end == 2 else at * (1 - at) / 2
    values, sigma = 2 * slope + 0.02 * np.random.default_rng(3).normal(size=25), 0.02
    precision = slope @ slope / sigma**2
    std, likely = precision**-0.5, slope @ values / sigma**2 / precision
    prior = Prior(likely - apart * std, std)
    data = [Observations(state, at, values, noise=sigma)]
    problem = Problem(domain, [equation], [Condition(state, on=place)], {k: prior}, data)
    one = found(problem, method)
    stderr = (2 * precision) ** -0.5
    assert one.value == pytest.approx((likely + prior.mean) / 2, abs=0.01 * stderr)
    assert one.stderr == pytest.approx(stderr, rel=0.01)


def test_a_prior_without_conditions_leaves_the_field_to_the_data():
    v, at = field("v", x), np.linspace(0, 1, 21)
    problem = Problem(
        Box({x: (0, 1)}),
        [v.diff(x, 2) + k],
        [],
        {k: Prior(1.0, 0.5)},
        [Observations(v, at, 3 * at - at**2, noise=1e-3)],
    )
    solution = solve(problem, Auto(tolerance=1e-2, max_nodes=40), max_seconds=100)
    assert solution.unknowns["k"].value == pytest.approx(2, abs=0.1)
    assert float(solution(x=0.5)) == pytest.approx(1.25, abs=1e-2)


def test_they_are_saved_pickled_and_written(tmp_path):
    sigma = np.linspace(0.01, 0.02, 60)
    at, values = measured(sigma)
    problem = decay([Observations(w, at, values, noise=sigma)], Prior(1.2, 0.5, low=0))
    solution = solve(problem, PISC3(max_nodes=4, scale=2.0), sampling=Sampling(30, 5))
    assert [block.name for block in solution.block_residuals][-1] == "prior of k"
    solution.save(tmp_path / "s.npz")
    for again in (piscm.load(tmp_path / "s.npz"), pickle.loads(pickle.dumps(solution))):
        np.testing.assert_array_equal(again.problem.observations[0].noise, sigma)
        assert repr(again.problem.priors[0]) == repr(problem.priors[0]) == "k = 1.2 ± 0.5"
        assert again.unknowns["k"] == solution.unknowns["k"]
    problem.to_toml(tmp_path / "p.toml")
    again = Problem.from_file(tmp_path / "p.toml")
    np.testing.assert_array_equal(again.observations[0].noise, sigma)
    assert again.priors[0].prior.std == 0.5
    assert problem.with_observations([]).priors[0].prior.mean == 1.2


def test_wrong_noise_and_priors_are_told(refused):
    at, values = measured(0.1, count=5)
    refused(lambda: Observations(w, at, values, noise=np.ones(4)), "shape (4,)")
    refused(lambda: Observations(w, at, values, noise=[1, 1, 1, 1, 0]), "noise")
    refused(lambda: Observations(w, at, values, noise="sigma"), "no table")
    refused(lambda: Prior(1.0, 0.0), "std of a prior")
    refused(lambda: Prior("a", 1.0), "mean of a prior")
    refused(lambda: decay([Observations(w, at, values)], Prior(1.0, 1.0, low=2.0)), "bounds")


# --- tables -------------------------------------------------------------------------------------


def domain_problem(data):
    return Problem(Box({x: (0, 1), t: (0, 5)}), [u.diff(t) - u.diff(x)], [], None, [data])


def test_columns_are_matched_by_name_whatever_their_order(refused):
    import pandas

    frame = pandas.DataFrame(
        {"label": ["a", "b"], "u": [1.0, 2.0], "t": [3.0, 4.0], "x": [0.1, 0.2], "s": [0.1, 0.3]}
    )
    wanted = [[0.1, 3.0], [0.2, 4.0]]
    for data in (
        Observations(u, points=frame, values="u", noise="s"),
        Observations(u, points=frame[["t", "x"]], values=frame["u"], noise=frame["s"]),
        Observations(
            u, points={t: [3.0, 4.0], "x": [0.1, 0.2]}, values=[1.0, 2.0], noise=[0.1, 0.3]
        ),
        Observations(u, points=frame[["t", "x"]].to_records(index=False), values=[1.0, 2.0]),
    ):
        problem = domain_problem(data)
        np.testing.assert_array_equal(problem.observations[0].points, wanted)
        np.testing.assert_array_equal(problem.observations[0].values, [1.0, 2.0])
    # The order of the domain counts, not that of the field.
    other = Problem(Box({t: (0, 5), x: (0, 1)}), [u.diff(t) - u.diff(x)], [], None, [data])
    np.testing.assert_array_equal(other.observations[0].points, np.array(wanted)[:, ::-1])
    refused(
        lambda: Observations(u, points=frame.rename(columns={"t": "time"}), values="u"),
        "no column 't'",
    )
    refused(lambda: Observations(u, points=frame, values="U"), "did you mean 'u'")
    shuffled = frame["u"].iloc[::-1]
    with pytest.raises(ProblemError, match="index differs"):
        Observations(u, points=frame, values=shuffled)
