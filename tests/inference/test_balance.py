"""Layers inside of which the equation does not hold are none."""

import numpy as np
import pytest

from piscm import Box, Condition, Problem, coordinates, field, integral, solve
from piscm.assemble.grading import has_layers
from piscm.fit import contest
from piscm.inference.balance import left_of, unbalanced_equations
from piscm.network.network import Network
from piscm.network.nodes import Nodes
from piscm.network.start import Start

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


def test_a_factor_of_an_equation_hides_nothing():
    # A lid that moves over a cavity: a step of no width at the lid meets every condition.
    y, psi = coordinates("y"), field("psi", coordinates("y"))
    conditions = [Condition(psi, on="boundary"), Condition(psi.diff(y), on="boundary")]
    still = Problem(Box({y: (0, 1)}), [(1 + y) * (psi.diff(y, 4) + psi)], conditions)
    width = 1e-6
    nodes = Nodes(np.full((40, 1), 2 / width), np.linspace(-2, 2, 40) - 2 / width)
    step = Network(still, Start(still), "tanh", nodes, np.full((40, 1), width), np.zeros(0))
    assert unbalanced_equations(step) == [1]


def test_auto_takes_no_layer_in_which_no_equation_holds(monkeypatch):
    layer = Problem(LINE, [-1e-3 * u.diff(x, 2) + u.diff(x) - 1], [Condition(u, on="boundary")])
    assert has_layers(solve(layer).network.nodes, LINE)
    monkeypatch.setattr(contest, "unbalanced_equations", lambda network: [1])
    found = solve(layer, max_seconds=2)
    assert not has_layers(found.network.nodes, LINE)
    assert not found.status.ok


def test_equations_with_integrals_are_balanced_too():
    equation = -u.diff(x, 2) / 1000 + u.diff(x) - 1 - integral(u, over=x) / 10
    found = solve(Problem(LINE, [equation], [Condition(u, on="boundary")]), tol=1e-3)
    assert found.status.ok
    assert has_layers(found.network.nodes, LINE)
    near = np.linspace(0.99, 1, 50)[:, None]
    assert unbalanced_equations(found.network) == []
    wrong = equation + 100 * u.diff(x)
    assert left_of(found.network, equation, near) < 1e-2
    assert left_of(found.network, wrong, near) > 0.3
