"""What must hold for every run of Auto and Windows."""

import numpy as np
import pytest
import sympy
from builders import decay_of
from hypothesis import given, settings
from hypothesis import strategies as st

from piscm import (
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
    load,
    solve,
    unknown,
)

# Any conditions will do here, too few as well.
pytestmark = pytest.mark.filterwarnings("ignore::piscm.problem.errors.IllPosedWarning")

x, t = coordinates("x t")
u, y = field("u", x, t), field("y", t)
k = unknown("k")
SMALL = Sampling(interior=60, boundary=12)
SOME = settings(max_examples=6, deadline=None, derandomize=True)

numbers = st.floats(-2, 2).map(lambda value: round(value, 2))
seeds = st.integers(0, 1000)


@st.composite
def problems(draw):
    a, b = draw(numbers), draw(numbers)
    term = draw(st.sampled_from([0, u**2, sympy.sin(u), u * u.diff(x)]))
    equation = u.diff(t) - u.diff(x, 2) / 10 + a * u + b * term / 4 - sympy.cos(x * t)
    sides = draw(
        st.sampled_from(
            [
                [Condition(u, on=[{x: 0}, {x: 1}])],
                [Periodic(u, along=x), Periodic(u.diff(x), along=x)],
                [Condition(u.diff(x) + u, on={x: 0}), Condition(u - 1, on={x: 1, t: 0.3})],
            ]
        )
    )
    start = Condition(u - sympy.sin(sympy.pi * x), on={t: 0})
    data = [Observations(u, [[0.1, 0.0], [0.5, 0.5], [0.8, 1.0]], [0.3, 0.6, 0.2])]
    return Problem(
        Box({x: (0, 1), t: (0, 1)}),
        [equation],
        [start, *sides],
        None,
        data if draw(st.booleans()) else [],
    )


activations = st.sampled_from(["sin", "tanh", "sigmoid", "gaussian"])
selections = st.sampled_from(["local", "orthogonal"])


@st.composite
def windows(draw):
    kind = draw(st.sampled_from([PISC2, PISC3]))
    each = kind(
        max_nodes=12,
        candidates=10,
        block=4,
        activation=draw(activations),
        selection=draw(selections),
        **({"window": 6} if kind is PISC2 else {}),
    )
    return Windows(t, draw(st.integers(1, 4)), method=each)


autos = st.builds(
    Auto,
    max_nodes=st.just(20),
    activation=st.sampled_from([None, "sin", "gaussian"]),
    tolerance=st.sampled_from([1e-1, 1e-3]),
)


def same(first, second):
    np.testing.assert_array_equal(first.network.nodes.weights, second.network.nodes.weights)
    np.testing.assert_array_equal(first.network.weights, second.network.weights)
    np.testing.assert_array_equal(first.network.unknowns, second.network.unknowns)
    assert first.network.panels == second.network.panels
    assert first.block_residuals == second.block_residuals
    assert first.error_estimate == second.error_estimate
    assert first.status is second.status


@pytest.mark.slow
@SOME
@given(problems(), windows(), seeds)
def test_runs_of_windows(tmp_path_factory, problem, method, seed):
    """The same seed gives the same bits, residuals never rise, and files give it all back."""
    solution, again = (solve(problem, method, sampling=SMALL, seed=seed) for _ in range(2))
    same(solution, again)
    check_residuals_never_rise(solution)
    path = tmp_path_factory.mktemp("saved") / "solution.npz"
    solution.save(path)
    check_loaded(solution, load(path), seed)


@settings(max_examples=3, deadline=None, derandomize=True)
@given(problems(), autos, seeds)
def test_same_seed_same_bits_for_auto(problem, method, seed):
    same(*(solve(problem, method, seed=seed) for _ in range(2)))


def check_residuals_never_rise(solution):
    history, panels = solution.history, solution.network.panels
    counts = [solution.n_nodes] if panels is None else panels.counts
    assert len(counts) == solution.method.count
    for number, count in enumerate(counts):
        own = history.residual[history.window == number]
        assert len(own) == count
        assert (np.diff(own) <= 0).all()


def check_loaded(solution, loaded, seed):
    points = np.random.default_rng(seed).random((20, 2))
    width = solution.problem.domain.upper
    where = {"x": points[:, 0] * width[0], "t": points[:, 1] * width[-1]}
    where = {c.name: where[c.name] for c in solution.problem.domain.coordinates}
    np.testing.assert_array_equal(loaded(**where), solution(**where))
    assert repr(loaded) == repr(solution)
    assert loaded.method == solution.method
    assert loaded.error_estimate == solution.error_estimate
    assert loaded.network.panels == solution.network.panels
    assert loaded.sampling == solution.sampling
    assert loaded.history.tobytes() == solution.history.tobytes()


HUMP = Problem(
    Box({t: (0, 6)}),
    [y.diff(t) - 30 * (1 - sympy.tanh(30 * (t - 1)) ** 2) + sympy.sin(6 * t) * y],
    [Condition(y - 1, on={t: 0})],
)


@pytest.fixture(scope="module")
def marched():
    """A run of Auto that takes several windows."""
    solution = solve(HUMP, Auto(tolerance=1e-5, max_nodes=60))
    assert solution.network.panels is not None
    return solution


def test_saved_and_loaded_auto_is_the_same(marched, tmp_path):
    marched.save(tmp_path / "auto.npz")
    check_loaded(marched, load(tmp_path / "auto.npz"), 0)


def test_windows_with_unknowns_are_saved_too(tmp_path):
    times = np.linspace(0.1, 2, 20)
    data = [Observations(y, times, np.exp(-times) + 0.01 * np.sin(50 * times))]
    problem = decay_of(y, {k: 0.5}, data, rate=k)
    method = Windows(t, 2, method=PISC3(selection="orthogonal", max_nodes=15, candidates=30))
    solution = solve(problem, method)
    solution.save(tmp_path / "inverse.npz")
    loaded = load(tmp_path / "inverse.npz")
    check_loaded(solution, loaded, 0)
    assert loaded.unknowns == solution.unknowns
    np.testing.assert_allclose(loaded.std(t=times), solution.std(t=times), rtol=1e-12)
    assert (solution.std(t=times) > 0).all()


def test_windows_join(marched):
    edges = np.array(marched.network.panels.edges)
    before, after = marched(t=edges), marched(t=np.nextafter(edges, 7.0))
    size = np.abs(marched(t=np.linspace(0, 6, 200))).max()
    np.testing.assert_allclose(before, after, atol=3e-5 * size)


def test_windows_of_second_order_join_with_their_slopes():
    problem = Problem(
        Box({t: (0, 9)}),
        [y.diff(t, 2) + sympy.sin(y)],
        [Condition(y - 1, on={t: 0}), Condition(y.diff(t), on={t: 0})],
    )
    method = Windows(t, 3, method=PISC3(selection="orthogonal", max_nodes=40, candidates=60))
    solution = solve(problem, method, tol=1e-8)
    edges = np.array(solution.network.panels.edges)
    for expression in (y, y.diff(t), y.diff(t, 2)):
        before, after = (solution(expression, t=at) for at in (edges, np.nextafter(edges, 10)))
        np.testing.assert_allclose(before, after, atol=1e-5)


def test_zero_is_a_solution_and_the_status_says_so():
    problem = Problem(Box({t: (0, 1)}), [y.diff(t, 2) + y], [Condition(y, on="boundary")])
    solution = solve(problem)
    assert solution.status is Status.SOLVED_AT_START
    assert solution.n_nodes == 0
