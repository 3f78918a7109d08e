"""Stretches of the boundary without a condition."""

import numpy as np
import pytest

from piscm import Box, Condition, Disk, Periodic, Polygon, Problem, coordinates, field
from piscm.assemble.windows import Part
from piscm.inference.covering import bare_boundary
from piscm.network.network import Network
from piscm.network.nodes import Nodes
from piscm.network.start import Start

x, y, t = coordinates("x y t")
z, w = field("z", x, y), field("w", x, t)
PLATE = Polygon((x, y), [(0, 0), (2, 0), (2, 1), (0, 1)], name="rim") - Disk(
    {x: 1, y: 0.5}, radius=0.2, name="hole"
)
LAPLACE = z.diff(x, 2) + z.diff(y, 2)
STRIP = Box({x: (0, 1), t: (0, 1)})


def bare(domain, equation, *conditions):
    problem = Problem(domain, [equation], list(conditions))
    empty = np.zeros((0, 1))
    network = Network(problem, Start(problem), "sin", Nodes.none(2), empty, np.zeros(0))
    return bare_boundary(Part.whole(problem), network)


def test_a_hole_without_a_condition_is_found():
    where = bare(PLATE, LAPLACE + 1, Condition(z, on=PLATE.boundary("rim")))
    assert np.hypot(where[0] - 1, where[1] - 0.5) == pytest.approx(0.2)


def test_a_slice_covers_the_side_where_it_lies_and_nothing_from_inside():
    rest = Condition(z, on=PLATE.boundary("rim", where=x > 0))
    hole, side = Condition(z, on=PLATE.boundary("hole")), Condition(z, on={x: 0})
    assert bare(PLATE, LAPLACE, rest, hole, side) is None
    assert bare(PLATE, LAPLACE, rest, hole, Condition(z, on={x: 0.5}))[0] == pytest.approx(0)


def test_a_face_without_a_condition_is_found():
    sides = Condition(z, on=[{x: 0}, {x: 2}, {y: 0}])
    where = bare(Box({x: (0, 2), y: (0, 1)}), LAPLACE, sides)
    assert where[1] == 1


@pytest.mark.parametrize(
    ("domain", "equation", "conditions"),
    [
        (PLATE, LAPLACE, [Condition(z, on="boundary")]),
        (
            PLATE,
            LAPLACE,
            [Condition(z, on=PLATE.boundary(name)) for name in ("rim", "hole")],
        ),
        (
            STRIP,
            w.diff(t) - w.diff(x, 2),
            [Condition(w, on={t: 0}), Periodic(w, along=x), Periodic(w.diff(x), along=x)],
        ),
        (
            STRIP,
            w.diff(t, 2) - w.diff(x, 2),
            [Condition(w, on={t: 0}), Condition(w.diff(t), on={t: 0})],
        ),
        (STRIP, w.diff(t) + w.diff(x), [Condition(w, on={t: 0})]),
    ],
    ids=["whole", "parts", "periodic", "hyperbolic", "first order"],
)
def test_nothing_is_missing_or_another_rule_holds(domain, equation, conditions):
    assert bare(domain, equation, *conditions) is None


def test_two_conditions_on_one_side_may_stand_for_another_one():
    start = [Condition(z, on={y: 0}), Condition(z.diff(y) - 1, on={y: 0})]
    sides = Condition(z, on=[{x: 0}, {x: 1}])
    assert bare(Box({x: (0, 1), y: (0, 1)}), LAPLACE, *start, sides) is None
