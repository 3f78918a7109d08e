"""Marches whose windows once became shorter and shorter, until they followed their own noise."""

import numpy as np
import pytest
import sympy

from piscm import Box, Condition, Problem, coordinates, field, solve


@pytest.mark.slow
def test_windows_of_a_collision_stay_long():
    x, t = coordinates("x t")
    u = field("u", x, t)
    half = sympy.Rational(1, 2)
    faster = 1 / sympy.sqrt(1 - half**2)
    exact = 4 * sympy.atan(sympy.sinh(half * faster * t) / (half * sympy.cosh(faster * x)))
    begin = [u - exact.subs(t, 0), u.diff(t) - exact.diff(t).subs(t, 0)]
    conditions = [Condition(own, on={t: 0}) for own in begin]
    conditions += [Condition(u - exact.subs(x, side), on={x: side}) for side in (-8, 8)]
    equation = u.diff(t, 2) - u.diff(x, 2) + sympy.sin(u)
    problem = Problem(Box({x: (-8, 8), t: (0, 6)}), [equation], conditions)
    solution = solve(problem, seed=11, progress=False)
    assert solution.status.ok
    assert len(solution.network.panels.counts) <= 30
    rng = np.random.default_rng(0)
    at = {"x": rng.uniform(-8, 8, 2000), "t": rng.uniform(0, 6, 2000)}
    true = sympy.lambdify((x, t), exact)(at["x"], at["t"])
    assert np.linalg.norm(solution(**at) - true) <= 3e-6 * np.linalg.norm(true)
