"""Rings around re-entrant corners, for solutions whose gradient is infinite there."""

from types import SimpleNamespace

import numpy as np
import pytest
import sympy

import piscm
from piscm import Condition, Disk, Polygon, Problem, Status, coordinates, field
from piscm.fit.members import Member
from piscm.fit.piece import task_for
from piscm.fit.trial import Making
from piscm.fit.trials import Laboratory
from piscm.march.ringed import ringed
from piscm.network.start import Start
from piscm.shapes.rings import rings

x, y = coordinates("x y")
u, v = field("u", x, y), field("v", x, y)
LAPLACE = u.diff(x, 2) + u.diff(y, 2)
L = Polygon((x, y), [(0.2, 0), (0.2, -1), (-1, -1), (-1, 1), (1, 1), (1, 0)])
U = Polygon((x, y), [(0, 0), (3, 0), (3, 2), (2, 2), (2, 1), (1, 1), (1, 2), (0, 2)])
MISSED = SimpleNamespace(status=Status.HOPELESS, error=None)


def _even(count, dimension):
    return np.random.default_rng(0).random((count, dimension))


@pytest.mark.parametrize(("shape", "count"), [(L, 4), (U, 5)])
def test_rings_cover_the_shape_and_do_not_overlap(shape, count):
    found = rings(shape)
    assert len(found) == count
    points = shape.sample_inside(2000, _even)
    assert (np.sum([own.contains(points) for own in found], axis=0) == 1).all()


def test_rings_keep_away_from_other_sides_and_corners():
    boxes = sorted((rings(U)[number].bounding_box for number in (1, 3)), key=lambda b: b.lower[0])
    assert boxes[0].upper[0] < boxes[1].lower[0]
    small = rings(Polygon((x, y), [(0, 0), (9, 0), (9, 9), (8, 9), (8, 1), (0, 1)]))[1]
    assert np.allclose(small.bounding_box.lower, (7.6, 0.6), rtol=1e-3)


@pytest.mark.parametrize(
    "shape",
    [
        Disk({x: 0, y: 0}, 1),
        Polygon((x, y), [(0, 0), (1, 0), (0, 1)]),
    ],
)
def test_a_shape_without_corners_has_no_rings(shape):
    assert rings(shape) == []


def test_only_what_was_missed_and_is_linear_is_tried_in_rings():
    conditions = [Condition(u, on="boundary")]
    problem = Problem(L, [LAPLACE + 1], conditions)
    assert ringed(problem, MISSED).written_fields == (u,)
    assert ringed(problem, SimpleNamespace(status=Status.CONVERGED, error=None)) is None
    almost = SimpleNamespace(status=Status.HOPELESS, error=SimpleNamespace(relative=1e-5))
    assert ringed(problem, almost) is None
    assert ringed(Problem(L, [LAPLACE + u**2 + 1], conditions), MISSED) is None
    k = piscm.unknown("k")
    assert ringed(Problem(L, [LAPLACE + k], conditions, unknowns={k: 1.0}), MISSED) is None


def test_fields_are_tied_up_to_the_order_of_their_equations():
    equations = [LAPLACE - v, v.diff(x, 2) + v.diff(y, 2) - 1]
    plate = Problem(L, [*equations], [Condition(u, on="boundary"), Condition(v, on="boundary")])
    fourth = LAPLACE.diff(x, 2) + LAPLACE.diff(y, 2) - 1
    alone = Problem(L, [fourth.doit()], [Condition(u, on="boundary"), Condition(u, on="boundary")])
    for problem in (plate, alone):
        assert len(ringed(problem, MISSED).statement.interface) == 4


def test_a_singular_solution_is_followed_by_few_smooth_nodes():
    a = x - 0.2
    angle = sympy.atan2(-(a + y), y - a) + 3 * sympy.pi / 4
    exact = (a**2 + y**2) ** sympy.Rational(1, 3) * sympy.sin(2 * angle / 3)
    problem = Problem(L, [LAPLACE], [Condition(u - exact, on="boundary")], singular={})
    points = L.sample_inside(1000, _even)
    true = sympy.lambdify((x, y), exact)(*points.T)

    def error(own):
        rng = np.random.default_rng(0)
        weights = {"equations": 1.0, "conditions": 1.0}
        lab = Laboratory(task_for(own, None, Start(own), weights, rng), None, rng)
        network = lab.trial(Member("tanh", (4.0, 4.0)), Making(75, None, False, 1)).network
        found = network.values(u, points)
        return np.linalg.norm(found - true) / np.linalg.norm(true)

    assert error(ringed(problem, MISSED)) < 0.02 < error(problem)


def test_parts_of_the_boundary_are_those_of_the_rings():
    sides = [L.boundary(f"side[{number}]") for number in range(6)]
    problem = Problem(L, [LAPLACE + 1], [Condition(u, on=sides)], singular={})
    made = ringed(problem, MISSED)
    names = [str(item.place) for item in made.conditions]
    assert "side[0] of ring3" in names
    assert "side[5] of ring3" in names
    assert not any("Polygon" in name for name in names)
