"""Gradients that may be infinite: where they are looked for, and who is not ok because of them."""

import numpy as np
import pytest
import sympy

from piscm import (
    Box,
    Brick,
    Condition,
    Interval,
    Mesh,
    Patches,
    Polygon,
    Problem,
    coordinates,
    field,
    solve,
)
from piscm.inference.singular_places import singular_places

x, y, z, t = coordinates("x y z t")
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


# --- with time, and in space ------------------------------------------------------------------

h, v = field("h", x, y, t), field("v", x, y, z)
SPACE = v.diff(x, 2) + v.diff(y, 2) + v.diff(z, 2)
RADIUS, HALF = sympy.sqrt(x**2 + y**2), sympy.Rational(1, 2)
ANGLE = sympy.atan2(-x - y, y - x) + 3 * sympy.pi / 4
CORNER = (x**2 + y**2) ** sympy.Rational(1, 3) * sympy.sin(2 * ANGLE / 3)
# A disk at potential 1 in a plane (Weber): its charge is infinite at the rim.
WEBER = (2 / sympy.pi) * sympy.asin(
    1 / (sympy.sqrt((RADIUS - HALF) ** 2 + z**2) + sympy.sqrt((RADIUS + HALF) ** 2 + z**2))
)
WAVES = sympy.sin(3 * x + 1) * sympy.cos(2 * y)


def heat(domain, conditions, solution):
    """(1 + t) times a function of x and y."""
    exact = (1 + t) * solution
    left = exact.diff(t) - (
        0 if solution in (ROOT, CORNER) else exact.diff(x, 2) + exact.diff(y, 2)
    )
    equation = h.diff(t) - h.diff(x, 2) - h.diff(y, 2) - left
    return Problem(domain, [equation], [*conditions(exact), Condition(h - exact, on={t: 0})])


def mixed_heat(solution):
    domain = Box({x: (-1, 1), y: (0, 1), t: (0, 1)})
    return heat(
        domain,
        lambda exact: [
            Condition(h - exact.subs(y, 0), on=domain.boundary(FLOOR, where=x < 0)),
            Condition(
                h.diff(y) - (0 if solution is ROOT else exact.diff(y)),
                on=domain.boundary(FLOOR, where=x >= 0),
            ),
            Condition(h - exact, on=[{x: -1}, {x: 1}, {y: 1}]),
        ],
        solution,
    )


def heat_on_l(solution):
    domain = L * Interval(t, 0, 1)
    return heat(domain, lambda exact: [Condition(h - exact, on=domain.boundary("side"))], solution)


def l_in_space(solution):
    domain = L * Interval(z, 0, 1)
    exact = (1 + z) * solution
    source = 0 if solution is CORNER else exact.diff(x, 2) + exact.diff(y, 2)
    ends = [Condition(v - exact, on=[{z: 0}, {z: 1}])]
    return Problem(
        domain, [SPACE - source], [Condition(v - exact, on=domain.boundary("side")), *ends]
    )


def bricks(solution):
    block, cut = (
        Brick({x: (-1, 1), y: (-1, 1), z: (0, 1)}),
        Brick({x: (0, 2), y: (-2, 0), z: (-1, 2)}),
    )
    source = 0 if solution is CORNER else solution.diff(x, 2) + solution.diff(y, 2)
    return Problem(block - cut, [SPACE - source], [Condition(v - solution, on="boundary")])


def patch(solution):
    """A round part of the floor has values, the rest of it slopes."""
    domain = Box({x: (-1, 1), y: (-1, 1), z: (0, 1)})
    source = 0 if solution is WEBER else solution.diff(x, 2) + solution.diff(y, 2)
    value = 1 if solution is WEBER else solution
    conditions = [
        Condition(v - value, on=domain.boundary({z: 0}, where=x**2 + y**2 < 0.25)),
        Condition(v.diff(z), on=domain.boundary({z: 0}, where=x**2 + y**2 >= 0.25)),
        Condition(v - solution, on=[{x: -1}, {x: 1}, {y: -1}, {y: 1}, {z: 1}]),
    ]
    return Problem(domain, [SPACE - source], conditions)


BODIES = {
    "values and slopes, at all times": (mixed_heat, ROOT),
    "a corner at all times": (heat_on_l, CORNER),
    "a corner along z": (l_in_space, CORNER),
    "an edge of bricks": (bricks, CORNER),
    "a round patch": (patch, WEBER),
}


@pytest.mark.parametrize("name", BODIES)
def test_with_time_and_in_space(name):
    make, rough = BODIES[name]
    for seed in (0, 1):
        solution = solve(make(rough), tol=0.1, seed=seed)
        assert not solution.status.ok  # errors of 0.06 to 0.5, estimated to be 0.03 to 0.05
        assert "gradient may be infinite" in str(solution)
        for tol in (0.1, 0.01):
            assert solve(make(WAVES), tol=tol, seed=seed).status.ok


def test_edges_of_a_mesh():
    trimesh = pytest.importorskip("trimesh")
    corners = np.array([(0, 0), (1, 0), (1, 1), (-1, 1), (-1, -1), (0, -1)])
    triangles = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]
    mesh = trimesh.creation.extrude_triangulation(corners, triangles, 1.0)
    domain = Mesh((x, y, z), mesh)
    (place,) = singular_places(Problem(domain, [SPACE], [Condition(v, on="boundary")]))
    assert np.abs(place.line[:, :2]).max() < 0.02
    ball = Mesh((x, y, z), trimesh.creation.icosphere(2))
    assert not singular_places(Problem(ball, [SPACE], [Condition(v, on="boundary")]))


def test_right_angles_in_space_do_no_harm():
    box = Box({x: (0, 1), y: (0, 1), z: (0, 1)})
    sides = [Condition(v, on=[{x: 0}, {x: 1}]), Condition(v.diff(y), on=[{y: 0}, {y: 1}])]
    ends = [Condition(v.diff(z), on=[{z: 0}, {z: 1}])]
    assert not singular_places(Problem(box, [SPACE], [*sides, *ends]))
    side = (Polygon((x, y), [(0, 0), (1, 0), (1, 1), (0, 1)]) * Interval(z, 0, 1)).boundary("side")
    block = side.domain
    conditions = [Condition(v.diff(x), on=side), Condition(v, on=[{z: 0}, {z: 1}])]
    assert not singular_places(Problem(block, [SPACE], conditions))
