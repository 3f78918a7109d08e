"""What a problem leaves free."""

import numpy as np
import pytest
import scipy
import sympy

from piscm import PISC3, Auto, Box, Condition, Problem, Status, coordinates, field, solve
from piscm.inference.counting import counting_text, just_enough, missing_conditions
from piscm.inference.freedom import freest_move
from piscm.problem.errors import IllPosedWarning

x, t = coordinates("x t")
u, v, w = field("u", x), field("v", x), field("w", x, t)
LINE = Box({x: (0, 1)})


def test_the_freest_move_is_that_of_the_generalized_singular_values(rng):
    rows, fields = rng.standard_normal((60, 12)), rng.standard_normal((40, 12))
    rows[:, 3] *= 1e-3
    values = scipy.linalg.eigh(rows.T @ rows, fields.T @ fields, eigvals_only=True)
    found = freest_move(rows, [fields[:20], fields[20:]])
    assert found.noticed == pytest.approx(np.sqrt(values[0]), rel=1e-3)
    assert found.by_field.max() == 1


def test_a_move_that_no_row_notices(rng):
    rows, fields = rng.standard_normal((60, 12)), rng.standard_normal((40, 12))
    rows[:, 5] = 0.0
    assert freest_move(rows, [fields]).noticed < 1e-7


@pytest.mark.parametrize(
    ("conditions", "missing"),
    [
        ([Condition(u, on="boundary")], {}),
        ([Condition(u, on={x: 0})], {x: (2, 1)}),
        ([Condition(u, on={x: 0}), Condition(u.diff(x), on={x: 0})], {}),
    ],
)
def test_orders_are_counted_against_conditions(conditions, missing):
    problem = Problem(LINE, [u.diff(x, 2) + 1], conditions)
    assert missing_conditions(problem) == missing
    assert just_enough(problem) is not bool(missing)
    assert bool(counting_text(problem)) is bool(missing)


def test_a_missing_condition_is_warned_of_and_named():
    heat = Problem(
        Box({x: (0, 1), t: (0, 1)}),
        [w.diff(t) - w.diff(x, 2)],
        [Condition(w, on={x: 0}), Condition(w - 1, on={x: 1})],
    )
    with pytest.warns(IllPosedWarning, match="order 1 in t"):
        solution = solve(heat, Auto(tolerance=1e-2))
    assert solution.error_estimate.free == ("w",)
    assert not solution.status.ok


def test_a_singular_coefficient_needs_fewer_conditions():
    disk = Problem(LINE, [x * u.diff(x, 2) + u.diff(x) + x], [Condition(u, on={x: 1})])
    with pytest.warns(IllPosedWarning):
        solution = solve(disk)
    assert solution.status.ok
    at = np.linspace(0, 1, 50)
    np.testing.assert_allclose(solution(x=at), (1 - at**2) / 4, atol=1e-6)


def test_fast_growth_is_not_free():
    s = field("s", t)
    growth = Problem(Box({t: (0, 10)}), [s.diff(t) - s], [Condition(s - 1, on={t: 0})])
    solution = solve(growth)
    assert solution.error_estimate.free == ()
    assert solution.status.ok


def test_the_free_field_of_a_system_is_named():
    system = Problem(
        LINE,
        [u.diff(x, 2) + 1, v.diff(x) - u],
        [Condition(u, on="boundary"), Condition(v.diff(x), on={x: 0})],
    )
    solution = solve(system, PISC3(max_nodes=40, selection="orthogonal", tolerance=1e-6))
    assert solution.error_estimate.free == ("v",)
    assert "not determined: v" in str(solution)


def test_near_an_eigenvalue_the_answer_is_determined_all_the_same():
    near = u.diff(x, 2) + (sympy.pi**2 + sympy.Float(1e-3)) * u - sympy.sin(sympy.pi * x)
    solution = solve(Problem(LINE, [near], [Condition(u, on="boundary")]))
    assert solution.status.ok
    assert float(solution(x=0.5)) == pytest.approx(1000, rel=1e-9)


def test_zero_is_not_the_only_wave_between_two_times():
    wave = w.diff(t, 2) - w.diff(x, 2)
    box = Box({x: (0, 1), t: (0, 1)})
    solution = solve(Problem(box, [wave], [Condition(w, on="boundary")]), tol=1e-3)
    assert solution.status is Status.UNDETERMINED


@pytest.mark.parametrize("near", [1e-3, 1e-7])
def test_near_an_eigenvalue_rounding_is_part_of_the_estimate(near):
    bend = u.diff(x, 2) + (sympy.pi**2 + near) * u - sympy.sin(sympy.pi * x)
    solution = solve(Problem(LINE, [bend], [Condition(u, on="boundary")]))
    at = np.linspace(0, 1, 100)
    missed = solution(x=at) * near - np.sin(np.pi * at)
    error = np.linalg.norm(missed) / np.linalg.norm(np.sin(np.pi * at))
    assert solution.status.ok
    assert error <= 2 * solution.error_estimate.relative < 1e-14 / near
