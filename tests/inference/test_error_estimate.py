"""The estimated error against the true one, where a solution is known."""

from dataclasses import replace

import numpy as np
import pytest
import sympy

from piscm import (
    PISC1,
    PISC2,
    PISC3,
    Auto,
    Box,
    Condition,
    Observations,
    Periodic,
    Problem,
    Sampling,
    Status,
    Windows,
    coordinates,
    field,
    solve,
    zoo,
)
from piscm.inference.error_estimate import estimate_error

x, t = coordinates("x t")
y, u = field("y", t), field("u", x, t)
ORTHOGONAL = {"selection": "orthogonal", "candidates": 40}


def manufactured(truth, operator, conditions, box):
    """The problem whose solution is `truth`."""
    equation = operator(u) - operator(truth).doit()
    return Problem(box, [equation], conditions(truth)), sympy.lambdify((x, t), truth)


def heat():
    return manufactured(
        sympy.exp(-t) * sympy.sin(2 * x) + x * t,
        lambda f: f.diff(t) - f.diff(x, 2) / 5,
        lambda f: [
            Condition(u - f.subs(t, 0), on={t: 0}),
            Condition(u - f.subs(x, 0), on={x: 0}),
            Condition(u.diff(x) - f.diff(x).subs(x, 2), on={x: 2}),
        ],
        Box({x: (0, 2), t: (0, 1)}),
    )


def burgers():
    return manufactured(
        sympy.cos(x - t),
        lambda f: f.diff(t) + f * f.diff(x) - f.diff(x, 2) / 4,
        lambda f: [
            Condition(u - f.subs(t, 0), on={t: 0}),
            Periodic(u, along=x),
            Periodic(u.diff(x), along=x),
        ],
        Box({x: (0, 2 * sympy.pi), t: (0, 2)}),
    )


def poisson():
    return manufactured(
        sympy.sin(3 * x) * sympy.exp(t),
        lambda f: f.diff(t, 2) + f.diff(x, 2) + f**3,
        lambda f: [Condition(u - f, on="boundary")],
        Box({x: (0, 1), t: (0, 1)}),
    )


PROBLEMS = {"heat": heat, "burgers": burgers, "poisson": poisson}


def relative_error(solution, truth):
    box = solution.problem.domain
    points = box.lower + box.width * np.random.default_rng(9).random((3000, 2))
    right = truth(points[:, 0], points[:, 1])
    wrong = solution(x=points[:, 0], t=points[:, 1]) - right
    return np.sqrt(np.mean(wrong**2) / np.mean(right**2)), np.sqrt(np.mean(wrong**2))


def check(solution, truth, factor=3.0):
    relative, absolute = relative_error(solution, truth)
    estimate = solution.error_estimate
    assert relative / factor < estimate.relative < relative * factor
    assert absolute / factor < estimate.by_field["u"] < absolute * factor


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("nodes", [30, 80])
@pytest.mark.parametrize("activation", ["sin", "tanh"])
def test_one_network(name, nodes, activation):
    problem, truth = PROBLEMS[name]()
    method = PISC3(max_nodes=nodes, activation=activation, **ORTHOGONAL)
    solution = solve(problem, method, sampling=Sampling(600, 100))
    assert solution.known_error is None
    check(solution, truth)


@pytest.mark.parametrize("name", ["heat", "burgers"])
@pytest.mark.parametrize("count", [2, 4])
def test_windows(name, count):
    problem, truth = PROBLEMS[name]()
    method = Windows(t, count, method=PISC3(max_nodes=40, **ORTHOGONAL))
    solution = solve(problem, method, sampling=Sampling(400, 80))
    assert solution.known_error is not None
    check(solution, truth)


@pytest.mark.parametrize("name", PROBLEMS)
def test_auto(name):
    problem, truth = PROBLEMS[name]()
    check(solve(problem, Auto(tolerance=1e-4)), truth)


@pytest.mark.parametrize("method", [PISC1, PISC2, PISC3])
def test_the_papers_algorithms_lazily(method):
    problem, truth = heat()
    solution = solve(problem, method(max_nodes=40, scale=3.0), sampling=Sampling(300, 60))
    assert "error" not in repr(solution).splitlines()[-1]
    check(solution, truth)
    assert "estimated relative error" in repr(solution)
    assert solution.error_estimate is solution.error_estimate


def test_errors_that_grow_on_the_way_are_followed():
    """y' = 3 y: what the first window misses is a hundred times as large in the end."""
    problem = Problem(Box({t: (0, 2)}), [y.diff(t) - 3 * y], [Condition(y - 1, on={t: 0})])
    method = Windows(t, 4, method=PISC3(max_nodes=6, **ORTHOGONAL))
    solution = solve(problem, method, sampling=Sampling(100))
    times = np.linspace(0, 2, 2001)
    wrong = solution(t=times) - np.exp(3 * times)
    relative = np.sqrt(np.mean(wrong**2) / np.mean(np.exp(6 * times)))
    assert relative / 3 < solution.error_estimate.relative < 3 * relative


def test_fields_of_different_sizes_each_have_their_error():
    p, q = field("p", t), field("q", t)
    problem = Problem(
        Box({t: (0, 3)}),
        [p.diff(t) - 1e4 * q, q.diff(t) + 1e-4 * p],
        [Condition(p, on={t: 0}), Condition(q - 1, on={t: 0})],
    )
    solution = solve(problem, PISC3(max_nodes=12, **ORTHOGONAL), sampling=Sampling(200))
    times = np.linspace(0, 3, 1001)
    for item, truth in ((p, 1e4 * np.sin(times)), (q, np.cos(times))):
        own = np.sqrt(np.mean((solution(item, t=times) - truth) ** 2))
        estimate = solution.error_estimate.by_field[str(item.func)]
        assert own / 4 < estimate < 4 * own


def test_no_nodes_are_an_error_of_the_whole():
    problem = Problem(Box({t: (0, 1)}), [y.diff(t) + y], [Condition(y - 1, on={t: 0})])
    solution = solve(problem, PISC3(max_nodes=1, tolerance=100.0))
    assert solution.n_nodes == 0
    times = np.linspace(0, 1, 101)
    size = np.sqrt(np.mean(np.exp(-2 * times)))
    assert solution.error_estimate.by_field["y"] == pytest.approx(size, rel=0.1)


def test_exact_data_do_not_spoil_the_estimate():
    points = np.random.default_rng(0).random((50, 2)) * [2, 1]
    problem, truth = heat()
    data = Observations(u, points, truth(points[:, 0], points[:, 1]))
    observed = Problem(problem.domain, problem.equations, problem.conditions, None, [data])
    method = Windows(t, 2, method=PISC3(max_nodes=40, **ORTHOGONAL))
    check(solve(observed, method, sampling=Sampling(400, 80)), truth)


@pytest.mark.parametrize(
    ("name", "seed"), [("boundary-layer", 0), ("boundary-layer", 1), ("convection-diffusion-2d", 0)]
)
def test_layers(name, seed):
    benchmark = zoo.load(name)
    solution = solve(benchmark.problem, seed=seed, tol=1e-4)
    truth = benchmark.relative_error(solution)
    assert 0.5 < solution.error_estimate.relative / truth < 2


def test_a_layer_is_seen_without_the_fitted_points_too():
    benchmark = zoo.load("boundary-layer")
    solution = solve(benchmark.problem)
    estimate = estimate_error(solution.network)
    assert 0.5 < estimate.relative / benchmark.relative_error(solution) < 2


def test_of_a_stopped_run_it_takes_no_longer_than_the_run():
    problem, truth = heat()
    solution = solve(problem, PISC3(max_nodes=40, **ORTHOGONAL), sampling=Sampling(300, 60))
    stopped = replace(solution, status=Status.TIME_LIMIT, seconds=1e-6)
    assert stopped.error_estimate.relative == np.inf
    check(replace(stopped, seconds=60.0), truth)


@pytest.mark.parametrize("seed", [0, 3])
def test_a_residual_that_no_space_lowers_is_unknown_where_errors_grow(seed):
    """Near an unstable steady state of a stirred reactor, which the truth leaves at t = 3."""
    t = coordinates("t")
    c, heat = field("c", t), field("T", t)
    rate = 7.2e10 * sympy.exp(-8750 / heat) * c
    problem = Problem(
        Box({t: (0, 10)}),
        [
            c.diff(t) - (1 - c - rate),
            heat.diff(t) - (350 - heat + 209.2 * rate - 2.092 * (heat - 300)),
        ],
        [Condition(c - 0.5, on={t: 0}), Condition(heat - 350, on={t: 0})],
    )
    solution = solve(problem, tol=1e-4, seed=seed)
    wrong = abs(solution(heat, t=10.0) - 324.47)
    assert wrong < 1 or not solution.status.ok
