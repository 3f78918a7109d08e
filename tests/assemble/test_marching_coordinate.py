"""Along which coordinate windows can follow each other, and what stands in the way."""

import pytest
import sympy

from piscm import Box, Condition, Periodic, Problem, coordinates, field
from piscm.assemble.marching import (
    checked_coordinate,
    marching_coordinate,
    obstacle,
    runs_backward,
)
from piscm.problem.errors import ProblemError

x, t = coordinates("x t")
u = field("u", x, t)
BOX = Box({x: (0, 1), t: (0, 2)})
HEAT = u.diff(t) - u.diff(x, 2)


def problem_with(*conditions, observations=(), equation=HEAT, box=BOX):
    return Problem(box, [equation], list(conditions), None, list(observations))


def test_time_is_found_and_space_is_not():
    problem = problem_with(Condition(u - 1, on={t: 0}), Condition(u, on=[{x: 0}, {x: 1}]))
    assert marching_coordinate(problem) == t
    assert obstacle(problem, t) is None
    assert "upper end" in obstacle(problem, x)
    assert checked_coordinate(problem, t) == t


@pytest.mark.parametrize(
    ("conditions", "words"),
    [
        ([Condition(u, on={t: 0}), Condition(u, on={t: 2})], "upper end, t = 2"),
        ([Condition(u, on=[{t: 0}, {t: 2}])], "upper end"),
        ([Condition(u, on=[{t: 0}, {x: 0, t: 2}])], "upper end"),
        ([Condition(u, on="boundary")], "upper end"),
        ([Condition(u, on={t: 0}), Periodic(u, along=t)], "ties its two ends"),
        ([Condition(u, on={t: 1})], "no condition holds on t = 0"),
        ([Condition(u, on={x: 0})], "nothing to start from"),
    ],
)
def test_what_stands_in_the_way(conditions, words):
    problem = problem_with(*conditions)
    assert words in obstacle(problem, t)
    with pytest.raises(ProblemError, match="Windows along t"):
        checked_coordinate(problem, t)


def test_a_coordinate_of_another_domain():
    problem = problem_with(Condition(u, on={t: 0}))
    with pytest.raises(ProblemError, match="s"):
        checked_coordinate(problem, sympy.Symbol("s"))


def test_bounds_that_sympy_wrote():
    box = Box({x: (0, 1), t: (sympy.pi / 3, sympy.pi)})
    field_ = field("u", x, t)
    problem = problem_with(Condition(field_ - 1, on={t: sympy.pi / 3}), box=box)
    assert marching_coordinate(problem) == t
    closed = problem_with(
        Condition(field_ - 1, on={t: sympy.pi / 3}), Condition(field_, on={t: sympy.pi}), box=box
    )
    assert obstacle(closed, t) is not None


def test_of_two_that_could_be_time_the_one_called_t_is():
    advection = u.diff(t) + u.diff(x)
    sides = Condition(u - 1, on={t: 0}), Condition(u - 1, on={x: 0})
    assert marching_coordinate(problem_with(*sides, equation=advection)) == t


def test_the_lowest_order_is_time_whatever_its_name():
    s, y = coordinates("s y")
    v = field("v", y, s)
    equation = v.diff(s) - v.diff(y, 2)
    conditions = [
        Condition(v, on={s: 0}),
        Condition(v, on={y: 0}),
        Condition(v.diff(y), on={y: 0}),
    ]
    assert marching_coordinate(Problem(Box({y: (0, 1), s: (0, 1)}), [equation], conditions)) == s


def test_a_terminal_condition_is_a_start_too():
    problem = problem_with(
        Condition(u - 1, on={t: 2}),
        Condition(u, on=[{x: 0}, {x: 1}]),
        equation=u.diff(t) + u.diff(x, 2),
    )
    assert marching_coordinate(problem) == t
    assert runs_backward(problem, t)
    assert not runs_backward(problem_with(Condition(u - 1, on={t: 0})), t)
