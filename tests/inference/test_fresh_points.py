"""How many points a solution is looked at again."""

import numpy as np
import pytest

from piscm import Auto, Box, Condition, Problem, coordinates, field, solve
from piscm.assemble.windows import Part
from piscm.inference.fresh_points import FreshPoints
from piscm.march import run

x, y, z = coordinates("x y z")
u = field("u", x, y, z)
CUBE = Box({x: (0, 1), y: (0, 1), z: (0, 1)})
EQUATION = u.diff(x, 2) + u.diff(y, 2) + u.diff(z, 2)


def test_many_conditions_have_fewer_points_than_the_inside():
    each = [Condition(u, on={axis: side}) for axis in (x, y, z) for side in (0, 1)]
    for conditions, most in ((each, 800), ([Condition(u, on="boundary")], 500)):
        part = Part.whole(Problem(CUBE, [EQUATION - 1], conditions))
        even, _ = FreshPoints(part, False, None)(1000, np.random.default_rng(0))
        rows = [even.sites[number].rows for number in even.of_block]
        assert rows[0] == 1000
        assert 500 <= sum(rows[1:]) <= most


@pytest.mark.parametrize(("activation", "per_node"), [("sin", 1), ("gaussian", 2)])
def test_waves_are_looked_at_with_one_fitted_point_each(monkeypatch, activation, per_node):
    problem = Problem(CUBE, [EQUATION - 1 - x * y], [Condition(u, on="boundary")])
    seen = []

    def estimate(network, *, fitted, uncertainty):
        seen.append((len(network.nodes), [legs[0].rows for legs in fitted[0].values()]))
        return known(network, fitted=fitted, uncertainty=uncertainty)

    known = run.estimate_error
    monkeypatch.setattr(run, "estimate_error", estimate)
    solve(problem, Auto(activation=activation, tolerance=0.1), progress=False)
    nodes, rows = seen[0]
    assert rows[0] == per_node * nodes  # a portfolio fits two points a node
