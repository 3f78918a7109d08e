"""What was tried and rejected leaves no trace in the engine."""

import numpy as np
import pytest
from builders import assembly_of, random_nodes

from piscm import Box, Condition, Problem, coordinates, field
from piscm.construct.correct import Corrector

t = coordinates("t")
u = field("u", t)
CONDITION = Condition(u - 1, on={t: 0})


@pytest.mark.parametrize("keeps_basis", [True, False])
@pytest.mark.parametrize("equation", [u.diff(t) + u, u.diff(t) + u**2], ids=["linear", "nonlinear"])
def test_a_node_in_the_place_of_a_rejected_one_is_taken_as_it_is(equation, keeps_basis):
    problem = Problem(Box({t: (0, 1)}), [equation], [CONDITION])
    system = assembly_of(problem).system("sin")
    nodes, everything = random_nodes(6, 1, seed=3), slice(0, 5)
    columns = system.allocate(5)
    columns.put(everything, system.evaluate(nodes.some(slice(5))))
    state = system.state_with(columns, np.zeros((5, 1)), np.zeros(0))
    linearization = system.linearize(state)
    corrector = Corrector(system, 1e-14, keeps_basis, max_nodes=10)
    corrector.direction(columns, everything, linearization, state)
    columns.put(slice(4, 5), system.evaluate(nodes.some([5])))
    corrector.forget(4)
    again = corrector.direction(columns, everything, linearization, state)
    anew = Corrector(system, 1e-14, keeps_basis, max_nodes=10)
    expected = anew.direction(columns, everything, linearization, state)
    np.testing.assert_allclose(again.weights, expected.weights, rtol=1e-6)
