"""What a window takes over from the one before."""

from types import SimpleNamespace

import numpy as np
import pytest
import sympy
from builders import network_of, random_nodes, system_of

from piscm import (
    PISC3,
    Box,
    Condition,
    Observations,
    Problem,
    Sampling,
    Windows,
    coordinates,
    field,
    solve,
)
from piscm.assemble.sites import draw_points
from piscm.assemble.windows import Part
from piscm.construct.correct import Corrector
from piscm.fit import one_network
from piscm.fit.inherit import (
    factor_of,
    first_weights,
    held_constant,
    moved_nodes,
    worth_keeping,
)
from piscm.fit.piece import Piece
from piscm.fit.plan import Plan
from piscm.fit.stages import limits_beyond
from piscm.network.nodes import Nodes

x, t = coordinates("x t")
u = field("u", x, t)


def heat(low=0.0, high=1.0, reaction=0):
    return Problem(
        Box({x: (-1, 1), t: (low, high)}),
        [u.diff(t) - u.diff(x, 2) + reaction],
        [Condition(u - sympy.cos(x), on={t: low}), Condition(u, on=[{x: -1}, {x: 1}])],
    )


def values(nodes, points, activation=np.sin):
    return activation(nodes.weights @ points.T + nodes.biases[:, None])


def test_waves_stay_what_they_were_in_the_coordinates_of_their_window():
    before = network_of(heat(1.0, 3.0), random_nodes(20, 2), np.ones((20, 1)))
    moved = moved_nodes(before, None, t, 3.0, 3.5)
    unit = np.random.default_rng(1).random((50, 2))
    old = np.column_stack([2 * unit[:, 0] - 1, 1.0 + 2.0 * unit[:, 1]])
    new = np.column_stack([2 * unit[:, 0] - 1, 3.0 + 0.5 * unit[:, 1]])
    np.testing.assert_allclose(values(moved, new), values(before.nodes, old), atol=1e-12)


def test_only_those_kept_are_moved():
    before = network_of(heat(), random_nodes(20, 2), np.ones((20, 1)))
    every = moved_nodes(before, None, t, 1.0, 2.0)
    some = moved_nodes(before, [3, 7], t, 1.0, 2.0)
    np.testing.assert_array_equal(some.weights, every.weights[[3, 7]])


def test_a_front_follows_its_path_and_what_happened_once_is_repeated():
    # A step at x = 0.1 t, and one at t = 0.5.
    nodes = Nodes(np.array([[50.0, -5.0], [0.0, 20.0]]), np.array([0.0, -10.0]))
    before = network_of(heat(), nodes, np.ones((2, 1)), activation="tanh")
    moved = moved_nodes(before, None, t, 1.0, 2.0)
    at = np.array([[0.15, 1.5], [0.3, 1.5]])
    np.testing.assert_allclose(values(moved, at, np.tanh)[0], np.tanh([0.0, 7.5]), atol=1e-12)
    np.testing.assert_allclose(values(moved, at, np.tanh)[1], 0.0, atol=1e-12)


def test_held_constant_is_the_end_of_the_window_at_all_times():
    before = network_of(heat(), random_nodes(10, 2), np.ones((10, 1)))
    constant = held_constant(before, t, 1.0)
    places = np.array([[0.3, 1.0], [0.3, 1.7], [-0.5, 5.0]])
    ends = np.column_stack([places[:, 0], np.ones(3)])
    own = before.compile(u)
    np.testing.assert_allclose(constant.value(own, places), before.value(own, ends), rtol=1e-12)


@pytest.mark.parametrize("reaction", [0, u**3])
def test_the_first_weights_are_those_of_the_linearized_problem(reaction):
    problem = heat(reaction=reaction)
    system, nodes = system_of(problem), random_nodes(12, 2)
    guess = network_of(problem, random_nodes(5, 2, seed=4), 0.3 * np.ones((5, 1)))
    columns = system.evaluate(nodes)
    corrector = Corrector(system, 1e-14, keeps_basis=True, max_nodes=12)
    found, _ = first_weights(system, columns, guess, corrector, 1e-14)
    others = system.evaluate(guess.nodes)
    state = system.state_with(others, guess.weights, guess.unknowns)
    linearization = system.linearize(state)
    target = guess.weights.ravel() @ others.at(linearization)[:, 0] - state.residual
    design = columns.at(linearization)[:, 0].T
    expected = np.linalg.lstsq(design, target, rcond=None)[0]
    np.testing.assert_allclose(found.ravel(), expected, rtol=1e-6, atol=1e-9)


def fitted(columns, target):
    flat = columns.reshape(-1, columns.shape[-1])
    solved = np.linalg.lstsq(flat.T, target, rcond=None)[0]
    return solved, float(np.sum((solved @ flat - target) ** 2))


@pytest.mark.parametrize("fields", [1, 2])
def test_nodes_are_dropped_as_long_as_the_budget_lasts(fields):
    rng = np.random.default_rng(0)
    columns = rng.normal(size=(15, fields, 80))
    target = np.tensordot(rng.normal(size=(8, fields)), columns[:8], 2) + 0.01 * rng.normal(size=80)
    weights, energy = fitted(columns, target)
    budget = 3 * energy
    kept = worth_keeping(factor_of(columns), weights.reshape(15, fields), budget)
    assert set(range(8)) <= set(kept)
    assert len(kept) < 15
    assert fitted(columns[kept], target)[1] <= energy + budget * (1 + 1e-9)


def test_nodes_are_dropped_as_if_each_were_left_out_by_least_squares():
    rng = np.random.default_rng(1)
    columns = rng.normal(size=(20, 1, 60))
    target = np.tensordot(rng.normal(size=(8, 1)), columns[:8], 2) + 0.1 * rng.normal(size=60)
    weights, energy = fitted(columns, target)
    left, budget = list(range(20)), 2 * energy
    while True:
        rest = [[k for k in left if k != out] for out in left]
        energies = [fitted(columns[some], target)[1] for some in rest]
        if min(energies) > energy + budget:
            break
        left = rest[int(np.argmin(energies))]
    assert len(left) < 20
    assert worth_keeping(factor_of(columns), weights.reshape(20, 1), budget) == left


def test_of_two_nodes_that_do_the_same_one_is_kept():
    rng = np.random.default_rng(0)
    columns = rng.normal(size=(6, 1, 60))
    columns[5] = columns[4] + 1e-6 * rng.normal(size=60)
    target = rng.normal(size=6) @ columns[:, 0]
    weights, _ = fitted(columns, target)
    kept = worth_keeping(factor_of(columns), weights.reshape(6, 1), 1e-6)
    assert set(range(4)) <= set(kept)
    assert len({4, 5} & set(kept)) == 1


def test_nothing_is_dropped_without_a_budget():
    columns = np.random.default_rng(0).normal(size=(6, 1, 60))
    assert worth_keeping(factor_of(columns), np.ones((6, 1)), 0.0) == list(range(6))


@pytest.mark.parametrize("rows", [7, 100, 1238])
def test_points_are_thinned_evenly(rows):
    rng = np.random.default_rng(0)
    blocks = Part.whole(heat()).blocks
    points = draw_points(heat().domain, blocks, Sampling(rows, rows), rng)
    network = network_of(heat(), random_nodes(10, 2), np.ones((10, 1)))
    assembly = SimpleNamespace(points=points, part=SimpleNamespace(blocks=blocks))
    piece = Piece(0, 1, assembly, SimpleNamespace(network=network), 1.0, 0.0, 0.0)
    thinned = piece.some_points(3)
    assert thinned[blocks[0].key][0].rows == min(rows, 30)


@pytest.mark.parametrize(
    ("inherited", "expected", "limits"),
    [
        (250, 0, [300, 400, 500]),
        (250, 380, [400, 500]),  # as many as the window before took, at once
        (250, 900, [500]),
        (500, 380, []),
        (650, 900, []),  # left by a window that was allowed more
    ],
)
def test_growth_on_inherited_nodes_pauses_where_it_may_end(inherited, expected, limits):
    plan = Plan([], Sampling(), stages=range(100, 500, 100), expected=expected)
    assert limits_beyond(inherited, plan, 500) == limits


def test_the_factor_of_other_row_weights_is_not_that_of_the_columns():
    rng = np.random.default_rng(0)
    points = rng.uniform(0, 1, (80, 2))
    true = np.exp(-(np.pi**2) * points[:, 1] / 10) * np.sin(np.pi * points[:, 0])
    seen = Observations(u, points, true + 0.05 * rng.normal(size=80), noise=0.05)
    problem = Problem(
        Box({x: (0, 1), t: (0, 1)}),
        [u.diff(t) - u.diff(x, 2) / 10],
        [Condition(u, on=[{x: 0}, {x: 1}]), Condition(u - sympy.sin(sympy.pi * x), on={t: 0})],
        observations=[seen],
    )
    made = []

    def spied(assembly, system, growth, method, real=one_network._refined):
        made.append((system, real(assembly, system, growth, method)))
        return made[-1][1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(one_network, "_refined", spied)
        method = PISC3(max_nodes=40, selection="orthogonal", tolerance=0.0)
        solve(problem, Windows(t, 2, method=method), progress=False)
    assert any(fit.refined.system is not system for system, fit in made)
    for system, fit in made:
        assert fit.growth.factor is None or fit.refined.system is system
