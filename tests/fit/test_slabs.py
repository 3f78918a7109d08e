"""Correction in slabs of rows equals one least-squares problem over all of them."""

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import cache
from multiprocessing import get_context

import numpy as np
import pytest
import sympy
from builders import assembly_of, decay_of, random_nodes

import piscm.fit.slabs as slabs
from piscm import (
    PISC3,
    Auto,
    Box,
    Condition,
    Observations,
    Periodic,
    Problem,
    Sampling,
    coordinates,
    field,
    solve,
    unknown,
)
from piscm.budget.budget import Budget, spending

x, t = coordinates("x t")
u, v = field("u", x, t), field("v", x, t)
k = unknown("k")
WEIGHTS = {"equations": 2.0, "conditions": 5.0, "observations": 0.5}
METHOD = PISC3(selection="orthogonal")


def seen(count=1300):
    return np.random.default_rng(3).uniform(0, 1, (count, 2))


def linear():
    return Problem(
        Box({x: (0, 1), t: (0, 1)}),
        [u.diff(t) - u.diff(x, 2) + v, v.diff(t) + x * u - 1],
        [
            Condition(u - sympy.sin(3 * x), on={t: 0}, weight=3),
            Condition(v, on=[{t: 0}, {x: 1}]),
            Periodic(u, along=x),
            Periodic(u.diff(x), along=x),
        ],
        None,
        [Observations(u + v, seen(), np.cos(seen()[:, 0])), Observations(v, [[0.5, 0.5]], [1.0])],
    )


def with_unknown():
    return Problem(
        Box({x: (0, 1), t: (0, 1)}),
        [u.diff(t) + u * u.diff(x) - k * u.diff(x, 2)],
        [Condition(u - sympy.sin(3 * x), on={t: 0}), Periodic(u, along=x)],
        {k: (0.2, 0.0, 5.0)},
        [Observations(u, seen(), np.cos(seen()[:, 0]))],
    )


@cache
def setup(problem, interior=2500, boundary=1100):
    assembly = assembly_of(problem(), Sampling(interior, boundary), weights=WEIGHTS)
    return assembly, random_nodes(15, 2, seed=1, scale=3.0)


@pytest.mark.parametrize("slab", [1, 25_000, 10**9])
@pytest.mark.parametrize("sizes", [(2500, 1100), (400, 3000), (1000, 1000), (1, 1)])
def test_a_linear_problem_is_one_least_squares_problem(monkeypatch, slab, sizes):
    monkeypatch.setattr(slabs, "_SLAB", slab)
    assembly, nodes = setup(linear, *sizes)
    weights = np.random.default_rng(2).normal(size=(15, 2))
    found = slabs.correct_on_all(assembly, nodes, weights, np.zeros(0), METHOD)
    whole = assembly.system("sin")
    columns = whole.evaluate(nodes)
    matrix = columns.at(whole.linearize(whole.start())).reshape(-1, whole.rows).T
    target = -whole.start().residual
    best = np.linalg.lstsq(matrix, target)[0]
    least = np.linalg.norm(matrix @ best - target)
    reached = whole.state_with(columns, found.weights, np.zeros(0))
    assert np.sqrt(reached.energy) == pytest.approx(least, rel=1e-7, abs=1e-9)
    assert found.residual == pytest.approx(np.sqrt(reached.energy), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("slab", [1, 10**9])
def test_unknowns_and_nonlinear_rows_do_not_depend_on_the_slabs(monkeypatch, slab):
    assembly, nodes = setup(with_unknown)
    start = (np.zeros((15, 1)), np.array([0.2]))
    arguments = (assembly, nodes, *start, METHOD)
    monkeypatch.setattr(slabs, "_SLAB", 10**9)
    at_once = slabs.correct_on_all(*arguments)
    monkeypatch.setattr(slabs, "_SLAB", slab)
    found = slabs.correct_on_all(*arguments)
    np.testing.assert_allclose(found.weights, at_once.weights, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(found.unknowns, at_once.unknowns, rtol=1e-6)
    whole = assembly.system("sin")
    before = whole.state_with(whole.evaluate(nodes), *start).energy
    after = whole.state_with(whole.evaluate(nodes), found.weights, found.unknowns)
    assert after.energy < before
    assert found.residual == pytest.approx(np.sqrt(after.energy), rel=1e-9)
    assert 0.0 <= found.unknowns[0] <= 5.0


@pytest.mark.parametrize("problem", [linear, with_unknown])
def test_the_same_bits_whoever_works(monkeypatch, problem):
    monkeypatch.setattr(slabs, "_SLAB", 1)
    assembly, nodes = setup(problem)
    fields = len(assembly.part.problem.fields)
    guesses = np.array(list(assembly.part.problem.unknowns.values()))
    arguments = (assembly, nodes, np.zeros((15, fields)), guesses, METHOD)
    alone = slabs.correct_on_all(*arguments)
    with ThreadPoolExecutor(3) as pool:
        together = slabs.correct_on_all(*arguments, pool)
    assert np.array_equal(together.weights, alone.weights)
    assert together.residual == alone.residual


@pytest.mark.slow
def test_a_solution_by_processes(monkeypatch):
    few_points(monkeypatch, 100)
    method, sampling = PISC3(max_nodes=20, selection="orthogonal"), Sampling(interior=2300)
    s = coordinates("s")
    y = field("y", s)
    problem = decay_of(y)
    alone = solve(problem, method, sampling=sampling)
    with ProcessPoolExecutor(2, mp_context=get_context("forkserver")) as pool:
        together = solve(problem, method, sampling=sampling, executor=pool)
    assert np.array_equal(together.network.weights, alone.network.weights)


def test_little_memory_means_fewer_points_in_growth():
    method = PISC3(max_nodes=500, selection="orthogonal")
    with spending(Budget(memory=2e8)):
        some = slabs.most_points(method, 1)
    assert 1000 <= some < slabs.most_points(method, 1)
    assert some * 500 * 8 * 10 < 2e8


def test_blocks_that_share_points_still_share_them():
    points = setup(linear)[0].points
    some = points.first(100_000)
    assert some[0] is some[1]
    assert some.rows == points.rows
    fewer = points.first(7)
    assert fewer[0] is fewer[1]
    assert fewer.rows == (*[7] * 6, 1300, 1)  # all observations


def test_the_more_columns_the_fewer_points_growth_has():
    few = {"selection": "orthogonal", "candidates": 1}
    most = [
        slabs.most_points(PISC3(max_nodes=columns, **few), 1) for columns in (1, 100, 500, 1000)
    ]
    assert most == sorted(most, reverse=True)
    assert most[2:] == [20_000, 10_000]
    assert slabs.most_points(PISC3(max_nodes=100, **few), 5) == most[2]
    assert slabs.most_points(PISC3(max_nodes=1, candidates=500), 1) == most[2]


def few_points(monkeypatch, count):
    monkeypatch.setattr(slabs, "_COLUMNS", 0)
    monkeypatch.setattr(slabs, "_ENOUGH_POINTS", count)
    monkeypatch.setattr(slabs, "_SLAB", 1)


def decay(loss="square", many=60, outliers=0):
    s = coordinates("s")
    y = field("y", s)
    times = np.linspace(0.01, 2, many)
    values = np.exp(-times) + 1e-3 * np.random.default_rng(0).normal(size=many)
    values[:outliers] += 5.0
    return decay_of(y, {k: 0.5}, [Observations(y, times, values, loss=loss)], rate=k)


METHODS = [
    PISC3(max_nodes=20, selection="orthogonal", candidates=40),
    Auto(max_nodes=40, activation="sin"),
]


@pytest.mark.parametrize("method", METHODS, ids=["PISC3", "Auto"])
def test_a_solution_on_more_points_than_growth_takes(monkeypatch, method):
    few_points(monkeypatch, 100)
    solution = solve(decay(), method, sampling=Sampling(interior=2300))
    assert solution.unknowns["k"].value == pytest.approx(1.0, abs=0.01)
    assert solution.block_residuals[0].fitted < 1e-2


@pytest.mark.parametrize("method", METHODS, ids=["PISC3", "Auto"])
def test_more_observations_than_growth_takes(monkeypatch, method):
    few_points(monkeypatch, 100)
    solution = solve(decay(many=250), method, sampling=Sampling(interior=2300))
    assert solution.unknowns["k"].value == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize("method", METHODS, ids=["PISC3", "Auto"])
def test_outliers_stay_held_off_on_all_points(monkeypatch, method):
    problem = decay(loss="huber", outliers=6)
    plain = solve(problem, method, sampling=Sampling(interior=300))
    assert plain.unknowns["k"].value == pytest.approx(1.0, abs=0.01)
    few_points(monkeypatch, 100)
    solution = solve(problem, method, sampling=Sampling(interior=2300))
    assert solution.unknowns["k"].value == pytest.approx(1.0, abs=0.01)
