"""Points over the cells of a grid: as many in each, on the faces and lines that they belong to."""

import numpy as np

from piscm import Box, Condition, Periodic, Problem, Sampling, coordinates, field
from piscm.assemble.cells import over_cells, spread_over_cells, uneven
from piscm.assemble.sites import draw_points
from piscm.compile.blocks import compile_blocks

x, y = coordinates("x y")
u = field("u", x, y)
SQUARE = Box({x: (0, 1), y: (-1, 1)})
EDGES = ((0.0, 0.001, 0.1, 1.0), (-1.0, 1.0))


def test_even_cells_are_no_uneven_ones():
    assert uneven(SQUARE, EDGES)
    assert not uneven(SQUARE, ((0.0, 0.25, 0.5, 0.75, 1.0), (-1.0, 0.0, 1.0)))


def test_every_cell_has_as_many_points():
    points = Sampling(300, 10).unit_points(np.random.default_rng(0))(300, 2) * [1, 2] - [0, 1]
    found = np.histogram(over_cells(points, EDGES)[:, 0], EDGES[0])[0]
    assert np.abs(found - 100).max() <= 10
    assert np.array_equal(over_cells(points, EDGES)[:, 1], points[:, 1])


def test_points_stay_on_their_faces_and_lines():
    conditions = [
        Condition(u, on={x: 0}),
        Condition(u, on={x: 0.5}),
        Condition(u, on={x: 0.5, y: 0}),
        Periodic(u, along=y),
    ]
    problem = Problem(SQUARE, [u.diff(x, 2) + u.diff(y, 2)], conditions)
    rng = np.random.default_rng(0)
    points = draw_points(SQUARE, compile_blocks(problem), Sampling(100, 20), rng)
    moved = spread_over_cells(points, EDGES)
    face, line, point, pair = (moved[number] for number in range(1, 5))
    assert (face[0].points[:, 0] == 0).all()
    assert (line[0].points[:, 0] == 0.5).all()
    assert np.array_equal(point[0].points, [[0.5, 0.0]])
    one, other = (leg.points for leg in pair)
    assert np.array_equal(one[:, 0], other[:, 0])
    assert np.mean(one[:, 0] < 0.1) > 0.5
