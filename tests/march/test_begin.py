"""Where a march begins if zero fields are singular."""

import numpy as np
import pytest
import sympy

from piscm import Auto, Box, Condition, Problem, ProblemError, coordinates, field, solve

t, x = coordinates("t x")
u, v = field("u", t), field("v", t)


def test_a_march_begins_at_the_initial_values_where_zero_is_singular():
    # u u' = t has the solution sqrt(4 + t**2).
    root = Problem(Box({t: (0, 2)}), [u.diff(t) - t / u], [Condition(2 * u - 4, on={t: 0})])
    solution = solve(root, Auto(tolerance=1e-5))
    assert solution.status.ok
    times = np.linspace(0, 2, 20)
    np.testing.assert_allclose(solution(t=times), np.sqrt(4 + times**2), atol=1e-4)


def test_initial_values_that_vary_and_marches_from_the_end():
    w = field("w", x, t)
    root = Problem(
        Box({x: (0, 1), t: (0, 1)}),
        [w.diff(t) - 1 / w],
        [Condition(w - sympy.sqrt(2 + (1 + x) ** 2), on={t: 1})],
    )
    solution = solve(root, Auto(tolerance=1e-4))
    assert solution(x=0.5, t=0.0) == pytest.approx(1.5, rel=1e-3)


def test_what_the_conditions_do_not_say_is_left_to_the_user():
    hidden = Problem(
        Box({t: (0, 1)}),
        [u.diff(t) - 1 / v, v.diff(t) - u],
        [Condition(u, on={t: 0}), Condition(v**2 - 1, on={t: 0})],
    )
    with pytest.raises(ProblemError, match="Start elsewhere"):
        solve(hidden, Auto(tolerance=1e-3))
