"""Boxes and the points drawn in them."""

import numpy as np
import pytest
import sympy

from piscm import Box, Sampling, coordinates
from piscm.assemble.sampling import RULES

x, y = coordinates("x y")
BOX = Box({x: (-1, 3), y: (0, sympy.pi)})


def draw(rule="sobol", seed=0):
    return Sampling(rule=rule).unit_points(np.random.default_rng(seed))


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("count", [1, 16, 100])
def test_interior_points_lie_inside(rule, count):
    points = BOX.sample_inside(count, draw(rule))
    assert BOX.contains(points).all()
    assert len(points) == count
    if count == 100:
        assert (points.min(axis=0) < BOX.lower + 0.1 * BOX.width).all()
        assert (points.max(axis=0) > BOX.upper - 0.1 * BOX.width).all()


def test_boundary_has_every_face_and_its_outward_normal():
    points, normals = BOX.sample_boundary(101, draw())
    assert len(points) == 101
    assert BOX.contains(points).all()
    np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1.0)
    assert not BOX.contains(points + 0.01 * normals).any()
    assert {tuple(normal) for normal in normals} == {(-1, 0), (1, 0), (0, -1), (0, 1)}


def test_an_interval_has_two_ends():
    t = coordinates("t")
    points, normals = Box({t: (0, 5)}).sample_boundary(100, draw())
    np.testing.assert_array_equal(points, [[0.0], [5.0]])
    np.testing.assert_array_equal(normals, [[-1.0], [1.0]])
