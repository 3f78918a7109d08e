"""A problem stays as it was made, with all that belongs to it."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from piscm import (
    Box,
    Condition,
    Observations,
    Periodic,
    Problem,
    ProblemError,
    coordinates,
    field,
    solve,
    unknown,
)
from piscm.problem.places import PeriodicPair, Slices, WeightedSums, WholeBoundary

x, t = coordinates("x t")
u = field("u", x, t)
k = unknown("k")
BOX = Box({x: (0, 1), t: (0, 2)})
CONDITION = Condition(u - 1, on={t: 0})
PERIODIC = Periodic(u, along=x)
DATA = Observations(u, [[0.5, 0.5]], [1.0])
PROBLEM = Problem(BOX, [u.diff(t) - k * u.diff(x, 2)], [CONDITION, PERIODIC], {k: 1.0}, [DATA])


@pytest.mark.parametrize(
    "made", [BOX, CONDITION, PERIODIC, DATA, PROBLEM], ids=lambda m: type(m).__name__
)
def test_nothing_is_assigned_or_deleted(made):
    names = [
        name
        for name in ("lower", "expression", "weight", "equations", "fields")
        if hasattr(made, name)
    ]
    assert names
    for name in [*names, "something_new"]:
        with pytest.raises(FrozenInstanceError):
            setattr(made, name, None)
    with pytest.raises(FrozenInstanceError):
        delattr(made, names[0])


def test_bounds_of_a_box_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        BOX.lower[0] = -1.0
    with pytest.raises(ValueError, match="read-only"):
        BOX.upper += 1.0


def test_what_the_user_gave_may_change_and_the_problem_does_not():
    equations, conditions, guesses = [u.diff(t) - u], [CONDITION], {k: 1.0}
    points, values = np.array([[0.5, 0.5]]), np.array([1.0])
    problem = Problem(
        BOX, [equations[0] * k], conditions, guesses, [Observations(u, points, values)]
    )
    before = repr(problem)
    equations.append(u)
    conditions.append(PERIODIC)
    guesses[k] = 7.0
    points[:], values[:] = 0.0, 9.0
    assert repr(problem) == before
    np.testing.assert_array_equal(problem.observations[0].points, [[0.5, 0.5]])
    np.testing.assert_array_equal(problem.observations[0].values, [1.0])


def test_other_problems_are_made_of_it_and_it_stays():
    before = repr(PROBLEM)
    assert PROBLEM.guessing([3.0]).unknowns == {k: 3.0}
    assert not PROBLEM.forward([3.0]).unknowns
    assert len(PROBLEM.with_observations([DATA]).observations) == 2
    part = PROBLEM.part(BOX.cut(t, 0, 1), [CONDITION], [])
    assert (part.conditions, part.observations) == ((CONDITION,), ())
    assert part.domain.span(t) == (0.0, 1.0)
    assert repr(PROBLEM) == before
    assert PROBLEM.unknowns == {k: 1.0}


def test_where_a_condition_holds_is_a_place():
    assert CONDITION.on == CONDITION.place == Slices(({t: 0.0},))
    assert Condition(u, on=[{x: 0}, {x: 1, t: 2}]).on == Slices(({x: 0.0}, {x: 1.0, t: 2.0}))
    assert Condition(u, on="boundary").on == WholeBoundary()
    assert PERIODIC.place == PeriodicPair(x)
    assert Condition(u, on=WholeBoundary()).on == WholeBoundary()


def test_a_place_that_no_file_knows_is_told_when_it_is_saved(tmp_path):
    total = WeightedSums(np.array([[0.5, 0.0], [0.5, 1.0]]), np.array([[0.5, 0.5]]))
    problem = Problem(BOX, [u.diff(t) - u], [CONDITION, Condition(u - 1, on=total)])
    solution = solve(problem, tol=0.5)
    with pytest.raises(ProblemError, match="cannot be written to a file"):
        solution.save(tmp_path / "a.npz")
