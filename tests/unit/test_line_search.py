"""The length of a step: the best of those allowed, judged on the true residual."""

import numpy as np
import pytest

from piscm import PISC3, zoo
from piscm.assemble.sampling import Sampling, block_points
from piscm.assemble.system import System
from piscm.compile.blocks import compile_blocks
from piscm.construct.correct import Direction
from piscm.construct.line_search import line_search
from piscm.network.activations import activation_named
from piscm.network.nodes import Nodes
from piscm.network.start import Start

STEPS = PISC3().steps
EVERYTHING = slice(0, 12)


@pytest.fixture(scope="module")
def case():
    """Van der Pol's equation with twelve nodes of small random weights."""
    problem = zoo.load("van-der-pol").problem
    rng = np.random.default_rng(0)
    blocks = compile_blocks(problem)
    points = block_points(problem, blocks, Sampling(interior=60, boundary=8), rng)
    weights = {"equations": 1.0, "conditions": 1.0, "observations": 1.0}
    system = System(problem, blocks, points, weights, activation_named("sin"), Start(problem))
    rows = system.evaluate(Nodes(rng.normal(size=(12, 2)), rng.normal(size=12)))
    state = system.state_with(rows, 0.3 * rng.normal(size=(12, 1)), np.zeros(0))
    return system, rows, state


def towards(weights):
    return Direction(np.asarray(weights), np.zeros(0), 12)


def energy(case, weights):
    system, rows, _ = case
    return system.state_with(rows, weights, np.zeros(0)).energy


def newton(case):
    system, rows, state = case
    system.write_nonlinear(rows, EVERYTHING, system.linearize(state))
    columns = rows.design.reshape(12, -1)
    return np.linalg.lstsq(columns.T, -state.residual, rcond=None)[0][:, None]


@pytest.mark.parametrize("size", [0.1, 0.7, 1.0, 2.0, 3.5, 8.0])
def test_it_is_the_best_of_all_steps(case, size):
    direction = size * newton(case)
    state = case[2]
    moved, step = line_search(case[0], case[1], EVERYTHING, state, towards(direction), STEPS)
    energies = [energy(case, state.weights + length * direction) for length in STEPS]
    assert step == STEPS[int(np.argmin(energies))]
    np.testing.assert_allclose(moved.energy, min(energies), rtol=1e-10)


def test_the_order_of_the_steps_is_of_no_account(case):
    direction = towards(2.0 * newton(case))
    system, rows, state = case
    one = line_search(system, rows, EVERYTHING, state, direction, STEPS)[1]
    other = line_search(system, rows, EVERYTHING, state, direction, STEPS[::-1])[1]
    assert one == other


def test_a_step_that_is_given_twice(case):
    direction = towards(3.5 * newton(case))
    system, rows, state = case
    one = line_search(system, rows, EVERYTHING, state, direction, STEPS)[1]
    other = line_search(system, rows, EVERYTHING, state, direction, [1.0, *STEPS])[1]
    assert one == other < 1.0


def test_uphill_nothing_is_done(case):
    system, rows, state = case
    uphill = towards(-newton(case))
    assert line_search(system, rows, EVERYTHING, state, uphill, STEPS) == (state, 0.0)


def test_one_step_alone(case):
    system, rows, state = case
    assert line_search(system, rows, EVERYTHING, state, towards(newton(case)), [0.5])[1] == 0.5
    assert line_search(system, rows, EVERYTHING, state, towards(newton(case)), [0.0])[1] == 0.0
