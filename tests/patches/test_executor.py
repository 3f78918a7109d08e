"""The same bits, whoever works on the patches."""

import pickle
import tempfile
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from types import SimpleNamespace

import numpy as np
import pytest
import sympy
from threadpoolctl import threadpool_info, threadpool_limits

import piscm
from piscm import Box, Condition, Patches, Problem, solve
from piscm.assemble.windows import Part
from piscm.linalg.elimination import Merged, Share
from piscm.network.start import Start
from piscm.patches.district import Factored, solved_in
from piscm.patches.grid import even_edges
from piscm.patches.levels import Level
from piscm.patches.workshop import Workshop

x = piscm.coordinates("x")
u = piscm.field("u", x)
# More than one district of patches, and nonlinear: factors, searches and guides all travel.
PROBLEM = Problem(
    Box({x: (0, 2)}), [u.diff(x, 2) + sympy.exp(-u) - x], [Condition(u, on="boundary")]
)
AT = np.linspace(0, 2, 101)


@pytest.fixture(scope="module")
def alone():
    return solve(PROBLEM, Patches(20), tol=1e-6)(x=AT)


def test_processes(alone, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with ProcessPoolExecutor(2, mp_context=get_context("forkserver")) as pool:
        found = solve(PROBLEM, Patches(20), tol=1e-6, executor=pool)
        assert np.array_equal(found(x=AT), alone)
    assert not list(tmp_path.glob("piscm-*"))  # what the processes shared is gone


def test_threads(alone):
    with ThreadPoolExecutor(3) as pool:
        assert np.array_equal(solve(PROBLEM, Patches(20), tol=1e-6, executor=pool)(x=AT), alone)


def test_something_else_is_refused():
    with pytest.raises(piscm.ProblemError, match="executor"):
        solve(PROBLEM, Patches(4), executor=4)


@pytest.fixture(scope="module")
def trial():
    even = {"equations": 1.0, "conditions": 1.0, "observations": 1.0}
    workshop = Workshop(Part.whole(PROBLEM), Start(PROBLEM), even, "sin", None, 0)
    return workshop.trial(Level(even_edges(PROBLEM.domain, (20,)), 8), None)


def test_residuals_by_districts_are_those_of_the_model(trial):
    asked = list(zip(trial.blocks, trial.cutting.points, strict=True))
    for (block, legs), rows in zip(asked, trial.residuals(asked), strict=True):
        assert rows == pytest.approx(trial.model.residual(block, legs), rel=1e-9, abs=1e-12)


def test_equations_are_compiled_once_by_a_process(trial):
    first, second = (pickle.loads(pickle.dumps(own)) for own in trial.coupled.districts[:2])
    assert first.common is second.common
    assert first.common.blocks[0].name == trial.blocks[0].name


def test_weights_are_found_with_one_thread(monkeypatch):
    """Threads of several workers would wait for each other, and their bits could differ."""
    seen = []

    def weights(self, values, sizes):
        seen.extend(own["num_threads"] for own in threadpool_info() if own["user_api"] == "blas")
        return {}

    monkeypatch.setattr(Factored, "weights", weights)
    nothing = Factored({}, Merged((), Share((), np.zeros((0, 1)))))
    with threadpool_limits(2):
        solved_in(SimpleNamespace(sizes={}), nothing, {}, None)
    assert set(seen) == {1}
