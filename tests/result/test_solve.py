"""Wrong arguments of `solve`, and what it raises."""

import subprocess
import sys

import numpy as np
import pytest
import sympy
from builders import solved_in_no_time

from piscm import (
    PISC3,
    NotConverged,
    Sampling,
    Status,
    coordinates,
    field,
)

pytestmark = pytest.mark.usefixtures("at_once")

x, t = coordinates("x t")
u, v = field("u", x), field("v", x)
a = sympy.Symbol("a")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"problem": None}, "not a NoneType"),
        ({"problem": [u]}, "not a list"),
        ({"method": "PISC3"}, "The method is str"),
        ({"method": PISC3}, "PISC3()"),
        ({"method": {}}, "The method is dict"),
        ({"sampling": 100}, "sampling"),
        ({"sampling": Sampling}, "sampling"),
        *(({"tol": bad}, "tol") for bad in (-1, np.nan, np.inf, "a", True, 1j, np.ones(2))),
        ({"weights": [1, 2]}, "weights"),
        ({"weights": {"equation": 1}}, "'equation'"),
        *(({"weights": {"equations": bad}}, "equations") for bad in (0, -1, np.nan, "a", None)),
        ({"weights": {"conditions": np.ones(4)}}, "conditions"),
        *(({"seed": bad}, "seed") for bad in (-1, 1.5, None, "a", True, [1, 2], np.nan)),
        ({"progress": "yes"}, "progress='yes'"),
        ({"progress": 1}, "progress=1"),
        ({"method": PISC3(scale=[1, 2, 3])}, "scale holds 3 numbers"),
    ],
)
def test_arguments_of_solve(refused, options, words):
    refused(lambda: solved_in_no_time(**options), words)


def test_sizes_beyond_all_memory(refused):
    refused(lambda: solved_in_no_time(method=PISC3(max_nodes=10**15)), "max_nodes")
    refused(lambda: solved_in_no_time(sampling=Sampling(interior=10**15)), "interior")


def test_throw():
    with pytest.raises(NotConverged, match="max_nodes") as caught:
        solved_in_no_time(tol=1e-30, throw=True)
    assert caught.value.solution.status is Status.NODE_LIMIT
    assert np.isfinite(caught.value.solution(x=0.5))
    assert solved_in_no_time(tol=1e-30).status is Status.NODE_LIMIT
    assert solved_in_no_time(throw=True).status is Status.FINISHED


def test_an_error_in_the_function_of_the_user_comes_through():
    with pytest.raises(ZeroDivisionError):
        solved_in_no_time(progress=lambda nodes, residual: 1 / 0)


TWICE = """
from piscm import PISC3, Box, Condition, Problem, Sampling, coordinates, field, solve
t = coordinates("t")
u = field("u", t)
problem = Problem(Box({t: (0, 2)}), [u.diff(t) + u**2], [Condition(u - 1, on={t: 0})])
method = PISC3(selection="orthogonal", block=5, max_nodes=20)
runs = [solve(problem, method, sampling=Sampling(interior=60)) for _ in range(2)]
print(len({run.network.weights.tobytes() for run in runs}))
"""


def test_the_first_run_of_a_process_has_the_bits_of_the_second():
    """Libraries that are loaded on the way must have one thread too."""
    told = subprocess.run([sys.executable, "-c", TWICE], capture_output=True, text=True, check=True)
    assert told.stdout.split() == ["1"]
