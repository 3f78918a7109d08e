"""Problems, solutions and what `throw` raises go to other processes and come back."""

import copy
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest
from builders import mixed_problem, solved_in_no_time

from piscm import PISC3, Box, Condition, Observations, Problem, coordinates, field, solve, unknown
from piscm.solver import NotConverged

x = coordinates("x")
u = field("u", x)
k = unknown("k", positive=True)
DATA = Observations(u, [0.25, 0.5], [1.1, 1.3])
PROBLEM = Problem(
    Box({x: (0, 1)}), [u.diff(x) - k * u], [Condition(u - 1, on={x: 0})], {k: 1.0}, [DATA]
)
POINTS = np.linspace(0, 1, 7)


def through_pickle(item):
    return pickle.loads(pickle.dumps(item))


WAYS = [copy.copy, copy.deepcopy, through_pickle]


@pytest.fixture(scope="module")
def solution():
    found = solved_in_no_time(PROBLEM, initial={u: 1 + x})
    found(x=POINTS)
    found(u.diff(x) + k, x=POINTS)
    found.residual(POINTS)
    _ = found.error_estimate
    return found


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("problem", [PROBLEM, mixed_problem()], ids=["one field", "three fields"])
def test_problems(way, problem):
    other = way(problem)
    assert repr(other) == repr(problem)
    assert other.equations == problem.equations
    assert other.fields == problem.fields
    for array in (other.domain.lower, other.observations[0].points, other.observations[0].values):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0.0


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_solutions_that_were_called(way, solution):
    other = way(solution)
    assert repr(other) == repr(solution)
    np.testing.assert_array_equal(other(x=POINTS), solution(x=POINTS))
    np.testing.assert_array_equal(other(u.diff(x) + k, x=POINTS), solution(u.diff(x) + k, x=POINTS))
    np.testing.assert_array_equal(other.residual(POINTS), solution.residual(POINTS))
    assert other.error_estimate == solution.error_estimate


def test_residuals(solution):
    other = through_pickle(solution.residual)
    assert other == solution.residual
    np.testing.assert_array_equal(other(POINTS), solution.residual(POINTS))


def test_what_throw_raises(solution):
    error = through_pickle(NotConverged(solution))
    assert str(error) == str(NotConverged(solution))
    np.testing.assert_array_equal(error.solution(x=POINTS), solution(x=POINTS))


def evaluated(found):
    return found, found(x=POINTS)


def fails(problem):
    method = PISC3(max_nodes=2, candidates=5, tolerance=1e-12)
    solve(problem, method, throw=True)


def test_another_process(solution):
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as executor:
        other, values = executor.submit(evaluated, solution).result()
        np.testing.assert_array_equal(values, solution(x=POINTS))
        np.testing.assert_array_equal(other(x=POINTS), solution(x=POINTS))
        with pytest.raises(NotConverged) as caught:
            executor.submit(fails, PROBLEM).result()
    assert caught.value.solution.n_nodes <= 2


def test_joblib(solution):
    joblib = pytest.importorskip("joblib")
    others = joblib.Parallel(n_jobs=2)(joblib.delayed(evaluated)(solution) for _ in range(2))
    for other, values in others:
        np.testing.assert_array_equal(values, solution(x=POINTS))
        assert repr(other) == repr(solution)
