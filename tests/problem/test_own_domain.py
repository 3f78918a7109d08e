"""A domain of the user's: any class that keeps the protocol goes through `solve`."""

import numpy as np
import pytest
import sympy

from piscm import (
    PISC3,
    Auto,
    Box,
    Condition,
    Observations,
    Problem,
    ProblemError,
    Sampling,
    coordinates,
    field,
    solve,
    unknown,
)
from piscm.problem.domain import Domain

x, y = coordinates("x y")
u = field("u", x, y)
k = unknown("k")
SAMPLING = Sampling(interior=400, boundary=120)
FEW = PISC3(max_nodes=2, candidates=3)
METHOD = PISC3(selection="orthogonal", max_nodes=120, candidates=60)


class ByRejection(Domain):
    """A part of a box: points of the box are drawn until enough of them lie inside."""

    def __init__(self, box):
        self._box = box

    @property
    def coordinates(self):
        return self._box.coordinates

    @property
    def bounding_box(self):
        return self._box

    def sample_inside(self, count, draw):
        return self.sample_slice({}, count, draw)

    def sample_slice(self, fixed, count, draw):
        found = np.zeros((0, self.dimension))
        while len(found) < count:
            points = self._box.sample_slice(fixed, 4 * count, draw)
            found = np.concatenate([found, points[self.contains(points)]])
        return found[:count]

    def cut(self, coordinate, low, high):
        raise ProblemError("It is not cut.")


class Annulus(ByRejection):
    def __init__(self, inner, outer):
        self.inner, self.outer = inner, outer
        super().__init__(Box({x: (-outer, outer), y: (-outer, outer)}))

    def contains(self, points):
        radius = np.linalg.norm(np.asarray(points, dtype=float), axis=-1)
        return (radius >= self.inner - 1e-9) & (radius <= self.outer + 1e-9)

    def sample_boundary(self, count, draw, part=None):
        angle = 2 * np.pi * draw(count, 1)[:, 0]
        outward = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        outside = np.arange(len(angle)) % 2 == 0
        radius = np.where(outside, self.outer, self.inner)[:, None]
        return radius * outward, np.where(outside[:, None], outward, -outward)


class Triangle(ByRejection):
    """Below the diagonal of the unit square."""

    def __init__(self):
        super().__init__(Box({x: (0, 1), y: (0, 1)}))

    def contains(self, points):
        points = np.asarray(points, dtype=float)
        return self._box.contains(points) & (points.sum(axis=-1) <= 1 + 1e-9)

    def sample_boundary(self, count, draw, part=None):
        corners = np.array([[0, 0], [1, 0], [0, 1], [0, 0]], dtype=float)
        normals = np.array([[0, -1], [np.sqrt(0.5), np.sqrt(0.5)], [-1, 0]])
        along = draw(count, 1)
        side = np.arange(len(along)) % 3
        start, end = corners[side], corners[side + 1]
        return start + along * (end - start), normals[side]


ANNULUS = Annulus(0.5, 1.0)
HARMONIC = sympy.exp(x) * sympy.sin(y) + x * y
CASES = {
    "annulus": (ANNULUS, sympy.sin(x + 2 * y) + x * y / 3),
    "triangle": (Triangle(), sympy.sin(2 * x) * sympy.exp(y) + x**2),
}


def poisson(domain, exact):
    source = exact.diff(x, 2) + exact.diff(y, 2)
    equation = u.diff(x, 2) + u.diff(y, 2) - source
    return Problem(domain, [equation], [Condition(u - exact, on="boundary")])


def inside(domain, count=300):
    rng = np.random.default_rng(7)
    return domain.sample_inside(count, lambda many, dimension: rng.random((many, dimension)))


def truth(exact, points):
    return sympy.lambdify((x, y), exact, "numpy")(*points.T)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("method", [METHOD, Auto(activation="sin")], ids=["PISC3", "Auto"])
def test_poisson(name, method):
    domain, exact = CASES[name]
    solution = solve(
        poisson(domain, exact), method, sampling=SAMPLING if method is METHOD else None
    )
    points = inside(domain)
    found = solution(x=points[:, 0], y=points[:, 1])
    np.testing.assert_allclose(found, truth(exact, points), atol=1e-4)
    assert solution.error_estimate.relative < 1e-3
    assert np.abs(solution.residual(points)).max() < 1e-1


@pytest.mark.parametrize("name", CASES)
def test_points_lie_where_they_should(name):
    domain, exact = CASES[name]
    solution = solve(poisson(domain, exact), FEW, sampling=SAMPLING)
    equation, boundary = solution.block_residuals
    assert (equation.rows, boundary.rows) == (400, 120)
    rng = np.random.default_rng(0)
    points, normals = domain.sample_boundary(60, lambda n, d: rng.random((n, d)))
    assert domain.contains(points).all()
    assert domain.contains(points - 1e-3 * normals).all() or name == "triangle"
    assert not domain.contains(points + 1e-3 * normals).any()


def test_outside_of_it_nothing_is_answered():
    solution = solve(poisson(*CASES["annulus"]), FEW, sampling=SAMPLING)
    with pytest.raises(ProblemError, match="outside the domain"):
        solution(x=0.1, y=0.1)


def test_a_condition_on_a_slice_and_data_inside():
    """On the x axis the value is given, on the circles the rest; the strength is found."""
    data = inside(ANNULUS, 30)
    problem = Problem(
        ANNULUS,
        [u.diff(x, 2) + u.diff(y, 2)],
        [Condition(u - k * HARMONIC, on="boundary"), Condition(u - k * HARMONIC, on={y: 0})],
        {k: 1.0},
        [Observations(u, data, 2.5 * truth(HARMONIC, data))],
    )
    solution = solve(problem, METHOD, sampling=SAMPLING)
    assert solution.unknowns["k"].value == pytest.approx(2.5, abs=1e-4)
    assert solution.block_residuals[2].fitted < 1e-4


def test_data_outside_of_it_are_refused():
    with pytest.raises(ProblemError, match="outside the domain"):
        Problem(ANNULUS, [u.diff(x)], [], None, [Observations(u, [[0.0, 0.0]], [1.0])])


def test_it_cannot_be_written_to_a_file(tmp_path):
    solution = solve(poisson(*CASES["annulus"]), FEW, sampling=SAMPLING)
    with pytest.raises(ProblemError, match="file"):
        solution.save(tmp_path / "a.npz")
