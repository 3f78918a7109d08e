"""What people who know SciPy and pandas expect of a solution."""

import logging

import numpy as np
import pytest
import scipy
import sympy

from piscm import (
    PISC3,
    Box,
    Condition,
    Problem,
    ProblemError,
    Progress,
    Sampling,
    coordinates,
    field,
    solve,
)

x, t = coordinates("x t")
u = field("u", x, t)
PROBLEM = Problem(
    Box({x: (0, 1), t: (0, 2)}),
    [u.diff(t) - u.diff(x)],
    [Condition(u - sympy.sin(x), on={t: 0}), Condition(u - sympy.sin(1 + t), on={x: 1})],
)
METHOD = PISC3(max_nodes=30, scale=2.0, candidates=5)


@pytest.fixture(scope="module")
def solution():
    return solve(PROBLEM, METHOD, sampling=Sampling(60, 12))


def test_success_and_message(solution):
    assert solution.success is solution.status.ok
    assert solution.message == solution.status.value


def test_coordinates_in_order(solution):
    value = solution(x=0.5, t=1.0)
    assert solution(0.5, 1.0) == value
    assert solution(0.5, t=1.0) == value
    assert solution(u, 0.5, 1.0) == value
    assert solution("u", 0.5, 1.0) == value
    assert solution(sympy.Rational(1, 2), 1) == value
    assert solution("u_x", 0.5, t=1.0) == solution(u.diff(x), x=0.5, t=1.0)
    assert solution(np.zeros((3, 1)), np.ones(4)).shape == (3, 4)


def test_wrong_arguments_are_told(solution, refused):
    refused(lambda: solution(0.5), "'t' is missing")
    refused(lambda: solution(0.5, 1.0, 2.0), "3 coordinates are given")
    refused(lambda: solution("u", 0.5, 1.0, 2.0), "3 coordinates are given")
    refused(lambda: solution(0.5, 1.0, x=0.5), "given twice")
    refused(lambda: solution("u", 0.5, x=0.5), "given twice")
    refused(lambda: solution("w", 0.5, 1.0), "'w'")


def test_functions_for_scipy(solution, refused):
    f = solution.as_function("u", t=0.0)
    assert f.coordinates == ("x",)
    assert isinstance(f(0.5), float)
    assert scipy.integrate.quad(f, 0, 1)[0] == pytest.approx(1 - np.cos(1), abs=1e-3)
    assert scipy.optimize.brentq(lambda at: f(at) - 0.5, 0, 1) == pytest.approx(np.pi / 6, abs=1e-2)
    both = solution.as_function()
    found = scipy.optimize.minimize(
        lambda at: -both(at), [0.5, 0.5], jac=lambda at: -both.gradient(at), bounds=[(0, 1), (0, 2)]
    )
    assert -found.fun == pytest.approx(1, abs=1e-2)
    assert both([[0.1, 0.2], [0.3, 0.4]]).shape == (2,)
    step = 1e-6
    slope = (both(0.5 + step, 0.3) - both(0.5 - step, 0.3)) / (2 * step)
    assert both.gradient(0.5, 0.3)[0] == pytest.approx(slope, rel=1e-6)
    refused(lambda: solution.as_function("w"), "'w'")
    refused(lambda: solution.as_function(y=1.0), "'y' is not a coordinate")
    refused(lambda: f(0.1, 0.2), "2 values are given")


def test_a_callback_sees_the_run_and_may_end_it():
    seen = []

    def watch(progress):
        seen.append(progress)
        return progress.nodes >= 5

    stopped = solve(PROBLEM, METHOD, sampling=Sampling(60, 12), callback=watch)
    assert isinstance(seen[0], Progress)
    assert seen[-1].nodes == 5
    assert seen[-1].seconds > 0
    assert stopped.status.name == "INTERRUPTED"
    assert stopped.n_nodes == 5
    assert np.isfinite(stopped(0.5, 0.5))

    def raises(progress):
        raise StopIteration

    assert solve(PROBLEM, METHOD, sampling=Sampling(60, 12), callback=raises).n_nodes == 1
    with pytest.raises(ProblemError, match="callback=3"):
        solve(PROBLEM, callback=3)


def test_a_run_is_logged(caplog, capsys):
    with caplog.at_level(logging.INFO, logger="piscm"):
        solve(PROBLEM, METHOD, sampling=Sampling(60, 12))
    words = [record.getMessage() for record in caplog.records]
    assert "solving" in words[0]
    assert "finished" in words[-1]
    assert capsys.readouterr() == ("", "")
