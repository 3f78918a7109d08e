"""Inverse problems of the zoo beyond the paper's: medians over seeds."""

import pytest
from medians import medians_hold

from piscm import PISC3, solve, zoo


def errors(name, seed, **overrides):
    """The error of the state, and the largest of a parameter."""
    benchmark = zoo.load(name)
    problem = benchmark.observed(benchmark.observations, seed)
    method = benchmark.method(PISC3, **overrides)
    solution = solve(
        problem, method, sampling=benchmark.sampling, weights=benchmark.weights, seed=seed
    )
    found = solution.unknowns
    worst = max(abs(found[name].value - value) for name, value in benchmark.truth.items())
    return benchmark.rmse(solution, seed=seed), worst


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "state", "parameter"),
    [
        ("lotka-volterra-inverse", 1e-7, 1e-7),
        ("burgers-inverse", 1e-3, 2e-3),
        ("heat-inverse", 1e-7, 1e-6),
    ],
)
def test_beyond_the_paper(name, state, parameter):
    bars = (state, parameter)
    assert medians_hold(lambda seed: list(zip(errors(name, seed), bars, strict=True)))


def test_helmholtz_with_orthogonal_selection():
    """Paper: 6.7e-5 and 8.4e-4."""
    options = {"selection": "orthogonal", "candidates": 100, "max_nodes": 300}
    state, parameter = errors("helmholtz-inverse", 0, **options)
    assert state < 1e-6
    assert parameter < 1e-5
