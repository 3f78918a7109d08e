"""The chain rule: evaluated and screened columns against formulas written by hand."""

import numpy as np
import pytest
import sympy
from builders import assembly_of, mixed_problem, random_nodes

from piscm import Sampling, coordinates, field
from piscm import unknown as unknown_symbol
from piscm.network.activations import ACTIVATIONS
from piscm.network.nodes import Nodes

x, t = coordinates("x t")
u, v, w = field("u", x, t), field("v", x, t), field("w", x)
k = unknown_symbol("k")
FEW = Sampling(interior=13, boundary=6)
z = sympy.Symbol("z")
FUNCTIONS = {
    "sin": sympy.sin(z),
    "tanh": sympy.tanh(z),
    "sigmoid": 1 / (1 + sympy.exp(-z)),
    "gaussian": sympy.exp(-(z**2)),
}


def mixed_system(activation="sin", initial=None):
    return assembly_of(mixed_problem(), FEW, initial, seed=5).system(activation)


def by_hand(problem, block, points, nodes, weights, activation, unknown):
    """The residual of a block with the network put in as a SymPy expression."""
    g = FUNCTIONS[activation]
    parts = {}
    for number, item in enumerate(problem.fields):
        total = sympy.S.Zero
        for (a, b), bias, own in zip(nodes.weights, nodes.biases, weights[:, number], strict=True):
            argument = bias + (a * x if x in item.args else 0) + (b * t if t in item.args else 0)
            total += own * g.subs(z, argument)
        parts[item] = total
    expression = block.subs(parts).doit().subs(k, unknown)
    values = sympy.lambdify((x, t), expression, "numpy")
    return np.array([float(values(*point)) for point in points])


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_residuals_and_columns_are_those_of_the_written_network(activation):
    problem = mixed_problem()
    assembly = assembly_of(problem, FEW, seed=5)
    system, blocks, points = assembly.system(activation), assembly.part.blocks, assembly.points
    nodes = random_nodes(3, 2)
    weights, unknowns = np.random.default_rng(1).normal(size=(3, 3)), np.array([0.7])
    columns = system.evaluate(nodes)
    state = system.state_with(columns, weights, unknowns)
    linearization = system.linearize(state)
    design = columns.at(linearization)
    written = [
        *problem.equations,
        *(item.expression for item in problem.conditions),
        *(item.expression for item in problem.observations),
    ]

    for index in (0, 3, 5, 7):  # an equation, a nonlinear condition, periodic, data
        block = blocks[index]
        placed = next(item for item in system.placed if item.block is block)
        parts = [
            by_hand(problem, written[index], leg.points, nodes, weights, activation, 0.7)
            for leg in points[index]
        ]
        truth = parts[0] if len(parts) == 1 else parts[0] - parts[1]
        truth = truth if block.data is None else truth - block.data
        found = state.residual[placed.rows] / placed.root_weight
        np.testing.assert_allclose(found, truth, rtol=1e-9, atol=1e-9)

    def moved(node, number, h):
        other = weights.copy()
        other[node, number] += h
        return system.state_with(columns, other, unknowns).residual

    h = 1e-5
    for node in range(3):
        for number in range(3):
            slope = (moved(node, number, h) - moved(node, number, -h)) / (2 * h)
            np.testing.assert_allclose(design[node, number], slope, rtol=1e-6, atol=1e-6)
    up, down = (system.state_with(columns, weights, unknowns + s).residual for s in (h, -h))
    np.testing.assert_allclose(linearization.unknowns[0], (up - down) / (2 * h), atol=1e-6)


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("initial", [None, {u: 1 + x * t, w: x**3}])
def test_screened_columns_are_the_evaluated_ones_in_fewer_digits(activation, initial):
    system, nodes = mixed_system(activation, initial), random_nodes(8, 2, seed=1)
    columns = system.evaluate(nodes)
    weights = np.random.default_rng(2).normal(size=(8, 3))
    state = system.state_with(columns, weights, np.array([0.2]))
    for at in (system.start(), state):
        linearization = system.linearize(at)
        design = columns.at(linearization)
        screened = system.single.columns(nodes, linearization)
        assert screened.dtype == np.float32
        size = np.abs(design).max()
        np.testing.assert_allclose(screened, design, rtol=1e-4, atol=1e-5 * size)


def test_parts_of_the_nodes_are_written_alone():
    """Only the nodes that were asked for are brought up to date."""
    system, nodes = mixed_system(), random_nodes(7, 2, seed=2)
    columns = system.evaluate(nodes)
    weights = np.random.default_rng(3).normal(size=(7, 3))
    state = system.state_with(columns, weights, np.array([0.2]))
    at_start, here = system.linearize(system.start()), system.linearize(state)
    before = columns.at(at_start).copy()
    some = columns.at(here, slice(2, 5))
    np.testing.assert_array_equal(columns.still[[0, 1, 5, 6]], before[[0, 1, 5, 6]])
    everything = system.evaluate(nodes).at(here)
    np.testing.assert_allclose(some, everything[2:5], rtol=1e-13, atol=1e-13)


def test_no_nodes_at_all():
    system = mixed_system()
    columns = system.evaluate(Nodes.none(2))
    assert columns.at(system.linearize(system.start())).shape == (0, 3, system.rows)
    state = system.state_with(columns, np.zeros((0, 3)), np.array([0.3]))
    np.testing.assert_array_equal(state.residual, system.start().residual)
