"""Sources that are so narrow that no point sees them are found by what they are made of."""

import numpy as np
import pytest
import sympy

from piscm import Box, Condition, Problem, Status, coordinates, field, solve
from piscm.assemble.steep_places import steep_places

X = coordinates("x y z")
CENTER = (0.3713, 0.6131, 0.4519)


def square_of_distance(dimension):
    return sum((a - c) ** 2 for a, c in zip(X[:dimension], CENTER, strict=False))


def poisson(dimension, more):
    """A smooth source with something more, and zero on the boundary of a unit box."""
    own = X[:dimension]
    u = field("u", *own)
    waves = sympy.Mul(*(sympy.sin(sympy.pi * a) for a in own))
    laplacian = sum(u.diff(a, 2) for a in own)
    equation = laplacian + dimension * sympy.pi**2 * waves + more(u, square_of_distance(dimension))
    return Problem(Box({a: (0, 1) for a in own}), [equation], [Condition(u, on="boundary")])


@pytest.mark.parametrize("dimension", [1, 2, 3])
@pytest.mark.parametrize(
    "bump",
    [
        lambda r2: sympy.exp(-r2 / 1e-8),
        lambda r2: 1 / (r2 + 1e-8) ** 2,
        lambda r2: 3 * sympy.tanh((r2 - 0.01) * 1e6),
        lambda r2: sympy.cosh(sympy.sqrt(r2 + 1e-9) / 1e-4) ** -2,
        lambda r2: sympy.Piecewise((100, r2 < 1e-8), (0, True)),
        lambda r2: sympy.Heaviside(1e-8 - r2),
    ],
)
def test_centers_and_edges_are_found(dimension, bump):
    points = np.random.default_rng(0).random((500, dimension))
    places = steep_places(bump(square_of_distance(dimension)), X[:dimension], points)
    squares = ((places - CENTER[:dimension]) ** 2).sum(axis=1)
    assert min(squares.min(), np.abs(squares - 0.01).min()) < 1e-9


def test_what_is_on_a_face_or_unknown_is_left_out():
    points = np.random.default_rng(0).random((500, 2))
    x, y, z = X
    assert not len(steep_places(sympy.exp(-x / 1e-4) + sympy.exp(z - y**2), (x, y), points))


@pytest.mark.parametrize(("dimension", "width"), [(2, 3e-4), (2, 1e-6), (3, 3e-3), (3, 1e-5)])
def test_a_source_that_no_point_sees_is_told(dimension, width):
    def source(u, r2):
        return sympy.exp(-r2 / width**2) / width**dimension

    solution = solve(poisson(dimension, source), seed=21)
    assert solution.status is Status.UNSEEN
    assert solution.error_estimate.relative == np.inf


def test_a_coefficient_that_no_point_sees_is_told():
    solution = solve(poisson(2, lambda u, r2: -1e9 * sympy.exp(-r2 / 1e-8) * u), seed=0)
    assert solution.status is Status.UNSEEN


def test_what_points_see_is_solved():
    smooth = poisson(2, lambda u, r2: sympy.exp(-5 * r2) + 1 / (1 + r2))
    solution = solve(smooth, tol=1e-4, seed=0)  # its corners make more digits slow
    assert solution.status.ok


@pytest.mark.parametrize("written", ["piecewise", "heaviside"])
@pytest.mark.parametrize("seed", [0, 2])
def test_a_source_in_a_small_disk_is_told_where_other_points_may_hit_it(written, seed):
    x, y, _ = X
    u, r2 = field("u", x, y), (x - 0.31) ** 2 + (y - 0.62) ** 2
    made = {
        "piecewise": sympy.Piecewise((100, r2 < 4e-4), (0, True)),
        "heaviside": 100 * sympy.Heaviside(4e-4 - r2),
    }
    equation = u.diff(x, 2) + u.diff(y, 2) + made[written]
    problem = Problem(Box({x: (0, 1), y: (0, 1)}), [equation], [Condition(u, on="boundary")])
    assert solve(problem, tol=1e-2, seed=seed).status is Status.UNSEEN
