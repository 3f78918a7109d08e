"""Unknowns from noisy data: the answer is that of least squares with the equation solved."""

import numpy as np
import pytest
import sympy
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.optimize import least_squares

from piscm import Box, Condition, Observations, Problem, Status, coordinates, field, solve, unknown

Floats = NDArray[np.float64]


def _fitted(model, values: Floats, guess: list[float]) -> tuple[Floats, Floats]:
    """Unknowns and their standard errors, by SciPy."""
    found = least_squares(lambda q: model(q) - values, guess, x_scale=np.abs(guess), xtol=1e-12)
    freedom = len(values) - len(guess)
    covariance = np.linalg.inv(found.jac.T @ found.jac) * 2 * found.cost / freedom
    return found.x, np.sqrt(np.diag(covariance))


RIVER = np.linspace(0.5, 9.5, 19)


def _river(found):
    """What a river carries, disperses and lets decay, 100 at its head."""
    d, k = found
    root = np.sqrt(1 + 4 * d * k)
    down, up = (1 - root) / (2 * d), (1 + root) / (2 * d)
    ends = [[1, np.exp(-10 * up)], [down * np.exp(10 * down), up]]
    a, b = np.linalg.solve(ends, [100, 0])
    return a * np.exp(down * RIVER) + b * np.exp(up * (RIVER - 10))


def _river_problem(values: Floats, guess: float) -> Problem:
    x = coordinates("x")
    c = field("c", x)
    spread, decay = unknown("spread decay", positive=True)
    return Problem(
        domain=Box({x: (0, 10)}),
        equations=[spread * c.diff(x, 2) - c.diff(x) - decay * c],
        conditions=[Condition(c - 100, on={x: 0}), Condition(c.diff(x), on={x: 10})],
        unknowns={spread: guess, decay: 0.5},
        observations=[Observations(c, RIVER, values)],
    )


@pytest.mark.parametrize(("guess", "seed", "tol"), [(0.3, 0, 1e-2), (1.0, 1, 1e-3)])
def test_a_boundary_value_problem_whose_equation_noise_could_bend(guess, seed, tol):
    # Dispersion hardly shows: a network that may violate the equation by as much as the noise finds
    # any, with a small error bar. The error bars are finite and right whatever the guess.
    values = _river((0.8, 0.15)) + np.random.default_rng(seed).normal(size=RIVER.size)
    solution = solve(_river_problem(values, guess), tol=tol)
    best, errors = _fitted(_river, values, [0.8, 0.15])
    for item, value, error in zip(solution.unknowns.values(), best, errors, strict=True):
        assert abs(item.value - value) < 0.05 * error
        assert item.stderr == pytest.approx(error, rel=0.05)
    assert solution.status is (Status.CONVERGED if tol == 1e-2 else Status.NOISY)


def test_an_epidemic_that_begins_with_one_of_many():
    t = coordinates("t")
    well, ill = field("S", t), field("I", t)
    rate, recovery = unknown("beta gamma", positive=True)
    days = np.arange(15.0)

    def model(found):
        def change(_, y):
            caught = found[0] * y[0] * y[1] / 763
            return [-caught, caught - found[1] * y[1]]

        return solve_ivp(change, (0, 14), [762, 1], t_eval=days, rtol=1e-9, atol=1e-9).y[1]

    counts = np.random.default_rng(3).poisson(model((1.9, 0.48))).astype(float)
    caught = rate * well * ill / 763
    problem = Problem(
        domain=Box({t: (0, 14)}),
        equations=[well.diff(t) + caught, ill.diff(t) - caught + recovery * ill],
        conditions=[Condition(well - 762, on={t: 0}), Condition(ill - 1, on={t: 0})],
        unknowns={rate: 1.0, recovery: 1.0},
        observations=[Observations(ill, days, counts)],
    )
    # Relative to all of the 763 the tolerance is loose for the first day, and the noise is large.
    found = solve(problem, tol=1e-3).unknowns
    best, errors = _fitted(model, counts, [1.0, 1.0])
    for item, value, error in zip(found.values(), best, errors, strict=True):
        assert abs(item.value - value) < 0.05 * error
        assert item.stderr == pytest.approx(error, rel=0.05)


def test_data_that_stand_in_for_a_missing_condition():
    # Without a condition at x = 1 the equation alone has many solutions, so it cannot be solved
    # before the data are looked at.
    x, t = coordinates("x t")
    u, spread = field("u", x, t), unknown("spread", positive=True)
    rng = np.random.default_rng(0)
    at = np.column_stack([rng.uniform(0.05, 0.95, 60), rng.uniform(0.05, 1, 60)])
    modes = [(1.0, 1), (0.5, 2)]
    exact = sum(
        size * np.exp(-0.1 * (n * np.pi) ** 2 * at[:, 1]) * np.sin(n * np.pi * at[:, 0])
        for size, n in modes
    )
    problem = Problem(
        domain=Box({x: (0, 1), t: (0, 1)}),
        equations=[u.diff(t) - spread * u.diff(x, 2)],
        conditions=[
            Condition(u - sum(s * sympy.sin(n * sympy.pi * x) for s, n in modes), on={t: 0}),
            Condition(u, on={x: 0}),
        ],
        unknowns={spread: 0.3},
        observations=[Observations(u, at, exact + 0.02 * rng.normal(size=60))],
    )
    solution = solve(problem, tol=1e-2)
    found = solution.unknowns["spread"]
    assert abs(found.value - 0.1) < 4 * found.stderr < 0.02
    assert not solution.status.ok
