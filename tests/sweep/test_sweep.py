"""Sweeps: the table, warm starts, what is kept on disk."""

import os
import signal
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, wait
from multiprocessing import get_context

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

    monkeypatch.setattr("piscm.solves.solve", solve)
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
    monkeypatch.setattr("piscm.solves.solve", lambda *a, **o: solved.append(a) or real(*a, **o))
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


@pytest.fixture
def solves(monkeypatch):
    """The rates that were solved."""
    asked = []
    real = piscm.solver.solve

    def solve(problem, **options):
        asked.append(float(problem.equations[0].coeff(u)))
        return real(problem, **options)

    monkeypatch.setattr("piscm.solves.solve", solve)
    return asked


@pytest.mark.parametrize("name", ["ok", "error", "solution", "seconds"])
def test_names_of_columns_are_refused(solves, name):
    with pytest.raises(piscm.ProblemError, match=f"two columns {name}"):
        sweep(lambda **own: decay(own[name]), {name: [1.0]}, method=METHOD)

    def unknown_called(name):
        rate = piscm.unknown(name)
        start = Condition(u - 1, on={x: 0})
        return Problem(Box({x: (0, 1)}), [u.diff(x) + rate * u], [start], {rate: 0.5})

    with pytest.raises(piscm.ProblemError, match=f"two columns {name}"):
        sweep(lambda rate: unknown_called(name), {"rate": [1.0]}, method=METHOD)
    with pytest.raises(piscm.ProblemError, match="two columns rate"):
        sweep(lambda rate: unknown_called("rate"), {"rate": [1.0]}, method=METHOD)
    with pytest.raises(piscm.ProblemError, match="same unknowns"):
        sweep(lambda rate: unknown_called(f"k{rate}"), {"rate": [1, 2]}, method=METHOD)
    assert not solves


@pytest.mark.parametrize(
    "values", [[[1.0, 2.0], [3.0]], [[1.0]], (own for own in [1.0]), [np.nan], ["1"], [None], {}]
)
def test_values_that_are_no_list_of_numbers_are_refused(values):
    with pytest.raises(piscm.ProblemError, match="rate"):
        sweep(decay, {"rate": values}, method=METHOD)


def test_values_given_twice_are_told_as_they_were_written():
    with pytest.raises(piscm.ProblemError, match=r"\[3.0, 3.0\]"):
        sweep(decay, {"rate": np.array([3.0, 3.0])}, method=METHOD)


def test_more_mistakes_are_told_before_any_work(solves, tmp_path):
    with pytest.raises(piscm.ProblemError, match="speed"):
        sweep(decay, {"speed": [1.0]}, method=METHOD)
    with pytest.raises(piscm.ProblemError, match="warm"):
        sweep(decay, {"rate": [1.0]}, warm=True, method=piscm.Patches(2))
    file = tmp_path / "file"
    file.write_text("")
    for store in (file, file / "folder"):
        with pytest.raises(piscm.ProblemError, match="folder"):
            sweep(decay, {"rate": [1.0]}, store=store, method=METHOD)
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    with pytest.raises(piscm.ProblemError, match="shut down"):
        sweep(decay, {"rate": [1.0]}, executor=pool, method=METHOD)
    assert not solves


def test_a_damaged_file_is_solved_anew(solves, tmp_path):
    first = sweep(decay, {"rate": [0.5, 1.0]}, store=tmp_path, method=METHOD)
    damaged = sorted(tmp_path.iterdir())[0]
    damaged.write_bytes(damaged.read_bytes()[:100])
    del solves[:]
    again = sweep(decay, {"rate": [0.5, 1.0]}, store=tmp_path, method=METHOD)
    assert len(solves) == 1
    for one, other in zip(first.solution.values, again.solution.values, strict=True):
        assert np.array_equal(one.network.weights, other.network.weights)
    piscm.load(damaged)


def test_a_solve_out_of_time_is_kept_as_it_ended(solves, tmp_path):
    options = {"store": tmp_path, "tol": 1e-12, "max_seconds": 1e-9}
    for _ in range(2):
        table = sweep(decay, {"rate": [0.5]}, **options)
        assert table.status.item() == "time_limit"
    assert len(solves) == 1
    sweep(decay, {"rate": [0.5]}, **{**options, "max_seconds": 2e-9})  # another question
    assert len(solves) == 2


def test_who_works_elsewhere_finds_the_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    with ProcessPoolExecutor(1, get_context("forkserver"), os.chdir, (elsewhere,)) as pool:
        sweep(decay, {"rate": [0.5]}, store="runs", executor=pool, method=METHOD)
    assert len(list((tmp_path / "runs").iterdir())) == 1


def test_who_does_not_see_the_folder_hands_the_solution_back(solves, tmp_path):
    store, hidden = tmp_path / "store", tmp_path / "hidden"

    class Blind(ThreadPoolExecutor):
        def submit(self, function, /, *arguments):
            store.rename(hidden)
            done = super().submit(function, *arguments)
            wait([done])
            hidden.rename(store)
            return done

    for _ in range(2):
        with Blind(1) as pool:
            sweep(decay, {"rate": [0.5, 1.0]}, store=store, executor=pool, method=METHOD)
    assert len(list(store.iterdir())) == 2
    assert len(solves) == 2


def test_a_killed_process_ends_a_sweep_and_the_next_goes_on(tmp_path):
    options = {"store": tmp_path, "method": METHOD}
    sweep(decay, {"rate": [0.5]}, **options)
    with ProcessPoolExecutor(1, get_context("forkserver")) as pool:
        os.kill(pool.submit(os.getpid).result(), signal.SIGKILL)
        with pytest.raises(piscm.ProblemError, match="new one"):
            sweep(decay, {"rate": [0.5, 1.0]}, executor=pool, **options)
    table = sweep(decay, {"rate": [0.5, 1.0]}, **options)
    assert table.solution.notnull().all()
