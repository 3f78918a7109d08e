"""Graded points lie where they should, and their rows are scaled by what they can see."""

import numpy as np
import pytest

from piscm import (
    Box,
    Condition,
    Periodic,
    Problem,
    Sampling,
    coordinates,
    field,
    normal_derivative,
)
from piscm.assemble.assembly import Assembly
from piscm.assemble.grading import GradedScaling, graded, has_layers, measuring
from piscm.assemble.row_scaling import RowScaling
from piscm.assemble.sites import draw_points
from piscm.assemble.weighting import EVEN
from piscm.assemble.windows import Part
from piscm.fit.members import Member
from piscm.network.nodes import Nodes
from piscm.network.start import Start

NEAREST = 1e-5


def layer_problem(width=0.01):
    x, y = coordinates("x y")
    u = field("u", x, y)
    return Problem(
        Box({x: (0, 2), y: (-1, 0)}),
        [-width * u.diff(x, 2) + u.diff(x) - 1],
        [Condition(u, on={x: 0}), Periodic(u, along=y)],
    )


def drawn(problem, count=400):
    blocks = Part.whole(problem).blocks
    points = draw_points(problem.domain, blocks, Sampling(count, count), np.random.default_rng(0))
    return points, graded(points, problem.domain, NEAREST, np.random.default_rng(1))


def test_half_of_the_points_are_near_a_face_at_every_distance():
    problem = layer_problem()
    even, points = (own[0][0].points for own in drawn(problem))
    assert problem.domain.contains(points).all()
    moved = (even != points).any(axis=1)
    assert np.sum(moved) == len(points) // 2
    box = problem.domain
    distances = np.minimum(points - box.lower, box.upper - points) / box.width
    nearest = distances[moved].min(axis=1)
    assert nearest.min() >= NEAREST * (1 - 1e-9)
    decades = np.histogram(np.log10(nearest), bins=[-5, -4, -3, -2, -1])[0]
    assert decades.min() > 0.1 * moved.sum()


def test_those_that_stay_are_spread_over_the_whole_box():
    even, points = (own[0][0].points for own in drawn(layer_problem()))
    stayed = points[(even == points).all(axis=1)]
    quarters = np.histogram2d(*stayed.T, bins=2, range=[[0, 2], [-1, 0]])[0]
    assert quarters.min() > 0.15 * len(stayed)


def test_means_of_measuring_points_are_true():
    problem = layer_problem()
    even = drawn(problem, 2000)[0][0][0].points
    points, weights = measuring(even, problem.domain, NEAREST, np.random.default_rng(2))
    upper = points[:, 1] > -0.5
    assert np.mean(weights * upper) == pytest.approx(0.5, abs=0.05)
    assert np.mean(weights * np.exp(-100 * points[:, 0])) == pytest.approx(0.005, rel=0.2)


def test_points_of_a_face_stay_on_it_and_pairs_stay_pairs():
    problem = layer_problem()
    even, points = drawn(problem)
    on_face = points[1][0].points
    np.testing.assert_array_equal(on_face[:, 0], 0.0)
    assert (on_face[:, 1] != even[1][0].points[:, 1]).any()
    for old, new in zip(even[2], points[2], strict=True):
        np.testing.assert_array_equal(old.points, new.points)


def test_points_of_a_line_inside_stay_on_it():
    x, t = coordinates("x t")
    u = field("u", x, t)
    middle = Condition(u, on=[{t: 0.3}, {t: 0.7}])
    problem = Problem(Box({x: (0, 1), t: (0, 1)}), [u.diff(t) + u.diff(x)], [middle])
    even, points = (own[1][0].points for own in drawn(problem))
    np.testing.assert_array_equal(points[:, 1], even[:, 1])
    assert (points[:, 0] != even[:, 0]).any()


def test_normals_stay_those_of_the_face():
    x, y = coordinates("x y")
    u = field("u", x, y)
    slopes = Condition(normal_derivative(u), on="boundary")
    problem = Problem(Box({x: (0, 2), y: (-1, 0)}), [u.diff(x, 2) + u.diff(y, 2)], [slopes])
    even, points = (own[1][0] for own in drawn(problem))
    np.testing.assert_array_equal(even.normals, points.normals)
    at_low = points.points[:, 0] == 0
    assert at_low.any()
    assert (points.normals[at_low] == [-1, 0]).all()


def test_rows_are_divided_by_the_size_of_a_node_as_steep_as_the_points_see():
    width = 0.01
    problem = layer_problem(width)
    part = Part.whole(problem)
    sizes = RowScaling((3.0,) * len(part.blocks), tuple(block.name for block in part.blocks))
    scaling = GradedScaling.on(sizes, problem.domain, Start(problem), np.zeros(0))
    _, points = drawn(problem)
    factors = scaling.factors(part.blocks[0], points[0])
    x = points[0][0].points[:, 0]
    slope = np.maximum(8.0, 1 / np.minimum(x, 2 - x))  # half a box is 1 wide
    expected = ((8 * width * 8) ** 2 + 8**2) / ((width * slope**2) ** 2 + slope**2)
    np.testing.assert_allclose(factors, expected, rtol=1e-12)
    np.testing.assert_array_equal(scaling.factors(part.blocks[1], points[1]), 1.0)


def test_slabs_take_their_share_of_the_factors():
    problem = layer_problem()
    part = Part.whole(problem)
    sizes = RowScaling((3.0,) * len(part.blocks), tuple(block.name for block in part.blocks))
    scaling = GradedScaling.on(sizes, problem.domain, Start(problem), np.zeros(0))
    _, points = drawn(problem, 40)
    assembly = Assembly(part, points, EVEN, Start(problem), scaling)
    whole = assembly.system("tanh").start().energy
    slabs = [assembly.slab(slice(k, k + 10), "tanh").start().energy for k in range(0, 40, 10)]
    assert sum(slabs) == pytest.approx(whole, rel=1e-12)


def test_layers_are_told_from_fronts():
    rng = np.random.default_rng(0)
    box = layer_problem().domain
    wall = Member("tanh", (2.0, 2.0), nearest=1e-4).draw(200, box, rng)
    assert has_layers(wall, box)
    assert not has_layers(Member("tanh", (8.0, 8.0)).draw(200, box, rng), box)
    steep = wall.weights[np.abs(wall.weights).max(axis=1) > 20]
    middle = Nodes(steep, -steep @ box.center)
    assert not has_layers(middle, box)
