"""Where conditions stand: each place and the points drawn there."""

import numpy as np
import sympy
from builders import assembly_of

from piscm import Box, Condition, Observations, Periodic, Problem, Sampling, coordinates, field

x, y = coordinates("x y")
u = field("u", x, y)
BOX = Box({x: (-1, 3), y: (0, sympy.pi)})


def problem(*conditions, observations=()):
    return Problem(BOX, [u.diff(x, 2) + u.diff(y, 2)], list(conditions), None, list(observations))


def points_of(*conditions, **kwargs):
    """For each block the points of its legs."""
    task = problem(*conditions, **kwargs)
    points = assembly_of(task, Sampling(interior=32, boundary=16)).points
    return [[leg.points for leg in legs] for legs in points]


def test_face_edge_point_and_line_inside():
    _, face, line, point = points_of(
        Condition(u, on={x: 3}), Condition(u, on={x: 0.5}), Condition(u, on={x: -1, y: 0})
    )
    assert face[0].shape == line[0].shape == (16, 2)
    assert (face[0][:, 0] == 3).all()
    assert (line[0][:, 0] == 0.5).all()
    np.testing.assert_array_equal(point[0], [[-1.0, 0.0]])


def test_several_faces_share_the_points():
    _, faces = points_of(Condition(u, on=[{x: -1}, {x: 3}, {y: 0}]))
    assert len(faces[0]) == 16
    assert (faces[0][:6, 0] == -1).all()


def test_conditions_at_one_place_share_their_points():
    _, value, slope = points_of(Condition(u, on={x: 3}), Condition(u.diff(x), on={x: 3}))
    assert value[0] is slope[0]


def test_periodic_points_come_in_pairs():
    _, (high, low) = points_of(Periodic(u, along=y))
    np.testing.assert_array_equal(high[:, 0], low[:, 0])
    assert (high[:, 1] == np.pi).all()
    assert (low[:, 1] == 0).all()


def test_observations_stand_where_they_were_made():
    where = np.array([[0.0, 1.0], [2.0, 3.0]])
    *_, observed = points_of(observations=[Observations(u, where, [1.0, 2.0])])
    np.testing.assert_array_equal(observed[0], where)


def test_in_one_dimension_a_condition_is_one_point():
    t = coordinates("t")
    w = field("w", t)
    task = Problem(Box({t: (0, 1)}), [w.diff(t) + w], [Condition(w - 1, on={t: 0})])
    _, (start,) = assembly_of(task, Sampling()).points
    np.testing.assert_array_equal(start.points, [[0.0]])
