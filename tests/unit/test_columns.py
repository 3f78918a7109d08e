"""The chain rule: evaluated and screened columns against formulas written by hand."""

import numpy as np
import pytest
import sympy

from piscm import Box, Condition, Observations, Periodic, Problem, Sampling, coordinates, field
from piscm import unknown as unknown_symbol
from piscm.assemble.sampling import block_points
from piscm.assemble.system import System
from piscm.compile.blocks import compile_blocks
from piscm.network.activations import ACTIVATIONS, activation_named
from piscm.network.nodes import Nodes
from piscm.network.start import Start

x, t = coordinates("x t")
u, v, w = field("u", x, t), field("v", x, t), field("w", x)
k = unknown_symbol("k")
ONES = {"equations": 1.0, "conditions": 1.0, "observations": 1.0}
z = sympy.Symbol("z")
FUNCTIONS = {
    "sin": sympy.sin(z),
    "tanh": sympy.tanh(z),
    "sigmoid": 1 / (1 + sympy.exp(-z)),
    "gaussian": sympy.exp(-(z**2)),
}


def system_of(problem, activation="sin", initial=None, sampling=None):
    blocks = compile_blocks(problem)
    sampling = sampling or Sampling(interior=13, boundary=6)
    points = block_points(problem, blocks, sampling, np.random.default_rng(5))
    start = Start(problem, initial)
    system = System(problem, blocks, points, ONES, activation_named(activation), start)
    return system, blocks, points


def mixed_problem():
    return Problem(
        Box({x: (-1, 1), t: (0, 2)}),
        [
            u.diff(t) + u * u.diff(x) - k * u.diff(x, 2) * v + x * w,
            v.diff(t, 2) - t * v.diff(x, t) + sympy.sin(u) * w.diff(x, 2),
            w.diff(x, 3) - w**2 + k,
        ],
        [
            Condition(u - v**2 - 1, on=[{t: 0}, {x: 1}]),
            Condition(w.diff(x) - 3 * w, on={x: -1}),
            Periodic(u * v + t * w - u.diff(x), along=x),
            Periodic(v.diff(x), along=x),
        ],
        {k: 0.3},
        [Observations(u * k + w, [[0.1, 0.2], [-0.5, 1.9]], [1.0, 2.0])],
    )


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
    system, blocks, points = system_of(problem, activation)
    rng = np.random.default_rng(0)
    nodes = Nodes(rng.normal(size=(3, 2)), rng.normal(size=3))
    weights, unknowns = rng.normal(size=(3, 3)), np.array([0.7])
    rows = system.evaluate(nodes)
    state = system.state_with(rows, weights, unknowns)
    linearization = system.linearize(state)
    system.write_nonlinear(rows, slice(None), linearization)
    written = [
        *problem.equations,
        *(item.expression for item in problem.conditions),
        *(item.expression for item in problem.observations),
    ]

    for index in (0, 3, 5, 7):  # an equation, a nonlinear condition, periodic, data
        block = blocks[index]
        placed = next(item for item in system.placed if item.block is block)
        parts = [
            by_hand(problem, written[index], array, nodes, weights, activation, 0.7)
            for array in points[index]
        ]
        truth = parts[0] if len(parts) == 1 else parts[0] - parts[1]
        truth = truth if block.data is None else truth - block.data
        found = state.residual[placed.rows] / placed.scale
        np.testing.assert_allclose(found, truth, rtol=1e-9, atol=1e-9)

    def moved(node, number, h):
        other = weights.copy()
        other[node, number] += h
        return system.state_with(rows, other, unknowns).residual

    h = 1e-5
    for node in range(3):
        for number in range(3):
            slope = (moved(node, number, h) - moved(node, number, -h)) / (2 * h)
            np.testing.assert_allclose(rows.design[node, number], slope, rtol=1e-6, atol=1e-6)
    up, down = (system.state_with(rows, weights, unknowns + s).residual for s in (h, -h))
    np.testing.assert_allclose(linearization.unknowns[0], (up - down) / (2 * h), atol=1e-6)


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("initial", [None, {u: 1 + x * t, w: x**3}])
def test_screened_columns_are_the_evaluated_ones_in_fewer_digits(activation, initial):
    system, _, _ = system_of(mixed_problem(), activation, initial)
    rng = np.random.default_rng(1)
    nodes = Nodes(rng.normal(size=(8, 2)), rng.normal(size=8))
    rows = system.evaluate(nodes)
    state = system.state_with(rows, rng.normal(size=(8, 3)), np.array([0.2]))
    for at in (system.start(), state):
        linearization = system.linearize(at)
        system.write_nonlinear(rows, slice(None), linearization)
        screened = system.screen(nodes, linearization)
        assert screened.dtype == np.float32
        size = np.abs(rows.design).max()
        np.testing.assert_allclose(screened, rows.design, rtol=1e-4, atol=1e-5 * size)


def test_parts_of_the_nodes_are_written_alone():
    """Only the nodes that were asked for are brought up to date."""
    system, _, _ = system_of(mixed_problem())
    rng = np.random.default_rng(2)
    nodes = Nodes(rng.normal(size=(7, 2)), rng.normal(size=7))
    rows = system.evaluate(nodes)
    state = system.state_with(rows, rng.normal(size=(7, 3)), np.array([0.2]))
    at_start, here = system.linearize(system.start()), system.linearize(state)
    system.write_nonlinear(rows, slice(None), at_start)
    before = rows.design.copy()
    system.write_nonlinear(rows, slice(2, 5), here)
    np.testing.assert_array_equal(rows.design[[0, 1, 5, 6]], before[[0, 1, 5, 6]])
    everything = system.evaluate(nodes)
    system.write_nonlinear(everything, slice(None), here)
    np.testing.assert_allclose(rows.design[2:5], everything.design[2:5], rtol=1e-13, atol=1e-13)


def test_no_nodes_at_all():
    system, _, _ = system_of(mixed_problem())
    rows = system.evaluate(Nodes.none(2))
    assert rows.design.shape == (0, 3, system.rows)
    state = system.state_with(rows, np.zeros((0, 3)), np.array([0.3]))
    np.testing.assert_array_equal(state.residual, system.start().residual)
