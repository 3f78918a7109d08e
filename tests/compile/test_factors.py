"""Known factors of whole equations."""

import numpy as np
import pytest
import sympy

from piscm import Box, Condition, Problem, coordinates, field, solve, unknown
from piscm.compile.factors import without_known_factor

x = coordinates("x")
u, k = field("u", x), unknown("k")
LINE = Box({x: (0, 1)})
BEND = u.diff(x, 2) + 1


@pytest.mark.parametrize("factor", [sympy.exp(-100 * x), (x + 1e-4) ** 4 * sympy.cos(x), x**-5])
def test_what_makes_rows_faint_is_left_out(factor):
    assert without_known_factor(factor * BEND, LINE, "") == BEND


@pytest.mark.parametrize(
    "equation",
    [
        x * u.diff(x, 2) + x,  # no factor as it is written
        k * BEND,
        u * BEND,
        x**2 * BEND,  # a weight: less where something is singular
        x * sympy.Max(0, sympy.Rational(1, 2) - x) * BEND,  # nothing holds where it is zero
        sympy.sqrt(x - 2) * BEND,
        sympy.Piecewise((1, x < 0.5), (10, True)) * BEND,  # perhaps a flux that SymPy has lost
    ],
)
def test_everything_else_stays(equation):
    assert without_known_factor(equation, LINE, "") is equation


@pytest.mark.parametrize("factor", [sympy.exp(-100 * x), sympy.exp(100 * x), (x + 1e-3) ** 4])
def test_faint_and_loud_rows_count_alike(factor):
    solution = solve(Problem(LINE, [factor * BEND], [Condition(u, on="boundary")]))
    assert solution.status.ok
    at = np.linspace(0, 1, 50)
    np.testing.assert_allclose(solution(x=at), at * (1 - at) / 2, atol=1e-10)
