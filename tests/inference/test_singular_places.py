"""Gradients that may be infinite: where they are looked for, and who is not ok because of them."""

import numpy as np
import pytest
import sympy

from piscm import Box, Condition, Patches, Polygon, Problem, coordinates, field, solve
from piscm.inference.singular_places import singular_places

x, y = coordinates("x y")
u = field("u", x, y)
LAPLACE = u.diff(x, 2) + u.diff(y, 2)
BOX = Box({x: (-1, 1), y: (0, 1)})
L = Polygon((x, y), [(0, 0), (1, 0), (1, 1), (-1, 1), (-1, -1), (0, -1)])
# Both are 0 at y = 0 and x < 0, or flat there at x > 0; the gradient of the first is infinite.
ROOT = sympy.sqrt((sympy.sqrt(x**2 + y**2) + x) / 2)
SMOOTH = sympy.cos(x + 1) * sympy.cosh(y)
FLOOR = {y: 0}


def mixed(solution):
    """Values on one half of the floor, slopes on the other, values elsewhere."""
    return Problem(
        BOX,
        [LAPLACE],
        [
            Condition(u - solution.subs(y, 0), on=BOX.boundary(FLOOR, where=x < 0)),
            Condition(u.diff(y), on=BOX.boundary(FLOOR, where=x >= 0)),
            Condition(u - solution, on=[{x: -1}, {x: 1}, {y: 1}]),
        ],
    )


def test_values_that_give_way_to_slopes():
    (place,) = singular_places(mixed(SMOOTH))
    assert np.abs(place.point).max() < 0.01
    sides = [Condition(u, on=[{x: -1}, {x: 1}]), Condition(u.diff(y), on=[FLOOR, {y: 1}])]
    assert not singular_places(Problem(BOX, [LAPLACE], sides))  # right angles do no harm


def test_time_begins_with_values_and_slopes():
    wave = [u.diff(y, 2) - u.diff(x, 2)]
    begun = [Condition(u - x, on=FLOOR), Condition(u.diff(y), on=FLOOR)]
    ends = [Condition(u.diff(x), on=[{x: -1}, {x: 1}])]
    assert not singular_places(Problem(BOX, wave, begun + ends))


def test_corners():
    (place,) = singular_places(Problem(L, [LAPLACE], [Condition(u, on="boundary")]))
    assert place.point == pytest.approx([0, 0])
    assert place.width == pytest.approx(1)


@pytest.mark.parametrize("method", [None, Patches({x: 6, y: 3})])
def test_what_is_not_followed_is_not_ok(method):
    solution = solve(mixed(ROOT), method, tol=0.1)
    assert not solution.status.ok
    assert not solution.error_estimate.relative < 0.1


def test_remark():
    solution = solve(mixed(ROOT), tol=0.1)
    assert "gradient may be infinite" in str(solution)


@pytest.mark.parametrize("tol", [1e-1, 1e-3, 1e-6])
@pytest.mark.parametrize("method", [None, Patches({x: 2, y: 2})])
def test_smooth_solutions_are_ok(method, tol):
    on_l = Problem(L, [LAPLACE], [Condition(u - SMOOTH, on="boundary")])
    for problem in (mixed(SMOOTH), on_l):
        solution = solve(problem, method, tol=tol)
        assert solution.status.ok
        assert abs(solution(x=-0.5, y=0.5) - float(SMOOTH.subs({x: -0.5, y: 0.5}))) < tol


@pytest.mark.parametrize("seed", [0, 1])
def test_functions_of_another_kind_follow_nothing(seed):
    """Those of a corner are not those of a corner where a value gives way to a slope."""
    angle = sympy.atan2(-x - y, y - x) + 3 * sympy.pi / 4
    root = (x**2 + y**2) ** sympy.Rational(1, 6) * sympy.sin(angle / 3)
    conditions = [
        Condition(u, on=L.boundary(where=(x > 0) & (y <= 0) & (y > -1e-9))),
        Condition(u.diff(x), on=L.boundary(where=(y < 0) & (x >= 0))),
        Condition(u - root, on=L.boundary(where=(abs(x) > 0.999999) | (abs(y) > 0.999999))),
    ]
    assert not solve(Problem(L, [LAPLACE], conditions), tol=0.1, seed=seed).status.ok
