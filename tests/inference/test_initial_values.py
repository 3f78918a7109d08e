"""Which problems the theory of ordinary equations settles."""

import numpy as np
import pytest

from piscm import Box, Condition, Problem, coordinates, field
from piscm.assemble.windows import Part
from piscm.inference.initial_values import is_initial_value_problem
from piscm.network.network import Network
from piscm.network.nodes import Nodes
from piscm.network.start import Start

t = coordinates("t")
a, b, c = (field(name, t) for name in "abc")
TIME = Box({t: (0, 1)})


def settled(equations, conditions, start=None):
    problem = Problem(TIME, equations, conditions)
    count = len(problem.fields)
    nodes = Nodes(np.ones((1, 1)), np.zeros(1))
    network = Network(
        problem, Start(problem, start), "tanh", nodes, np.ones((1, count)), np.zeros(0)
    )
    points = np.linspace(0, 1, 20)[:, None]
    return is_initial_value_problem(Part.whole(problem), network, points)


def at(value, *expressions):
    return [Condition(expression, on={t: value}) for expression in expressions]


@pytest.mark.parametrize("end", [0, 1])
def test_explicit_systems_with_a_value_for_every_order(end):
    assert settled([a.diff(t, 2) + a.diff(t) + a**3], at(end, a - 1, a.diff(t)))
    stiff = [a.diff(t) + 1e4 * b * c, b.diff(t) - 3e7 * b**2, c.diff(t) - 1e-9 * a]
    assert settled(stiff, at(end, a - 1, b, c))
    assert settled([a.diff(t) + b, a.diff(t) + c, c + a], at(end, a - 1))  # two are algebraic
    assert settled([a.diff(t) + b.diff(t), a.diff(t) - b.diff(t) - a], at(end, a + b, a - b - 1))


def test_what_the_theory_does_not_settle():
    second = a.diff(t, 2) + a
    assert not settled([second], [*at(0, a), *at(1, a - 1)])  # a boundary value problem
    assert not settled([second], at(0, a, 2 * a))  # the same condition twice
    assert not settled([t * a.diff(t) + a], at(0, a - 1))  # singular at the start
    assert not settled([a.diff(t) + b, a - t], at(0, a))  # b is determined, by a derivative
    assert not settled([a.diff(t) + b.diff(t), a.diff(t) + b.diff(t) - 1], at(0, a, b))
