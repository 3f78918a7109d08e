"""Unknowns that all windows share, against SciPy: nonlinear regression over an integrator."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.integrate
import scipy.optimize
from builders import silent

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
    unknown,
)
from piscm.assemble.weighting import EVEN
from piscm.fit.piece import task_for
from piscm.fit.plan import Plan
from piscm.fit.stages import fit_window
from piscm.march.fit_unknowns import fit_unknowns
from piscm.network.start import Start
from piscm.result.method import Request

pytestmark = pytest.mark.usefixtures("quiet")

t = coordinates("t")
u = field("u", t)
a, b = unknown("a"), unknown("b")
METHOD = PISC3(selection="orthogonal", max_nodes=30, candidates=60)
TIMES = np.linspace(0.15, 4, 40)
END, SIGMA, TRUTH = 4.0, 0.02, (0.8, 0.3)


def integrated(unknowns, times=TIMES):
    """Growth with a limit, u' = a u (1 - b u) from 0.5, by SciPy."""
    rate, limit = unknowns

    def slope(_, y):
        return rate * y * (1 - limit * y)

    found = scipy.integrate.solve_ivp(slope, (0, END), [0.5], t_eval=times, rtol=1e-10, atol=1e-12)
    return found.y[0]


def measured(seed=0, sigma=SIGMA):
    return integrated(TRUTH) + sigma * np.random.default_rng(seed).normal(size=len(TIMES))


def problem(values, unknowns=None, **options):
    return Problem(
        Box({t: (0, END)}),
        [u.diff(t) - a * u * (1 - b * u)],
        [Condition(u - 0.5, on={t: 0})],
        unknowns or {a: 0.6, b: 0.4},
        [Observations(u, TIMES, values, **options)],
    )


def regression(values, bounds=(-np.inf, np.inf)):
    """Unknowns and their standard errors by SciPy alone."""
    found = scipy.optimize.least_squares(
        lambda p: integrated(p) - values, [0.6, 0.4], bounds=bounds, xtol=1e-14, ftol=1e-14
    )
    freedom = len(values) - 2
    spread = 2 * found.cost / freedom
    return found.x, np.sqrt(np.diag(spread * np.linalg.inv(found.jac.T @ found.jac)))


def by_windows(task, count, guess, seed=0):
    """Windows solved forward at a guess, and then fitted together."""
    rng = np.random.default_rng(seed)
    request = Request(task, Sampling(60), EVEN, Start(task), rng)
    forward = task.forward(guess)
    setting = task_for(forward, t, request.start, EVEN, rng)
    pieces, before = [], None
    for low, high in pairwise(np.linspace(0, END, count + 1)):
        plan = Plan([METHOD], Sampling(60))
        piece = fit_window(setting, float(low), float(high), before, plan, rng, silent)
        pieces.append(piece)
        before = piece.network
    return fit_unknowns(request, pieces, t, np.array(guess))


@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("seed", [0, 1])
def test_unknowns_and_their_errors_are_scipys(count, seed):
    values = measured(seed)
    found = by_windows(problem(values), count, [0.6, 0.4])
    expected, errors = regression(values)
    np.testing.assert_allclose(found.unknowns, expected, atol=1e-5)
    factor = found.uncertainty.factor[:, -2:]
    np.testing.assert_allclose(np.sqrt(np.diag(factor.T @ factor)), errors, rtol=1e-3)
    missed = np.linalg.norm(integrated(expected) - values) / np.linalg.norm(values)
    assert found.misfit == pytest.approx(missed, rel=1e-4)


def test_all_windows_have_the_state_of_the_unknowns():
    found = by_windows(problem(measured()), 3, [0.6, 0.4])
    for piece in found.pieces:
        times = np.linspace(piece.low, piece.high, 7)[1:]
        network = piece.network
        np.testing.assert_allclose(
            network.value(network.compile(u), times[:, None]),
            integrated(found.unknowns, times),
            atol=1e-6,
        )
        np.testing.assert_array_equal(network.unknowns, found.unknowns)


def test_known_noise_sets_the_errors():
    values = measured()
    known = by_windows(problem(values, noise=0.1), 2, [0.6, 0.4])
    estimated = by_windows(problem(values), 2, [0.6, 0.4])
    np.testing.assert_allclose(known.unknowns, estimated.unknowns, rtol=1e-8)
    root, other = (found.uncertainty.factor[:, -2:] for found in (known, estimated))
    spread = np.linalg.norm(integrated(estimated.unknowns) - values) / np.sqrt(len(TIMES) - 2)
    ratio = np.sqrt(np.diag(root.T @ root) / np.diag(other.T @ other))
    np.testing.assert_allclose(ratio, 0.1 / spread, rtol=1e-3)


def test_bounds_are_respected_and_the_rest_is_fitted_around_them():
    values = measured()
    bounded = problem(values, {a: (0.6, 0.0, 0.7), b: (0.4, None, None)})
    found = by_windows(bounded, 2, [0.6, 0.4])
    expected, _ = regression(values, ([0.0, -np.inf], [0.7, np.inf]))
    assert found.unknowns[0] <= 0.7
    np.testing.assert_allclose(found.unknowns, expected, atol=1e-4)


def test_the_whole_way_through_solve():
    values = measured()
    solution = solve(problem(values), Windows(t, 3, method=METHOD), sampling=Sampling(60))
    expected, errors = regression(values)
    for name, value, error in zip("ab", expected, errors, strict=True):
        assert solution.unknowns[name].value == pytest.approx(value, abs=1e-5)
        assert solution.unknowns[name].stderr == pytest.approx(error, rel=1e-3)
    np.testing.assert_allclose(solution(t=TIMES), integrated(expected), atol=1e-6)


def test_what_no_datum_feels_is_not_fitted():
    """Only the sum of two rates is in the equation: nothing tells them apart."""
    task = Problem(
        Box({t: (0, END)}),
        [u.diff(t) - (a + b) * u / 10],
        [Condition(u - 0.5, on={t: 0})],
        {a: 0.6, b: 0.4},
        [Observations(u, TIMES, 0.5 * np.exp(0.12 * TIMES))],
    )
    assert by_windows(task, 2, [0.6, 0.4]) is None
