"""PIELM: one least-squares solve, and what it refuses."""

import numpy as np
import pytest
import sympy

from piscm import (
    Box,
    Condition,
    Observations,
    Problem,
    ProblemError,
    Sampling,
    Status,
    coordinates,
    field,
    load,
    solve,
    unknown,
    zoo,
)
from piscm.baselines import PIELM, RandomFeatures

x = coordinates("x")
u = field("u", x)
k = unknown("k", positive=True)
SAMPLING = Sampling(interior=100)
GROWTH = Problem(Box({x: (0, 1)}), [u.diff(x) - u], [Condition(u - 1, on={x: 0})])


def test_one_solve_is_what_gauss_newton_needs():
    settings = {"nodes": 25, "scale": 2.0, "activation": "sigmoid"}
    once = solve(GROWTH, PIELM(**settings), sampling=SAMPLING)
    many = solve(GROWTH, RandomFeatures(**settings), sampling=SAMPLING)
    assert once.network.weights.tobytes() == many.network.weights.tobytes()
    assert once.status is Status.SETTLED
    assert len(once.history) == 1
    assert once(x=1.0) == pytest.approx(np.e, abs=1e-8)


def test_the_paper_row_and_what_better_nodes_make_of_it():
    item = zoo.load("helmholtz")
    plain, tuned = (
        item.rmse(solve(item.problem, method, sampling=item.sampling))
        for method in (PIELM(), PIELM(scale=15.0, activation="sin"))
    )
    assert 1e-4 < plain < 1e-1
    assert tuned < 1e-5


def test_unknowns_that_enter_linearly_are_found():
    problem = Problem(
        Box({x: (0, 1)}),
        [u.diff(x, 2) - k * sympy.sin(x)],
        [Condition(u - 0.2, on={x: 0})],
        {k: 100.0},  # an unknown that stays positive takes several steps down
        [Observations(u, [0.25, 0.5, 1.0], -0.3 * np.sin([0.25, 0.5, 1.0]) + 0.2)],
    )
    solution = solve(problem, PIELM(nodes=30), sampling=SAMPLING)
    assert solution.unknowns["k"].value == pytest.approx(0.3, abs=1e-6)
    assert solution.status is Status.SETTLED


@pytest.mark.parametrize(
    ("equation", "unknowns"), [(u.diff(x) - u**2, {}), (u.diff(x) - k * u, {k: 1.0})]
)
def test_nonlinear_problems_are_refused(equation, unknowns):
    problem = Problem(Box({x: (0, 1)}), [equation], [Condition(u - 1, on={x: 0})], unknowns)
    with pytest.raises(
        ProblemError, match="PIELM solves linear problems only, and Equation 1 is not"
    ):
        solve(problem, PIELM())


def test_a_nonlinear_condition_is_refused():
    problem = Problem(Box({x: (0, 1)}), GROWTH.equations, [Condition(u**2 - 1, on={x: 0})])
    with pytest.raises(ProblemError, match="not linear in fields and unknowns"):
        solve(problem, PIELM())


def test_it_is_saved_and_loaded(tmp_path):
    solution = solve(GROWTH, PIELM(nodes=20), sampling=SAMPLING)
    solution.save(tmp_path / "u.npz")
    loaded = load(tmp_path / "u.npz")
    assert loaded.method == solution.method
    assert loaded(x=0.5) == solution(x=0.5)


@pytest.mark.parametrize("options", [{"nodes": -1}, {"scale": 0.0}, {"activation": 3}])
def test_bad_options(options):
    with pytest.raises(ProblemError, match=next(iter(options))):
        PIELM(**options)
