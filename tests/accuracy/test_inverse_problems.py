"""Inverse problems of the zoo: medians over seeds."""

from statistics import median

import pytest

from piscm import PISC3, solve, zoo


def errors(name, seeds, **overrides):
    """State error and the largest parameter error, as medians over seeds."""
    benchmark = zoo.load(name)
    states, parameters = [], []
    for seed in range(seeds):
        problem = benchmark.observed(benchmark.observations, seed)
        method = benchmark.method(PISC3, **overrides)
        solution = solve(
            problem, method, sampling=benchmark.sampling, weights=benchmark.weights, seed=seed
        )
        states.append(benchmark.rmse(solution, seed=seed))
        found = solution.unknowns
        parameters.append(max(abs(found[k].value - v) for k, v in benchmark.truth.items()))
    return median(states), median(parameters)


@pytest.mark.slow
def test_van_der_pol_with_the_papers_settings():
    """Paper: 6.0e-4 and 5.1e-4."""
    state, parameter = errors("van-der-pol-inverse", 3)
    assert state <= 1.8e-3
    assert parameter <= 1e-3


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
    found = errors(name, 3)
    assert found[0] < state
    assert found[1] < parameter


def test_helmholtz_with_orthogonal_selection():
    """Paper: 6.7e-5 and 8.4e-4."""
    state, parameter = errors(
        "helmholtz-inverse", 1, selection="orthogonal", candidates=100, max_nodes=300
    )
    assert state < 1e-6
    assert parameter < 1e-5
