"""What an equation is multiplied by must not hide an error."""

import numpy as np
import pytest
import sympy

import piscm.inference.correction as correction
from piscm import Box, Condition, Problem, coordinates, field, solve
from piscm.inference.error_estimate import estimate_error
from piscm.inference.even_rows import even_rows

x = coordinates("x")
u = field("u", x)


def _weighted(exact, factor):
    conditions = [Condition(u - exact.subs(x, end), on={x: end}) for end in (0, 1)]
    return Problem(Box({x: (0, 1)}), [factor * (u.diff(x, 2) - exact.diff(x, 2))], conditions)


def _error(solution, exact):
    points = (np.arange(1000) + 0.5) / 1000
    true = sympy.lambdify(x, exact)(points)
    return float(np.linalg.norm(solution(x=points) - true) / np.linalg.norm(true))


@pytest.mark.parametrize(
    ("power", "factor", "tol"),
    [(sympy.Rational(4, 3), x**2, 1e-3), (sympy.Rational(6, 5), x**3, 1e-2)],
)
def test_faint_rows_of_a_rough_solution_hide_no_error(power, factor, tol, monkeypatch):
    exact = x**power
    solution = solve(_weighted(exact, factor), tol=tol, progress=False)
    error = _error(solution, exact)
    assert error < estimate_error(solution.network, 7).relative < 100 * error
    assert error < tol or not solution.status.ok
    monkeypatch.setattr(correction, "_further", lambda space, corrected: corrected)
    assert estimate_error(solution.network, 7).relative < error / 2  # by the rows as they are


def test_a_factor_of_an_equation_with_a_smooth_solution_changes_no_estimate():
    exact = sympy.sin(3 * x) + x
    for factor in (1, x**2, x**3):
        solution = solve(_weighted(exact, sympy.sympify(factor)), tol=1e-6, progress=False)
        assert solution.status.ok
        assert 1 / 3 < solution.known_error.relative / _error(solution, exact) < 3


def test_rows_are_judged_once_where_only_waves_are_faint(monkeypatch):
    found = []

    def spied(space):
        found.append(even_rows(space))
        return found[-1]

    monkeypatch.setattr(correction, "even_rows", spied)
    for factor, uneven in ((1, False), (2 + x, False), (x**2, True)):
        solve(_weighted(sympy.sin(3 * x) + x, sympy.sympify(factor)), progress=False)
        assert (found[-1] is not None) == uneven
