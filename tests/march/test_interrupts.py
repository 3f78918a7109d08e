"""Ctrl-C at any moment: the best so far, or one clear line before there is any."""

import random
import signal
import time

import numpy as np
import pytest
import sympy

import piscm.budget.clock as clock
from piscm import (
    PISC3,
    Auto,
    Box,
    Condition,
    Observations,
    Problem,
    Sampling,
    Status,
    Windows,
    coordinates,
    field,
    load,
    solve,
    unknown,
)
from piscm.fit import slabs

x, t = coordinates("x t")
u = field("u", t)
v = field("v", x, t)
k = unknown("k")
TIMES = np.linspace(0.2, 6, 30)
NOISE = 0.01 * np.random.default_rng(0).normal(size=30)
SMALL = PISC3(selection="orthogonal", max_nodes=30, candidates=40)
NOISY = Problem(
    Box({t: (0, 6)}),
    [u.diff(t, 2) + u.diff(t) / 2 + k * u],
    [Condition(u - 1, on={t: 0}), Condition(u.diff(t), on={t: 0})],
    {k: 3.0},
    [Observations(u, TIMES, np.exp(-0.25 * TIMES) * np.cos(2 * TIMES) + NOISE, loss="huber")],
)
BURGERS = Problem(
    Box({x: (-1, 1), t: (0, 1)}),
    [v.diff(t) + v * v.diff(x) - v.diff(x, 2) / 20],
    [Condition(v + sympy.sin(sympy.pi * x), on={t: 0}), Condition(v, on=[{x: -1}, {x: 1}])],
)
RUNS = {
    "one network": lambda told: solve(
        BURGERS, PISC3(max_nodes=15, scale=5.0), sampling=Sampling(200, 40), progress=told
    ),
    "many points": lambda told: solve(BURGERS, SMALL, sampling=Sampling(3000, 40), progress=told),
    "windows": lambda told: solve(BURGERS, Windows(t, 3, method=SMALL), progress=told),
    "auto": lambda told: solve(BURGERS, Auto(tolerance=0.03, max_nodes=60), progress=told),
    "noise": lambda told: solve(NOISY, SMALL, sampling=Sampling(60), progress=told),
    "unknowns": lambda told: solve(NOISY, Windows(t, 3, method=SMALL), progress=told),
}
KILLS = 7  # of each run


@pytest.fixture(autouse=True)
def few_points(monkeypatch):
    """Growth takes so few points that a small problem has more."""
    monkeypatch.setattr(slabs, "_COLUMNS", 0)
    monkeypatch.setattr(slabs, "_ENOUGH_POINTS", 600)


def check_stopped(run, path):
    """Run; what comes back is usable, and what does not come back was not there."""
    calls = []
    try:
        solution = run(lambda nodes, residual: calls.append(nodes))
    except KeyboardInterrupt as stop:
        if calls or str(stop) != "Interrupted before there was anything to return.":
            pytest.fail(f"the solution was lost: {stop}")
        return None
    if solution.status is Status.INTERRUPTED:
        names = [symbol.name for symbol in solution.problem.domain.coordinates]
        low = dict(zip(names, solution.problem.domain.bounding_box.lower, strict=True))
        assert np.isfinite(solution(**low))
        solution.save(path)
        assert repr(load(path)) == repr(solution)
    return solution.status


@pytest.mark.parametrize("name", RUNS)
def test_ctrl_c_wherever_the_clock_is_looked_at(monkeypatch, tmp_path, name):
    looks = [0]
    at = [-1]

    def look():
        looks[0] += 1
        if looks[0] == at[0]:
            raise KeyboardInterrupt

    monkeypatch.setattr(clock, "check_interrupt", look)
    for _ in range(2):  # what is compiled is kept, so the second run looks less often
        looks[0] = 0
        check_stopped(RUNS[name], tmp_path / "a.npz")
    whole = looks[0]
    rng = random.Random(0)
    moments = [1, 2, whole, *(rng.randint(3, whole) for _ in range(KILLS - 3))]
    for moment in moments:
        looks[0], at[0] = 0, moment
        assert check_stopped(RUNS[name], tmp_path / "a.npz") in (None, Status.INTERRUPTED)


@pytest.mark.parametrize("name", RUNS)
def test_ctrl_c_of_the_keyboard(tmp_path, name):
    began = time.perf_counter()
    check_stopped(RUNS[name], tmp_path / "a.npz")
    took = time.perf_counter() - began
    rng = random.Random(1)
    before = signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
    try:
        for _ in range(2):

            def run(told):
                signal.setitimer(signal.ITIMER_REAL, rng.uniform(0.01, 0.9) * took)
                try:
                    return RUNS[name](told)
                finally:
                    signal.setitimer(signal.ITIMER_REAL, 0)

            check_stopped(run, tmp_path / "a.npz")
    finally:
        signal.signal(signal.SIGALRM, before)
