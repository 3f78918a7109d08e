"""Points that crowd towards the edges of a box."""

import numpy as np

from piscm import Box, Condition, Problem, Sampling, coordinates, field
from piscm.assemble.sites import draw_points
from piscm.assemble.towards_edges import towards_edges
from piscm.assemble.windows import Part


def test_half_of_the_points_of_the_equation_crowd_in_corners():
    x, y = coordinates("x y")
    u = field("u", x, y)
    box = Box({x: (0, 2), y: (-1, 0)})
    problem = Problem(box, [u.diff(x, 2) + u.diff(y, 2)], [Condition(u - x, on="boundary")])
    blocks = Part.whole(problem).blocks
    rng = np.random.default_rng(0)
    even = draw_points(box, blocks, Sampling(2000, 100), rng)
    crowded = towards_edges(even, blocks, box, rng)
    before, after = even[0][0].points, crowded[0][0].points
    kept = np.all(before == after, axis=1)
    assert kept.sum() == len(before) // 2
    assert np.all((after >= box.lower) & (after <= box.upper))
    np.testing.assert_array_equal(even[1][0].points, crowded[1][0].points)

    def in_corners(points):
        far = np.minimum(points - box.lower, box.upper - points) / box.width
        return np.sum(np.all(far < 0.01, axis=1))

    # A hundredth of a line has 0.064 of all Chebyshev points at each end, so corners have 16.
    assert in_corners(before) <= 3
    assert 8 <= in_corners(after[~kept]) <= 30
