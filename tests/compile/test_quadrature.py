"""Integrals whose kernels and weights are rough: as good as promised, or not promised."""

import numpy as np
import pytest
import sympy

from piscm import (
    Box,
    Condition,
    Disk,
    Problem,
    Sampling,
    coordinates,
    field,
    integral,
    normal,
    normal_derivative,
    solve,
)
from piscm.assemble.sites import draw_points
from piscm.compile.blocks import compile_blocks
from piscm.compile.quadrature import Panels, panels_for

x, y, s = coordinates("x y s")
u, v = field("u", x), field("v", x, y)
LINE = Box({x: (0, 1)})
PLACES = np.linspace(0, 1, 21)
PEAK = sympy.exp(-(((x - sympy.Rational(3, 10)) / sympy.Rational(1, 500)) ** 2))


def at(variable):
    return u.subs(x, variable)


ROUGH = {
    "Abel's kernel": (
        u + integral(at(s) / sympy.sqrt(x - s), over=(s, 0, x)) - x - 4 * sympy.sqrt(x) ** 3 / 3,
        x,
    ),
    "infinite at an end": (u - 1 - integral(u / sympy.sqrt(x), over=x) / 4, sympy.Integer(2)),
    "a step": (
        u - 1 - integral(u * sympy.Heaviside(x - sympy.Rational(7, 10)), over=x),
        sympy.Rational(10, 7),
    ),
    "a kink where s passes x": (
        u + integral(sympy.Abs(x - s) * at(s), over=(s, 0, 1)) - 1 - (x**2 + (1 - x) ** 2) / 2,
        sympy.Integer(1),
    ),
    "infinite where s passes x": (
        u
        + integral(sympy.log(sympy.Abs(x - s)) * at(s), over=(s, 0, 1))
        - x * sympy.log(x)
        - (1 - x) * sympy.log(1 - x),
        sympy.Integer(1),
    ),
    "a narrow peak": (
        u
        - integral(sympy.exp(-((100 * (x - s)) ** 2)) * at(s), over=(s, 0, 1))
        - 1
        + sympy.sqrt(sympy.pi) / 200 * (sympy.erf(100 * x) + sympy.erf(100 * (1 - x))),
        sympy.Integer(1),
    ),
}


@pytest.mark.parametrize("name", ROUGH)
def test_rough_kernels(name):
    equation, exact = ROUGH[name]
    (block,) = compile_blocks(Problem(LINE, [equation], []))
    true = sympy.lambdify(x, exact, "numpy")
    for finer in (False, True):
        rng = np.random.default_rng(0)
        (legs,) = draw_points(LINE, [block], Sampling(80, 5), rng, finer=finer)
        values = []
        for number, leg in enumerate(legs):
            field_there = np.broadcast_to(true(leg.points[:, 0]), (1, len(leg.points)))
            values.append(block.of_leg(number).value(leg.points, field_there, np.zeros(0)))
        np.testing.assert_allclose(block.residual(legs, values), 0, atol=1e-8)


@pytest.mark.parametrize("name", ["Abel's kernel", "infinite at an end", "a step"])
def test_equations_with_rough_kernels(name):
    equation, exact = ROUGH[name]
    solution = solve(Problem(LINE, [equation], []), tol=1e-6)
    assert solution.status.ok
    np.testing.assert_allclose(solution(x=0.4), float(exact.subs(x, 0.4)), rtol=1e-6)


def test_a_narrow_weight_on_a_line_and_in_an_area():
    value = float(np.sqrt(np.pi) / 500 * np.sin(0.3) * np.exp(-1e-6))
    line = Problem(
        LINE,
        [u.diff(x, 2) + u],
        [Condition(u, on={x: 0}), Condition(integral(PEAK * u, over=x) - value)],
    )
    solution = solve(line, tol=1e-6)
    assert solution.status.ok
    np.testing.assert_allclose(solution(x=PLACES), np.sin(PLACES), atol=1e-6)
    disk = Disk({x: 0, y: 0}, 1)
    spot = sympy.exp(-((x - 0.3) ** 2 + (y - 0.2) ** 2) / 9e-4)
    area = Problem(
        disk,
        [v.diff(x, 2) + v.diff(y, 2)],
        [
            Condition(normal_derivative(v) - normal(x), on="boundary"),
            Condition(integral(spot * v, over=disk) - 2.3 * np.pi * 9e-4),
        ],
    )
    assert solve(area, tol=1e-6)(x=0.0, y=0.0) == pytest.approx(2, abs=1e-6)


def test_points_follow_fields_that_oscillate():
    waves = 151.3
    total = (np.sin(waves) - waves * np.cos(waves)) / waves**2
    problem = Problem(
        LINE,
        [u.diff(x, 2) / waves**2 + u],
        [Condition(u, on={x: 0}), Condition(integral(x * u, over=x) - total)],
    )
    solution = solve(problem, tol=1e-3)
    assert solution.status.ok
    np.testing.assert_allclose(solution(x=PLACES), np.sin(waves * PLACES), atol=1e-3)


def test_fresh_points_have_another_rule():
    """What holds at one rule alone would not be seen with it."""
    blocks = compile_blocks(Problem(LINE, [u - integral(u, over=x)], []))
    fitted, fresh = (
        draw_points(LINE, blocks, Sampling(20, 5), np.random.default_rng(0), finer=finer)
        for finer in (False, True)
    )
    assert [len(own[0][1].points) for own in (fitted, fresh)] == [32, 48]
    disk = Disk({x: 0, y: 0}, 1)
    mean = compile_blocks(Problem(disk, [v], [Condition(integral(v, over=disk) - 1)]))[1:]
    fitted, fresh = (
        draw_points(disk, mean, Sampling(20, 5), np.random.default_rng(0), finer=finer)
        for finer in (False, True)
    )
    assert len(fresh[0][1].points) > len(fitted[0][1].points)


def test_panels_where_they_are_needed():
    def smooth(place):
        return np.exp(place)[None, None]

    def peak(place):
        return np.exp(-(((place - 0.3) / 1e-3) ** 2))[None, None]

    assert panels_for(None, 1, 64) == Panels()
    assert panels_for(smooth, 1, 64).cuts == (0.0, 1.0)
    found = panels_for(peak, 1, 64)
    unit, weights = found.rule()
    assert found.resolved
    assert (peak(unit) @ weights).item() == pytest.approx(np.sqrt(np.pi) * 1e-3, rel=1e-9)
    assert not panels_for(peak, 1, 2).resolved


def test_integrals_of_results_see_narrow_weights():
    flat = solve(Problem(LINE, [u.diff(x, 2)], [Condition(u - 1, on="boundary")]))
    assert flat.integral(PEAK * u, over=x) == pytest.approx(np.sqrt(np.pi) / 500, rel=1e-8)
    assert flat.integral(u / sympy.sqrt(x), over=x) == pytest.approx(2, rel=1e-8)
    square = Box({x: (0, 1), y: (0, 1)})
    plane = solve(Problem(square, [v.diff(x, 2) + v.diff(y, 2)], [Condition(v - y, on="boundary")]))
    high = np.linspace(0, 1, 30)
    found = plane.integral(v * sympy.exp(-20 * x), over=x, y=high)
    np.testing.assert_allclose(found, high * (1 - np.exp(-20)) / 20, atol=1e-7)
