"""What must hold for every problem, drawn at random."""

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from piscm import (
    PISC1,
    PISC2,
    PISC3,
    Box,
    Condition,
    Observations,
    Periodic,
    Problem,
    Sampling,
    coordinates,
    field,
    load,
    solve,
    unknown,
)

# Any conditions will do here, too few as well.
pytestmark = pytest.mark.filterwarnings("ignore::piscm.problem.errors.IllPosedWarning")

x, t = coordinates("x t")
u, v, w = field("u", x, t), field("v", x, t), field("w", x)
k = unknown("k")
SMALL = Sampling(interior=40, boundary=8)
FEW = settings(max_examples=30, deadline=None, derandomize=True)

numbers = st.floats(-2, 2).map(lambda value: round(value, 2))
nonlinear_terms = st.sampled_from(
    [
        sympy.S.Zero,
        u**2,
        u * u.diff(x),
        u.diff(x) ** 2,
        sympy.sin(u),
        sympy.exp(-(u**2)),
        1 / (2 + u**2),
        sympy.tanh(u) * u.diff(x, t),
    ]
)
conditions = st.sampled_from(
    [
        Condition(u - sympy.sin(x), on={t: 0}),
        Condition(u.diff(x) + u**3 - 1, on={x: 1}),
        Condition(u - x, on="boundary"),
        Condition(u - 1, on={x: 0.3, t: 0.2}),
        Periodic(u**2, along=x),
        Periodic(u.diff(x), along=x),
    ]
)


@st.composite
def problems(draw):
    a, b, c = draw(numbers), draw(numbers), draw(numbers)
    equation = u.diff(t) + a * u.diff(x, 2) + b * u + c * draw(nonlinear_terms) - sympy.cos(x * t)
    equations = [equation]
    chosen = draw(st.lists(conditions, min_size=1, max_size=3, unique=True))
    if draw(st.booleans()):
        equations.append(v.diff(t) - u * v + v.diff(x, 2) - w)
        chosen.append(Condition(v - u**2, on={t: 0}))
    with_unknown = draw(st.booleans())
    if with_unknown:
        equations[0] += k * u * u.diff(x)
        chosen.append(Condition(u - k, on={x: 1, t: 0}))
    data = Observations(u + 0.1 * u.diff(x), [[0.1, 0.2], [0.5, 0.9], [0.8, 0.3]], [1.0, -0.5, 0.2])
    return Problem(
        Box({x: (0, 1), t: (0, 1)}),
        equations,
        chosen,
        {k: 0.5} if with_unknown else None,
        [data] if draw(st.booleans()) else [],
    )


methods = st.sampled_from([PISC1, PISC2, PISC3])
selections = st.sampled_from(["local", "orthogonal"])
activations = st.sampled_from(["sin", "tanh", "sigmoid", "gaussian"])


def run(problem, method, seed=0, **options):
    options = {"max_nodes": 12, "candidates": 8, "scale": 3.0} | options
    return solve(problem, method(**options), sampling=SMALL, seed=seed)


@pytest.mark.slow
@FEW
@given(problems(), methods, activations, selections, st.integers(0, 1000))
def test_whatever_the_problem(tmp_path_factory, problem, method, activation, selection, seed):
    """One pair of runs for all that is asked of any: to solve takes longer than to look."""
    options = {"window": 4} if method is PISC2 else {}
    options |= {"activation": activation, "selection": selection, "block": 3}
    solution, again = (run(problem, method, seed, **options) for _ in range(2))
    the_residual_never_rises_and_is_the_true_one(solution)
    the_same_seed_gives_the_same_bits(solution, again)
    path = tmp_path_factory.mktemp("saved") / "solution.npz"
    solution.save(path)
    what_is_loaded_is_what_was_saved(solution, load(path), seed)


def the_residual_never_rises_and_is_the_true_one(solution):
    residuals = solution.history.residual
    assert (np.diff(residuals) <= 0).all()
    # Noisy data are weighed anew after growth.
    if solution.n_nodes and not solution.problem.observations:
        assert solution.residual <= residuals[-1] * (1 + 1e-9)
    assert solution.residual == pytest.approx(weighted_residual(solution), rel=1e-6)


def weighted_residual(solution):
    """The residual from the block table alone, by the paper's weights."""
    blocks = solution.block_residuals
    total = sum(block.fitted**2 for block in blocks if block.kind == "equations")
    for kind in ("conditions", "observations"):
        own = [block for block in blocks if block.kind == kind]
        rows = sum(block.rows for block in own)
        total += sum(block.fitted**2 * block.rows for block in own) / max(rows, 1)
    return np.sqrt(total)


def the_same_seed_gives_the_same_bits(first, second):
    np.testing.assert_array_equal(first.network.nodes.weights, second.network.nodes.weights)
    np.testing.assert_array_equal(first.network.weights, second.network.weights)
    np.testing.assert_array_equal(first.network.unknowns, second.network.unknowns)
    assert first.block_residuals == second.block_residuals


def what_is_loaded_is_what_was_saved(solution, loaded, seed):
    points = np.random.default_rng(seed).random((20, 2))
    for item in solution.problem.fields:
        np.testing.assert_array_equal(
            loaded(item, x=points[:, 0], t=points[:, 1]),
            solution(item, x=points[:, 0], t=points[:, 1]),
        )
    np.testing.assert_allclose(
        loaded.residual(points=points), solution.residual(points=points), rtol=1e-12, atol=1e-12
    )
    assert repr(loaded) == repr(solution)
    assert loaded.method == solution.method
    assert loaded.history.tobytes() == solution.history.tobytes()


@FEW
@given(st.integers(0, 1000), numbers, numbers)
def test_on_a_linear_problem_the_global_correction_is_least_squares(seed, a, b):
    """The design matrix is written down by hand here, and NumPy solves it."""
    w = field("w", x)
    problem = Problem(
        Box({x: (0, 2)}),
        [w.diff(x, 2) + a * w - sympy.cos(3 * x)],
        [Condition(w - b, on={x: 0}), Condition(w.diff(x) + 1, on={x: 2})],
    )
    solution = solve(
        problem,
        PISC3(max_nodes=8, scale=4.0, candidates=10, truncation=1e-14),
        sampling=Sampling(interior=50, rule="grid"),
        seed=seed,
    )
    points = (np.arange(50) + 0.5) / 50 * 2
    weights, biases = solution.network.nodes.weights[:, 0], solution.network.nodes.biases
    waves = np.sin(np.outer(points, weights) + biases)
    matrix = np.vstack(
        [
            (a - weights**2) * waves / np.sqrt(50),
            np.sin(biases) / np.sqrt(2),
            weights * np.cos(2 * weights + biases) / np.sqrt(2),
        ]
    )
    target = np.concatenate([np.cos(3 * points) / np.sqrt(50), [b / np.sqrt(2), -1 / np.sqrt(2)]])
    best = np.linalg.lstsq(matrix, target)[0]
    smallest = np.linalg.norm(matrix @ best - target)
    assert solution.residual == pytest.approx(smallest, rel=1e-5, abs=1e-9)
    own = matrix @ solution.network.weights[:, 0] - target
    assert np.linalg.norm(own) == pytest.approx(solution.residual, rel=1e-5, abs=1e-9)
