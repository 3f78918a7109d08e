"""Points along the ridges of nodes."""

import numpy as np

from piscm import Box, coordinates
from piscm.assemble.ridges import Ridges
from piscm.assemble.sampling import Sampling
from piscm.network.nodes import Nodes

x, t = coordinates("x t")
BOX = Box({x: (-1, 1), t: (0, 3)})


def drawn(count=1000):
    return BOX.lower + np.random.default_rng(0).random((count, 2)) * BOX.width


def moved(nodes, points):
    return Ridges(nodes, BOX).among(points, np.random.default_rng(1))


def test_half_of_the_points_go_to_a_front_however_thin_it_is():
    front = Nodes(np.array([[1000.0, 0.0]]), np.array([-200.0]))  # at x = 0.2
    there = moved(front, drawn())
    near = np.abs(1000 * there[:, 0] - 200) <= 2.5
    assert 500 <= near.sum() < 520
    np.testing.assert_array_equal(there[~near], drawn()[~near])
    np.testing.assert_array_equal(there[:, 1], drawn()[:, 1])  # across the front


def test_all_stay_in_the_domain():
    rng = np.random.default_rng(2)
    nodes = Nodes(20 * rng.normal(size=(50, 2)), 10 * rng.normal(size=50))
    there = moved(nodes, drawn())
    assert BOX.contains(there).all()
    assert len(there) == 1000


def test_a_node_that_does_not_vary_moves_nothing():
    flat = Nodes(np.zeros((1, 2)), np.ones(1))
    np.testing.assert_array_equal(moved(flat, drawn()), drawn())


def test_points_of_a_face_stay_on_it():
    face = drawn()
    face[:, 1] = 0.0
    slanted = Nodes(np.array([[30.0, 30.0]]), np.zeros(1))
    there = moved(slanted, face)
    assert (there[:, 1] == 0.0).all()
    assert (np.abs(30 * there[:, 0]) <= 2.5).mean() > 0.45


def test_those_that_stay_cover_the_whole_domain():
    # Of a Sobol sequence every second point lies in one half.
    unit = Sampling().unit_points(np.random.default_rng(3))(1024, 2)
    points = BOX.lower + unit * BOX.width
    front = Nodes(np.array([[1000.0, 0.0]]), np.array([-200.0]))
    there = moved(front, points)
    stayed = there[(there == points).all(axis=1)]
    for axis in range(2):
        right = (stayed[:, axis] > BOX.lower[axis] + BOX.width[axis] / 2).mean()
        assert 0.4 < right < 0.6


def test_a_single_point_stays():
    front = Nodes(np.array([[1000.0, 0.0]]), np.zeros(1))
    one = np.array([[0.5, 0.5]])
    np.testing.assert_array_equal(moved(front, one), one)
