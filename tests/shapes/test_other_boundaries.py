"""Conditions on the boundaries of other shapes than the domain, and on several parts at once."""

import numpy as np
import pytest
import sympy

from piscm import (
    PISC3,
    Box,
    Condition,
    Disk,
    Interval,
    Problem,
    ProblemError,
    Rectangle,
    Region,
    Sampling,
    coordinates,
    field,
    integral,
    normal_derivative,
    solve,
)
from piscm.assemble.marching import obstacle
from piscm.files import read_problem_file
from piscm.problem.integrals import integrals_in
from piscm.text.document import problem_from_document, problem_to_document
from piscm.text.writing import problem_text

x, y, t, k = coordinates("x y t k")
u, w = field("u", x, y), field("w", x, y, t)
LAPLACE = u.diff(x, 2) + u.diff(y, 2)
HEAT = w.diff(t) - w.diff(x, 2) - w.diff(y, 2)
SQUARE, HOLE = Rectangle({x: (-1, 1), y: (-1, 1)}), Disk({x: 0, y: 0}, 0.3)
PLATE = SQUARE - HOLE


def legs(problem, number=0, domain=None):
    drawing = Sampling(100, 100).drawing(np.random.default_rng(0))
    (leg,) = problem.conditions[number].place.sample(domain or problem.domain, drawing)
    return leg.points, leg.normals


def on(domain, place):
    return Problem(domain, [LAPLACE], [Condition(u - 1, on=place)])


def test_the_boundary_of_a_hole_is_a_part_of_that_of_the_plate():
    points, normals = legs(on(PLATE, HOLE.boundary()))
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), 0.3)
    np.testing.assert_allclose(normals, -points / 0.3, atol=1e-12)  # out of the plate
    points, normals = legs(on(PLATE, SQUARE.boundary()))
    np.testing.assert_allclose(np.abs(points).max(axis=1), 1)
    np.testing.assert_allclose(np.sum(points * normals, axis=1), 1)


def test_what_is_cut_off_has_no_points():
    points, _ = legs(on(SQUARE - Disk({x: 1, y: 0}, 0.5), Disk({x: 1, y: 0}, 0.5).boundary()))
    assert len(points) == 100
    assert (points[:, 0] <= 1).all()
    points, _ = legs(on(SQUARE - Disk({x: 1, y: 0}, 0.5), SQUARE.boundary(where=x > 0.9)))
    assert (np.abs(points[:, 1]) >= 0.5).all()


@pytest.mark.parametrize(
    ("inner", "far"),
    [(Disk({x: 0, y: 0}, 0.5), 2), (Box({x: (-0.5, 0.5), y: (-0.5, 0.5)}), np.inf)],
)
def test_a_curve_inside(inner, far):
    points, normals = legs(on(Disk({x: 0, y: 0}, 1), inner.boundary()))
    np.testing.assert_allclose(np.linalg.norm(points, far, axis=1), 0.5)
    np.testing.assert_allclose(np.sum(points * normals, axis=1), 0.5)


def test_the_same_shape_written_anew_is_the_domain():
    problem = on(Disk({x: 0, y: 0}, 1), Disk({x: 0, y: 0}, 1).boundary)
    assert str(problem.conditions[0].place) == "the boundary"


@pytest.mark.parametrize("given", [HOLE, HOLE * Interval(t, 0, 1), HOLE * Interval(t, -1, 2)])
def test_in_time(given):
    domain = PLATE * Interval(t, 0, 1)
    side = given.boundary() if given is HOLE else given.boundary("side")
    problem = Problem(domain, [HEAT], [Condition(w, on={t: 0}), Condition(w, on=side)])
    assert obstacle(problem, t) is None
    for low, high in ((0, 1), (0.2, 0.4)):
        points, normals = legs(problem, 1, domain.cut(t, low, high))
        assert len(points) == 100
        np.testing.assert_allclose(np.hypot(points[:, 0], points[:, 1]), 0.3)
        np.testing.assert_allclose(normals[:, :2], -points[:, :2] / 0.3, atol=1e-12)
        assert not normals[:, 2].any()
        assert low <= points[:, 2].min() < low + 0.1 * (high - low)
        assert high >= points[:, 2].max() > high - 0.1 * (high - low)
        # For all times at all places: the angle and the time have nothing to do with each other.
        angles = np.arctan2(points[:, 1], points[:, 0])
        assert abs(np.corrcoef(angles, points[:, 2])[0, 1]) < 0.2


def test_for_a_part_of_the_time_windows_do_not_follow():
    side = (HOLE * Interval(t, 0, 0.5)).boundary("side")
    domain = PLATE * Interval(t, 0, 1)
    problem = Problem(domain, [HEAT], [Condition(w, on={t: 0}), Condition(w, on=side)])
    assert "a part of its range" in obstacle(problem, t)


def test_the_ends_of_an_interval_in_time():
    ends = Box({x: (0, 1)}).boundary()
    v = field("v", x, t)
    problem = Problem(Box({x: (0, 1), t: (0, 2)}), [v.diff(t)], [Condition(v, on=ends)])
    points, normals = legs(problem)
    assert set(points[:, 0]) == {0.0, 1.0}
    assert np.ptp(points[:, 1]) > 1.8
    np.testing.assert_array_equal(normals[:, 0], 2 * points[:, 0] - 1)


def test_an_annulus_is_solved():
    outer, inner = Disk({x: 0, y: 0}, 1), Disk({x: 0, y: 0}, 0.5)
    problem = Problem(
        outer - inner,
        [LAPLACE],
        [Condition(normal_derivative(u) - 1, on=inner.boundary), Condition(u, on=outer.boundary())],
    )
    solution = solve(problem, tol=1e-3, seed=0)
    assert solution.status.ok
    assert float(solution(x=0.5, y=0)) == pytest.approx(0.5 * np.log(2), abs=1e-3)


def _two(conditions):
    regions = [Region(PLATE, {k: 1}, name="a"), Region(HOLE, {k: 2}, name="b")]
    return Problem(equations=[k * LAPLACE], regions=regions, conditions=conditions)


def test_with_regions():
    problem = _two([Condition(u - x, on=(SQUARE & Box({x: (-1, 0), y: (-1, 1)})).boundary())])
    points, _ = legs(problem)  # the left half of the rim, and the line that halves the plate
    assert (np.abs(points).max(axis=1) <= 1).all()
    assert (points[:, 0] <= 0).all()
    assert (np.hypot(*points.T) >= 0.3).all()
    with pytest.raises(ProblemError, match="interface"):
        _two([Condition(u, on=HOLE.boundary())])


@pytest.mark.parametrize("place", [HOLE.boundary(), [{x: -1}, HOLE.boundary(where=y > 0)]])
def test_written_and_read(place, tmp_path):
    problem = on(PLATE, place)
    document = problem_to_document(problem)
    assert problem_to_document(problem_from_document(document)) == document
    path = tmp_path / "a.toml"
    path.write_text(problem_text(problem))
    again = read_problem_file(path).problem
    np.testing.assert_array_equal(legs(again)[0], legs(problem)[0])


def test_integrals_over_them_are_written_and_read():
    around = integral(u, over=HOLE.boundary(where=y > 0))
    problem = Problem(PLATE, [LAPLACE], [Condition(u, on="boundary"), Condition(around - 1)])
    again = problem_from_document(problem_to_document(problem))
    (part,) = integrals_in(again.conditions[1].expression)
    assert part.over.quadrature(8)[1].sum() == pytest.approx(0.3 * np.pi)


def test_several_parts_share_the_points():
    plate = Rectangle({x: (-1, 1), y: (-1, 1)}, name="rim") - Disk({x: 0, y: 0}, 0.3, name="hole")
    both = [plate.boundary("hole"), plate.boundary("rim", where=x > 0.99)]
    points, normals = legs(on(plate, both))
    assert len(points) == 100
    assert np.count_nonzero(points[:, 0] > 0.99) == 50
    assert normals.shape == (100, 2)
    assert legs(on(plate, [*both, {x: 0.5}]))[1] is None
    domain = plate * Interval(t, 0, 1)
    sides = [domain.boundary("hole"), domain.boundary("rim")]
    problem = Problem(domain, [HEAT], [Condition(w, on={t: 0}), Condition(w, on=sides)])
    assert obstacle(problem, t) is None
    with pytest.raises(ProblemError, match="hoel"):
        on(plate, [plate.boundary("hole"), "hoel"])
    conditions = [Condition(u, on=[{x: 1}, SQUARE.boundary(where=y > 0.99)])]
    assert len(_two(conditions).conditions) == 2 + 2


def test_a_forgotten_call():
    disk = Disk({x: 0, y: 0}, 1)
    problem = Problem(
        disk, [LAPLACE - 1], [Condition(u, on=disk.boundary), Condition(integral(u, disk.boundary))]
    )
    solution = solve(problem, PISC3(max_nodes=5), sampling=Sampling(20, 10), seed=0)
    assert np.isfinite(solution(x=sympy.S.Zero, y=0))
