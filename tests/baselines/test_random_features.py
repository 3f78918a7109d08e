"""Random features with Gauss–Newton: the minimum, unknowns, fields, options, files."""

import numpy as np
import pytest
import scipy.optimize
import sympy
from builders import assembly_of, decay_of

from piscm import (
    PISC3,
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
)
from piscm.assemble.sites import draw_points
from piscm.baselines import RandomFeatures, base
from piscm.fit import pisc, residuals
from piscm.network.draw import Draw

x, y = coordinates("x y")
u, v = field("u", x), field("v", x)
SAMPLING = Sampling(interior=200, boundary=20)
# y' = -y² from 1 has the solution 1 / (1 + x).
DECAY = Problem(Box({x: (0, 2)}), [u.diff(x) + u**2], [Condition(u - 1, on={x: 0})])


def plate():
    w = field("w", x, y)
    exact = sympy.sin(2 * x) * sympy.exp(y)
    source = exact.diff(x, 2) + exact.diff(y, 2)
    return Problem(
        Box({x: (0, 1), y: (0, 1)}),
        [w.diff(x, 2) + w.diff(y, 2) - source],
        [Condition(w - exact, on="boundary")],
    )


def by_hand(problem, method, seed=0):
    """The system and the nodes that `solve` has with this seed."""
    points_rng, _, node_rng = np.random.default_rng(seed).spawn(3)
    system = assembly_of(problem, SAMPLING, seed=points_rng).system(method.activation)
    return system, Draw(problem.domain, method.scale)(method.nodes, 1.0, node_rng)


def test_a_linear_problem_has_the_residual_of_plain_least_squares():
    method = RandomFeatures(nodes=30, scale=3.0)  # few enough to be well conditioned
    solution = solve(plate(), method, sampling=SAMPLING)
    system, nodes = by_hand(plate(), method)
    columns = system.evaluate(nodes).at(system.linearize(system.start()))[:, 0]
    weights, (squares,), *_ = np.linalg.lstsq(columns.T, -system.start().residual)
    assert solution.fitted_residual == pytest.approx(np.sqrt(squares), rel=1e-9)
    assert solution.network.weights[:, 0] == pytest.approx(weights, rel=1e-6)
    assert len(solution.history) == 1
    assert solution.status is Status.SETTLED


def test_a_nonlinear_problem_ends_in_a_minimum_and_never_rises():
    method = RandomFeatures(nodes=8, scale=2.0)
    solution = solve(DECAY, method, sampling=SAMPLING)
    assert np.all(np.diff(solution.history.residual) < 0)
    assert solution.history.residual[-1] == solution.fitted_residual
    assert solution.status is Status.SETTLED
    system, nodes = by_hand(DECAY, method)
    columns = system.evaluate(nodes)

    def residual(weights):
        return system.state_with(columns, weights[:, None], np.zeros(0)).residual

    start = solution.network.weights[:, 0]
    other = scipy.optimize.least_squares(residual, start, xtol=1e-15, ftol=1e-15, gtol=1e-15)
    assert np.sqrt(2 * other.cost) == pytest.approx(solution.fitted_residual, rel=1e-5)


def test_more_nodes_solve_it():
    solution = solve(DECAY, RandomFeatures(nodes=60, scale=4.0), sampling=SAMPLING)
    places = np.linspace(0, 2, 50)
    assert solution(x=places) == pytest.approx(1 / (1 + places), abs=1e-7)


def test_starting_values_are_used():
    exact = solve(DECAY, RandomFeatures(nodes=5), sampling=SAMPLING, initial={u: 1 / (1 + x)})
    assert exact.fitted_residual < 1e-14


@pytest.mark.parametrize(("bounds", "found"), [((0.5, 0, 5), 1.5), ((0.5, 0, 1.2), 1.2)])
def test_an_unknown_is_recovered_within_its_bounds(bounds, found):
    k, places = unknown("k"), np.linspace(0.05, 2, 30)
    data = [Observations(u, places, np.exp(-1.5 * places))]
    problem = decay_of(u, {k: bounds}, data, rate=k)
    solution = solve(problem, RandomFeatures(nodes=60, scale=4.0), sampling=SAMPLING)
    assert solution.unknowns["k"].value == pytest.approx(found, abs=1e-7)


def test_several_fields():
    problem = Problem(
        Box({x: (0, 2)}),
        [u.diff(x) - u * v, v.diff(x) + v**2],
        [Condition(u - 1, on={x: 0}), Condition(v - 1, on={x: 0})],
    )
    solution = solve(problem, RandomFeatures(nodes=60, scale=4.0), sampling=SAMPLING)
    places = np.linspace(0, 2, 50)
    assert solution(u, x=places) == pytest.approx(1 + places, abs=1e-6)
    assert solution(v, x=places) == pytest.approx(1 / (1 + places), abs=1e-6)


def test_the_same_seed_gives_the_same_bits():
    method = RandomFeatures(nodes=20, scale=[3.0])
    first, again, other = (solve(DECAY, method, sampling=SAMPLING, seed=s) for s in (1, 1, 2))
    assert first.network.weights.tobytes() == again.network.weights.tobytes()
    assert first.fitted_residual != other.fitted_residual


def test_the_points_are_those_of_growth(monkeypatch):
    seen = []

    def recorded(*arguments):
        points = draw_points(*arguments)
        seen.append([leg.points for legs in points for leg in legs])
        return points

    for module in (base, pisc, residuals):
        monkeypatch.setattr(module, "draw_points", recorded)
    for method in (RandomFeatures(nodes=2), PISC3(max_nodes=2, candidates=3)):
        solve(DECAY, method, sampling=SAMPLING, seed=1)
    ours, held_out, growth, _ = seen
    for own, other in zip(ours, growth, strict=True):
        assert np.array_equal(own, other)
    assert not np.array_equal(ours[0], held_out[0])


def test_it_is_saved_and_loaded(tmp_path):
    method = RandomFeatures(nodes=20, scale=[3.0], activation="tanh", max_iterations=5)
    solution = solve(DECAY, method, sampling=SAMPLING)
    solution.save(tmp_path / "u.npz")
    loaded = load(tmp_path / "u.npz")
    assert loaded.method == method
    assert loaded.status is solution.status
    assert loaded(x=1.0) == solution(x=1.0)
    assert loaded.history.tobytes() == solution.history.tobytes()
    assert "RandomFeatures" in str(loaded)


def test_a_limit_on_the_steps_is_told():
    solution = solve(DECAY, RandomFeatures(nodes=60, max_iterations=1), sampling=SAMPLING)
    assert solution.status is Status.ITERATION_LIMIT
    assert len(solution.history) == 1


def test_ctrl_c_keeps_the_last_whole_step():
    def stop(iteration, _):
        if iteration == 2:
            raise KeyboardInterrupt

    solution = solve(DECAY, RandomFeatures(nodes=60), sampling=SAMPLING, progress=stop)
    assert solution.status is Status.INTERRUPTED
    assert len(solution.history) == 2


def test_a_singular_equation_ends_with_what_there_is():
    problem = Problem(Box({x: (0, 2)}), [u.diff(x) + sympy.sqrt(u)], [Condition(u - 1, on={x: 0})])
    solution = solve(problem, RandomFeatures(nodes=20), sampling=SAMPLING, initial={u: 1})
    assert np.isfinite(solution(x=1.0))


@pytest.mark.parametrize(
    "options",
    [
        {"nodes": 0},
        {"nodes": 2.5},
        {"scale": -1.0},
        {"scale": []},
        {"scale": "15"},
        {"scale": [[1.0]]},
        {"activation": "relu"},
        {"truncation": 0.0},
        {"max_iterations": 0},
    ],
)
def test_bad_options(options):
    with pytest.raises(ProblemError, match=next(iter(options))):
        RandomFeatures(**options)


def test_what_it_cannot_do_is_told_before_any_work():
    with pytest.raises(ProblemError, match="scale holds 3 numbers"):
        solve(DECAY, RandomFeatures(scale=[1, 2, 3]))
    with pytest.raises(ProblemError, match="tol"):
        solve(DECAY, RandomFeatures(), tol=1e-3)
    noisy = DECAY.with_observations([Observations(u, [1.0], [0.5], loss="huber")])
    with pytest.raises(ProblemError, match="plain least squares"):
        solve(noisy, RandomFeatures())
