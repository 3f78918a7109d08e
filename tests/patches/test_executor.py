"""The same bits, whoever works on the patches."""

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest
import sympy

import piscm
from piscm import Box, Condition, Patches, Problem, solve

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


def test_processes(alone):
    with ProcessPoolExecutor(2, mp_context=get_context("forkserver")) as pool:
        assert np.array_equal(solve(PROBLEM, Patches(20), tol=1e-6, executor=pool)(x=AT), alone)


def test_threads(alone):
    with ThreadPoolExecutor(3) as pool:
        assert np.array_equal(solve(PROBLEM, Patches(20), tol=1e-6, executor=pool)(x=AT), alone)


def test_something_else_is_refused():
    with pytest.raises(piscm.ProblemError, match="executor"):
        solve(PROBLEM, Patches(4), executor=4)
