"""Layers inside of which the equation does not hold are none."""

import numpy as np
import pytest

from piscm import Box, Condition, Problem, coordinates, field, solve
from piscm.inference.balance import unbalanced_equations

x = coordinates("x")
u = field("u", x)
LINE = Box({x: (0, 1)})


@pytest.mark.parametrize("seed", range(3))
def test_a_step_of_no_width_meets_no_contradicting_condition(seed):
    conditions = [Condition(u.diff(x), on="boundary"), Condition(u, on={x: 0})]
    contradictory = Problem(LINE, [u.diff(x, 2) + 1], conditions)
    found = solve(contradictory, seed=seed, max_seconds=5)
    assert not found.status.ok
    if found.status.name == "HOPELESS" and np.isinf(found.error_estimate.relative):
        assert "not met in a layer at the boundary: equation 1" in str(found)


@pytest.mark.parametrize("width", [1e-3, 1e-5])
def test_a_true_layer_is_balanced(width):
    layer = Problem(LINE, [-width * u.diff(x, 2) + u.diff(x) - 1], [Condition(u, on="boundary")])
    found = solve(layer)
    assert found.status.ok
    assert unbalanced_equations(found.network) == []
