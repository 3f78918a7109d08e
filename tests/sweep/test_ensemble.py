"""Ensembles: seeds and data drawn anew, by the machinery of sweeps."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import piscm
from piscm import Box, Condition, Observations, Problem, ensemble
from piscm.baselines import RandomFeatures
from piscm.ensembles import resampled

x = piscm.coordinates("x")
u, rate = piscm.field("u", x), piscm.unknown("rate")
METHOD = RandomFeatures(nodes=12, scale=3.0)
AT = np.linspace(0, 1, 40)


def decay(noise=0.05, **more):
    values = np.exp(-AT) + noise * np.random.default_rng(0).standard_normal(len(AT))
    start = Condition(u - 1, on={x: 0})
    data = Observations(u, points=AT, values=values, **more)
    return Problem(Box({x: (0, 1)}), [u.diff(x) + rate * u], [start], {rate: 0.5}, [data])


def forward():
    return Problem(Box({x: (0, 1)}), [u.diff(x) + u], [Condition(u - 1, on={x: 0})])


def test_seeds():
    table = ensemble(forward(), [3, 5], method=METHOD)
    assert table.sizes == {"seed": 2}
    for seed in (3, 5):
        alone = piscm.solve(forward(), METHOD, seed=seed)
        other = table.solution.sel(seed=seed).item()
        assert np.array_equal(other(x=AT), alone(x=AT))


def test_bootstrap_has_the_spread_of_the_data():
    problem = decay()
    table = ensemble(problem, 40, bootstrap=True, method=METHOD)
    # Least squares for the rate: u = exp(-rate x) has the sensitivity -x exp(-rate x).
    expected = 0.05 / np.linalg.norm(AT * np.exp(-AT))
    assert float(table.rate.std("seed")) == pytest.approx(expected, rel=0.5)
    assert abs(float(table.rate.mean()) - 1) < 4 * expected


def test_data_are_drawn_from_those_there_are():
    problem = decay(noise=0.1)
    one, same, other = (resampled(problem, seed).observations[0] for seed in (1, 1, 2))
    assert np.array_equal(one.values, same.values)
    assert not np.array_equal(one.values, other.values)
    pairs = set(
        zip(problem.observations[0].points[:, 0], problem.observations[0].values, strict=True)
    )
    assert set(zip(one.points[:, 0], one.values, strict=True)) < pairs
    several = decay(noise=0.1)
    each = np.linspace(0.1, 0.2, len(AT))
    several = Problem(
        several.domain,
        several.equations,
        several.conditions,
        {rate: 0.5},
        [Observations(u, points=AT, values=several.observations[0].values, noise=each)],
    )
    drawn = resampled(several, 1).observations[0]
    where = np.searchsorted(AT, drawn.points[:, 0])
    assert np.array_equal(np.asarray(drawn.noise), each[where])


def test_what_is_finished_is_kept(tmp_path, monkeypatch):
    first = ensemble(decay(), 3, bootstrap=True, store=tmp_path, method=METHOD)
    files = sorted(tmp_path.iterdir())
    assert len(files) == 3
    files[0].unlink()
    solved = []
    real = piscm.solver.solve
    monkeypatch.setattr("piscm.solves.solve", lambda *a, **o: solved.append(a) or real(*a, **o))
    with ThreadPoolExecutor(2) as pool:
        again = ensemble(decay(), 4, bootstrap=True, store=tmp_path, method=METHOD, executor=pool)
    assert len(solved) == 2  # the one that was lost, and the new one
    assert np.array_equal(first.rate, again.rate[:3])


def test_mistakes_are_told_before_any_work():
    with pytest.raises(piscm.ProblemError, match="observations"):
        ensemble(forward(), 2, bootstrap=True)
    with pytest.raises(piscm.ProblemError, match="seeds"):
        ensemble(forward(), [1, 1])
    with pytest.raises(piscm.ProblemError, match="seeds"):
        ensemble(forward(), 0)
    with pytest.raises(piscm.ProblemError, match="seeds"):
        ensemble(forward(), 2, seed=3)
    with pytest.raises(piscm.ProblemError, match="Problem"):
        ensemble(3, 2)
    with pytest.raises(piscm.ProblemError, match="executor"):
        ensemble(forward(), 2, executor=3)
