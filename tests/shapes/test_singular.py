"""Singular functions: at re-entrant corners, in holes, and as the user names them."""

from types import SimpleNamespace

import numpy as np
import pytest
import sympy

import piscm
from piscm import (
    Auto,
    Box,
    Condition,
    Disk,
    Polygon,
    Problem,
    ProblemError,
    Rectangle,
    Status,
    coordinates,
    field,
    polar_power,
    singular_functions,
    solve,
    zoo,
)
from piscm.march.first_look import first_look, needs_more_nodes
from piscm.network.model import Model
from piscm.network.singular import _derivative
from piscm.shapes.singular import corners, holes

x, y = coordinates("x y")
u = field("u", x, y)
L_SHAPE = Polygon((x, y), [(0, 0), (0, -1), (-1, -1), (-1, 1), (1, 1), (1, 0)])


def test_polar_powers_solve_laplace_and_have_their_derivatives():
    power = polar_power(x + 2 * y, -2 * x + y, sympy.Rational(2, 3), sympy.pi / 2)
    assert sympy.expand(power.diff(x, 2) + power.diff(y, 2)) == 0
    written = power.written_out
    at = np.random.default_rng(0).uniform(0.2, 1.0, (20, 2))
    for orders in ((0, 0), (1, 0), (0, 1), (2, 1), (0, 3)):
        exact = written
        for symbol, order in zip((x, y), orders, strict=True):
            exact = exact.diff(symbol, order) if order else exact
        expected = sympy.lambdify((x, y), exact)(*at.T)
        assert _derivative(power, orders, (x, y), at) == pytest.approx(expected, rel=1e-10)


def test_corners_of_polygons_and_of_differences():
    (corner,) = corners(L_SHAPE)
    assert corner.point == pytest.approx([0, 0])
    assert corner.angle == pytest.approx(1.5 * np.pi)
    square = Rectangle({x: (-1, 1), y: (-1, 1)})
    (same,) = corners(square - Rectangle({x: (0, 1), y: (-1, 0)}))
    assert same.angle == pytest.approx(corner.angle)
    assert corners(square) == []
    assert len(corners(square - Rectangle({x: (-0.2, 0.2), y: (-0.2, 0.2)}))) == 4


def test_holes():
    plate = Rectangle({x: (0, 2), y: (0, 1)}) - Disk({x: 0.5, y: 0.5}, 0.1)
    ((center, radius),) = holes(plate)
    assert (*center, radius) == pytest.approx((0.5, 0.5, 0.1))
    assert holes(Rectangle({x: (0, 1), y: (0, 1)}) | Disk({x: 0.5, y: 0.5}, 0.1)) == []
    assert len(singular_functions(plate)) > 10


def test_l_shape_by_itself():
    benchmark = zoo.load("laplace-corner")
    solution = solve(benchmark.problem)
    assert solution.status.ok
    assert benchmark.relative_error(solution) < 1e-8
    largest = max(solution.amplitudes["u"].values(), key=abs)
    assert largest == pytest.approx(1, abs=1e-6)


def test_named_by_the_user(tmp_path):
    """A nonlinear equation: the singular part counts in the products as well."""
    turned = (-x + y) / sympy.sqrt(2), (-x - y) / sympy.sqrt(2)
    power = polar_power(*turned, sympy.Rational(2, 3), 0)
    exact = power.written_out
    problem = Problem(
        L_SHAPE,
        [u.diff(x, 2) + u.diff(y, 2) + u**2 - exact**2],
        [Condition(u - exact, on="boundary")],
        singular={u: [power]},
    )
    solution = solve(problem, tol=1e-5)
    at = {"x": np.array([-0.5, 0.3, -1e-3]), "y": np.array([0.1, 0.7, 1e-3])}
    truth = sympy.lambdify((x, y), exact)(at["x"], at["y"])
    assert solution(**at) == pytest.approx(truth, abs=1e-5)
    solution.save(tmp_path / "l.npz")
    again = piscm.load(tmp_path / "l.npz")
    assert isinstance(again.network, Model)
    assert np.array_equal(again(**at), solution(**at))
    assert solution.unknowns == {}


def test_none_is_a_choice():
    problem = Problem(
        L_SHAPE, [u.diff(x, 2) + u.diff(y, 2) + 1], [Condition(u, on="boundary")], singular={}
    )
    assert not problem.tries_singular
    assert not problem.amplitudes


def test_bad_singular_functions():
    def problem(singular):
        return Problem(
            L_SHAPE, [u.diff(x, 2) + u.diff(y, 2)], [Condition(u, on="boundary")], singular=singular
        )

    with pytest.raises(ProblemError, match="not a field"):
        problem({x: [x]})
    with pytest.raises(ProblemError, match="give a list"):
        problem({u: x})
    with pytest.raises(ProblemError, match="nobody declared"):
        problem({u: [coordinates("z") ** 2]})


def test_singular_functions_come_before_many_smooth_nodes():
    laplace = u.diff(x, 2) + u.diff(y, 2)
    problem = Problem(L_SHAPE, [laplace + 1], [Condition(u, on="boundary")])
    assert first_look(problem, Auto()).max_nodes < Auto().max_nodes
    named = Problem(L_SHAPE, [laplace + 1], [Condition(u, on="boundary")], singular={u: ()})
    curved = Problem(L_SHAPE, [laplace + u**2], [Condition(u, on="boundary")])
    square = Problem(Box({x: (0, 1), y: (0, 1)}), [laplace + 1], [Condition(u, on="boundary")])
    for other in (named, curved, square):
        assert first_look(other, Auto()) == Auto()


def test_more_smooth_nodes_are_tried_where_singular_functions_gain_nothing():
    def ended(error, status=Status.HOPELESS):
        return SimpleNamespace(status=status, error=SimpleNamespace(relative=error))

    assert needs_more_nodes(ended(0.1), ended(0.05))
    assert not needs_more_nodes(ended(0.1), ended(1e-3))
    assert not needs_more_nodes(ended(0.1), ended(0.05, Status.CONVERGED))
