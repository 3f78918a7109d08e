"""Finer nodes: each step is one, and layers end at the finest."""

import pytest

from piscm import Auto, Box, Condition, Problem, coordinates, field, solve
from piscm.fit.members import FINEST, Member


@pytest.mark.parametrize("nearest", [None, 1e-3, FINEST])
def test_what_is_finer_is_something_else(nearest):
    member = Member("tanh", (1.0,), nearest)
    assert member.finer
    assert member not in member.finer


def test_layers_at_the_finest_end_the_search_for_finer_ones():
    x = coordinates("x")
    u = field("u", x)
    equation = -(1e-7**2) * u.diff(x, 2) + u - 1
    problem = Problem(Box({x: (0, 1)}), [equation], [Condition(u, on="boundary")])
    solution = solve(problem, Auto(tolerance=1e-6, max_seconds=60), progress=False)
    assert solution.status.ok
    assert len(solution.tried) < 100
    assert solution(x=0.5) == pytest.approx(1.0, abs=1e-5)
