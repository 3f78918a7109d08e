"""What the engine and the default reach."""

import pytest
from medians import medians_hold

from piscm import PISC3, Auto, Windows, solve, zoo

pytestmark = pytest.mark.slow


def test_orthogonal_selection_on_helmholtz():
    """The paper reaches 1e-6 with as many nodes."""
    item = zoo.load("helmholtz")
    method = item.method(PISC3, selection="orthogonal", candidates=120, block=20)

    def measured(seed):
        run = solve(item.problem, method, sampling=item.sampling, seed=seed)
        return [(item.rmse(run), 2e-11)]

    assert medians_hold(measured)


@pytest.mark.parametrize(
    ("name", "tol"), [("reaction-diffusion", 1e-6), ("kovasznay", 1e-6), ("kdv", 1e-4)]
)
def test_nothing_but_the_equations_and_a_tolerance(name, tol):
    item = zoo.load(name)

    def measured(seed):
        run = solve(item.problem, tol=tol, seed=seed)
        estimate, true = run.error_estimate.relative, item.relative_error(run)
        assert estimate / 10 < true < 10 * estimate
        return [(true, tol)]

    assert medians_hold(measured)


def test_windows_on_van_der_pol():
    """The paper reaches 2e-3, one network of 1,000 nodes 1e-5."""
    item = zoo.load("van-der-pol")
    t = item.problem.domain.coordinates[0]
    method = Windows(t, 8, method=Auto(activation="sin", tolerance=1e-6))
    assert medians_hold(lambda seed: [(item.rmse(solve(item.problem, method, seed=seed)), 1e-6)])


def test_an_unknown_from_clean_data():
    item = zoo.load("helmholtz-inverse")
    (unknown,) = item.truth

    def measured(seed):
        solution = solve(item.observed(item.observations, seed), tol=1e-8, seed=seed)
        return [(abs(solution.unknowns[unknown].value - item.truth[unknown]), 1e-7)]

    assert medians_hold(measured)


@pytest.mark.parametrize("name", ["sine-gordon", "allen-cahn", "burgers", "kuramoto-sivashinsky"])
def test_the_estimate_of_the_error_is_right(name):
    """Over windows, fronts and growing errors; a coarse tolerance keeps it short."""
    item = zoo.load(name)
    solution = solve(item.problem, tol=1e-2)
    estimate, true = solution.error_estimate.relative, item.relative_error(solution)
    assert estimate / 10 < true < 10 * estimate
