"""Sweeps: the table, warm starts, what is kept on disk."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import piscm
from piscm import Box, Condition, Problem, sweep
from piscm.baselines import RandomFeatures

x = piscm.coordinates("x")
u = piscm.field("u", x)
METHOD = RandomFeatures(nodes=12, scale=3.0)


def decay(rate, power=1):
    start = Condition(u - 1, on={x: 0})
    return Problem(Box({x: (0, 1)}), [u.diff(x) + rate * u**power], [start])


def test_table_of_two_parameters():
    table = sweep(decay, {"power": [1, 2], "rate": [0.5, 1.0, 2.0]}, tol=1e-6)
    assert table.sizes == {"power": 2, "rate": 3}
    assert bool(table.ok.all())
    assert table.error.max() <= 1e-6
    solution = table.solution.sel(power=2, rate=2.0).item()
    assert float(solution(x=1.0)) == pytest.approx(1 / 3, abs=1e-6)


def test_the_same_bits_whoever_solves():
    values = {"rate": [0.5, 1.0, 2.0]}
    alone = sweep(lambda rate: decay(rate, 2), values, tol=1e-4)
    with ThreadPoolExecutor(3) as pool:
        together = sweep(lambda rate: decay(rate, 2), values, tol=1e-4, executor=pool)
    for one, other in zip(alone.solution.values, together.solution.values, strict=True):
        assert np.array_equal(one.network.weights, other.network.weights)


def test_solves_begin_with_their_nearest_neighbor(monkeypatch):
    begun = {}
    real = piscm.solver.solve

    def solve(problem, **options):
        rate = float(problem.equations[0].coeff(u**2))
        begun[rate] = options.pop("initial", None)
        return real(problem, **options)

    monkeypatch.setattr("piscm.sweeping.solve", solve)
    values = {"rate": [2.0, 0.5, 1.5, 1.0, 0.75]}
    table = sweep(lambda rate: decay(rate, 2), values, tol=1e-4)
    nearest = {2.0: None, 1.5: 2.0, 1.0: 1.5, 0.75: 1.0, 0.5: None}  # the fifth begins anew
    for rate, neighbor in nearest.items():
        expected = None if neighbor is None else table.solution.sel(rate=neighbor).item()
        assert begun[rate] is expected


def test_finished_solves_are_not_repeated(tmp_path, monkeypatch):
    values = {"rate": [0.5, 1.0]}
    first = sweep(decay, values, store=tmp_path, method=METHOD)
    files = sorted(tmp_path.iterdir())
    assert len(files) == 2
    files[0].unlink()
    solved = []
    real = piscm.solver.solve
    monkeypatch.setattr("piscm.sweeping.solve", lambda *a, **o: solved.append(a) or real(*a, **o))
    again = sweep(decay, {"rate": [0.5, 1.0, 3.0]}, store=tmp_path, method=METHOD)
    assert len(solved) == 2  # the one that was lost, and the new one
    for rate in (0.5, 1.0):
        one, other = (table.solution.sel(rate=rate).item() for table in (first, again))
        assert np.array_equal(one(x=np.linspace(0, 1, 9)), other(x=np.linspace(0, 1, 9)))
    sweep(decay, values, store=tmp_path, method=METHOD, seed=1)  # other options, other files
    assert len(list(tmp_path.iterdir())) == 5


def test_a_lost_worker_is_replaced(tmp_path):
    class Losing(ThreadPoolExecutor):
        lost = 0

        def submit(self, function, /, *arguments):
            if not self.lost:
                self.lost += 1
                return super().submit(lambda: 1 / 0)
            return super().submit(function, *arguments)

    with Losing(2) as pool:
        table = sweep(decay, {"rate": [0.5, 1.0]}, executor=pool, method=METHOD)
    assert pool.lost == 1
    assert table.solution.notnull().all()


def test_mistakes_are_told_before_any_work():
    with pytest.raises(piscm.ProblemError, match="values"):
        sweep(decay, {})
    with pytest.raises(piscm.ProblemError, match="rate"):
        sweep(decay, {"rate": [1.0, 1.0]})
    with pytest.raises(piscm.ProblemError, match="Problem"):
        sweep(lambda rate: rate, {"rate": [1.0]})
    with pytest.raises(piscm.ProblemError, match="executor"):
        sweep(decay, {"rate": [1.0]}, executor=3)
