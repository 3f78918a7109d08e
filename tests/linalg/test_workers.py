"""Whoever works at the same time: few pieces ahead, a watch on the clock, losses in words."""

import os
import signal
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from threading import Event
from types import SimpleNamespace

import pytest

import piscm
from piscm import Box, Condition, Patches, Problem, ProblemError, solve
from piscm.budget.budget import Budget, OutOfTimeError, spending
from piscm.linalg.workers import workers_of

x = piscm.coordinates("x")
u = piscm.field("u", x)
PROBLEM = Problem(Box({x: (0, 1)}), [u.diff(x) + u], [Condition(u - 1, on={x: 0})])


def test_what_is_made_one_by_one_is_made_as_it_is_needed():
    made = []

    def pieces():
        for number in range(20):
            made.append(number)
            yield number

    with ThreadPoolExecutor(2) as pool:
        results = workers_of(pool).map(str, pieces())
        assert len(made) == 4  # two for each
        assert next(results) == "0"
        assert len(made) == 5
        assert list(results) == [str(number) for number in range(1, 20)]


def test_lists_are_handed_out_at_once():
    asked = []
    with ThreadPoolExecutor(1) as pool:
        results = workers_of(pool).map(asked.append, list(range(9)))
        pool.shutdown()
        assert asked == list(range(9))
        assert list(results) == [None] * 9


def test_waiting_looks_at_the_clock():
    never = Event()
    with ThreadPoolExecutor(1) as pool, spending(Budget.of(0.05, 1e9)):
        results = workers_of(pool).map(never.wait, [10.0, 10.0])
        with pytest.raises(OutOfTimeError):
            next(results)
        never.set()


def test_a_killed_process_is_told_in_words():
    with ProcessPoolExecutor(1, get_context("forkserver")) as pool:
        worker = pool.submit(os.getpid).result()

        def kill(done, residual):
            os.kill(worker, signal.SIGKILL)

        with pytest.raises(ProblemError, match="new one"):
            solve(PROBLEM, Patches(8), tol=1e-6, executor=pool, progress=kill)
        with pytest.raises(ProblemError, match="lost a worker"):
            solve(PROBLEM, executor=pool)


def test_who_cannot_work_is_refused():
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    processes = ProcessPoolExecutor(1)
    processes.shutdown()
    for own in (pool, processes):
        with pytest.raises(ProblemError, match="shut down"):
            solve(PROBLEM, executor=own)
    cluster = type("LocalCluster", (), {"__module__": "distributed.deploy.local"})()
    with pytest.raises(ProblemError, match="get_client"):
        solve(PROBLEM, executor=cluster)
    kind = type("Client", (SimpleNamespace,), {"__module__": "distributed.client"})
    with pytest.raises(ProblemError, match="closed"):
        solve(PROBLEM, executor=kind(status="closed", get_executor=None))
