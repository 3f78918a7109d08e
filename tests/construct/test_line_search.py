"""The length of a step: the best of those allowed, judged on the true residual."""

import numpy as np
import pytest
from builders import random_nodes, system_of

from piscm import PISC3, Sampling, zoo
from piscm.construct.direction import Direction
from piscm.construct.line_search import Step, line_search

STEPS = PISC3().steps
EVERYTHING = slice(0, 12)


@pytest.fixture(scope="module")
def case():
    """Van der Pol's equation with twelve nodes of small random weights."""
    problem = zoo.load("van-der-pol").problem
    system = system_of(problem, sampling=Sampling(interior=60, boundary=8))
    columns = system.evaluate(random_nodes(12, problem.domain.dimension, scale=2.0))
    weights = 0.3 * np.random.default_rng(1).normal(size=(12, 1))
    return system, columns, system.state_with(columns, weights, np.zeros(0))


def towards(weights):
    return Direction(np.asarray(weights), np.zeros(0), 12)


def energy(case, weights):
    system, columns, _ = case
    return system.state_with(columns, weights, np.zeros(0)).energy


def newton(case):
    system, columns, state = case
    design = columns.at(system.linearize(state)).reshape(12, -1)
    return np.linalg.lstsq(design.T, -state.residual, rcond=None)[0][:, None]


@pytest.mark.parametrize("size", [0.1, 0.7, 1.0, 2.0, 3.5, 8.0])
def test_it_is_the_best_of_all_steps(case, size):
    direction = size * newton(case)
    state = case[2]
    moved = line_search(case[0], case[1], EVERYTHING, state, towards(direction), STEPS)
    energies = [energy(case, state.weights + length * direction) for length in STEPS]
    assert moved.length == STEPS[int(np.argmin(energies))]
    np.testing.assert_allclose(moved.state.energy, min(energies), rtol=1e-10)


def test_the_order_of_the_steps_is_of_no_account(case):
    direction = towards(2.0 * newton(case))
    system, columns, state = case
    one = line_search(system, columns, EVERYTHING, state, direction, STEPS).length
    other = line_search(system, columns, EVERYTHING, state, direction, STEPS[::-1]).length
    assert one == other


def test_a_step_that_is_given_twice(case):
    direction = towards(3.5 * newton(case))
    system, columns, state = case
    one = line_search(system, columns, EVERYTHING, state, direction, STEPS).length
    other = line_search(system, columns, EVERYTHING, state, direction, [1.0, *STEPS]).length
    assert one == other < 1.0


def test_uphill_nothing_is_done(case):
    system, columns, state = case
    uphill = towards(-newton(case))
    assert line_search(system, columns, EVERYTHING, state, uphill, STEPS) == Step(
        state, 0.0, uphill.rank
    )


def test_one_step_alone(case):
    system, columns, state = case
    assert (
        line_search(system, columns, EVERYTHING, state, towards(newton(case)), [0.5]).length == 0.5
    )
    assert (
        line_search(system, columns, EVERYTHING, state, towards(newton(case)), [0.0]).length == 0.0
    )
