"""Integrals over the inside of surface meshes, their combinations, and clouds of points."""

import numpy as np
import pytest
import sympy

from piscm import (
    PISC3,
    Ball,
    Brick,
    Condition,
    Interval,
    Mesh,
    PointCloud,
    Problem,
    ProblemError,
    Sampling,
    coordinates,
    field,
    integral,
    normal,
    normal_derivative,
    solve,
)

trimesh = pytest.importorskip("trimesh")

x, y, z, t = coordinates("x y z t")
u = field("u", x, y, z)
SPACE = (x, y, z)
TURNED = trimesh.transformations.rotation_matrix(0.7, [1, 2, 3])


def bracket():
    corners = np.array([(0, 0), (2, 0), (2, 0.5), (0.5, 0.5), (0.5, 2), (0, 2)])
    triangles = [(0, 1, 3), (1, 2, 3), (0, 3, 5), (3, 4, 5)]
    return trimesh.creation.extrude_triangulation(corners, triangles, 1.0)


def turned(mesh):
    return mesh.copy().apply_transform(TURNED)


def wave(mesh, vector):
    """The integral of exp(i k x) over the inside, by the divergence theorem on every triangle."""
    unit, share = np.polynomial.legendre.leggauss(24)
    s, t = (own.ravel() for own in np.meshgrid((unit + 1) / 2, (unit + 1) / 2))
    weights = np.outer(share, share).ravel() / 4 * (1 - s)
    a, b, c = np.asarray(mesh.triangles).transpose(1, 0, 2)
    points = a[:, None] + s[:, None] * (b - a)[:, None] + (t * (1 - s))[:, None] * (c - a)[:, None]
    through = np.cross(b - a, c - a) @ vector
    return (np.exp(1j * points @ vector) @ weights) @ through / (1j * vector @ vector)


BODIES = {  # and how well waves of 3 radians across are integrated with 16 points a line
    "box": (trimesh.creation.box((2, 2, 2)), 1e-12),
    "turned box": (turned(trimesh.creation.box((2, 2, 2))), 1e-9),
    "bracket": (bracket(), 1e-12),
    "turned bracket": (turned(bracket()), 1e-9),
    "20 triangles": (trimesh.creation.icosahedron(), 1e-9),
    "1280 triangles": (trimesh.creation.icosphere(3), 1e-8),
    "pipe": (trimesh.creation.annulus(0.3, 1, 1), 1e-7),
    "torus": (trimesh.creation.torus(1, 0.3), 1e-6),
}


@pytest.mark.parametrize("name", BODIES)
def test_the_inside_of_a_surface(name):
    mesh, accuracy = BODIES[name]
    points, weights = Mesh(SPACE, mesh).quadrature(16)
    assert weights.min() > 0
    assert len(weights) < 40_000
    assert weights.sum() == pytest.approx(mesh.volume, rel=1e-12)
    center = weights @ points / mesh.volume
    np.testing.assert_allclose(center, mesh.center_mass, atol=1e-12)
    off = points - center
    inertia = np.eye(3) * (weights @ (off**2).sum(axis=1)) - (off.T * weights) @ off
    np.testing.assert_allclose(inertia, mesh.moment_inertia, atol=1e-11)
    vector = np.array([1.3, -0.7, 0.9])
    found = weights @ np.exp(1j * points @ vector)
    assert abs(found - wave(mesh, vector)) < accuracy * mesh.volume
    sample = slice(None, None, max(1, len(points) // 300))
    assert Mesh(SPACE, mesh).contains(points[sample]).all()


def test_moments_of_a_bracket():
    points, weights = Mesh(SPACE, bracket()).quadrature(16)
    for p, q, r in [(2, 3, 1), (6, 0, 0), (5, 4, 3), (1, 7, 2)]:
        exact = (
            2 ** (p + 1) * 0.5 ** (q + 1) + 0.5 ** (p + 1) * (2 ** (q + 1) - 0.5 ** (q + 1))
        ) / ((p + 1) * (q + 1) * (r + 1))
        found = weights @ np.prod(points ** np.array([p, q, r]), axis=1)
        assert found == pytest.approx(exact, rel=1e-9)


def test_lines_in_all_directions():
    mesh = turned(bracket())
    domain = Mesh(SPACE, mesh)
    rng = np.random.default_rng(0)
    points = domain.sample_inside(300, lambda n, d: rng.random((n, d)))
    for axis, symbol in enumerate(SPACE):
        line, low, high = domain.chords(symbol, points)
        here = points[line, axis]
        hit = np.bincount(line, weights=(low < here) & (here < high), minlength=len(points))
        assert (hit == 1).all()
        middles = points[line]
        middles[:, axis] = (low + high) / 2
        assert domain.contains(middles).all()


def test_lines_in_faces():
    """They are as long as those beside them."""
    cube = Mesh(SPACE, trimesh.creation.box((2, 2, 2)))
    for axis, symbol in enumerate(SPACE):
        points = np.concatenate([np.eye(3), -np.eye(3)]) + 0.1
        points[np.abs(points) > 0.5] = np.sign(points[np.abs(points) > 0.5])
        line, low, high = cube.chords(symbol, points)
        np.testing.assert_array_equal(line, np.arange(6), err_msg=str(axis))
        np.testing.assert_allclose(high - low, 2)


def test_bodies_that_overlap_are_refused():
    one = trimesh.creation.box((2, 2, 2))
    other = one.copy().apply_translation([0.5, 0.3, 0.2])
    both = trimesh.util.concatenate([one, other])
    with pytest.raises(ProblemError, match="overlaps itself"):
        Mesh(SPACE, both).quadrature(8)


@pytest.mark.parametrize("how", ["-", "&", "|"])
def test_meshes_combined_with_others(how):
    cube = Mesh(SPACE, trimesh.creation.box((2, 2, 2)))
    ball = Ball({x: 1, y: 1, z: 1}, 0.5)
    eighth = np.pi / 6 / 8
    shape, volume = {
        "-": (cube - ball, 8 - eighth),
        "&": (cube & ball, eighth),
        "|": (cube | ball, 8 + 7 * eighth),
    }[how]
    points, weights = shape.quadrature(8)
    assert weights.sum() == pytest.approx(volume, abs=1e-5)
    assert shape.contains(points[:: len(points) // 200]).all()


def test_a_mean_on_a_bracket():
    """A mean fixes what fluxes leave open."""
    domain = Mesh(SPACE, bracket(), name="skin")
    exact = sympy.cos(x / 2) * sympy.exp(y / 2) + z
    flux = sum(normal(s) * exact.diff(s) for s in SPACE)

    def over(low_x, high_x, low_y, high_y):
        return sympy.integrate(exact, (x, low_x, high_x), (y, low_y, high_y), (z, 0, 1))

    half = sympy.Rational(1, 2)
    total = float(over(0, 2, 0, half) + over(0, half, half, 2))
    problem = Problem(
        domain,
        [u.diff(x, 2) + u.diff(y, 2) + u.diff(z, 2)],
        [
            Condition(normal_derivative(u) - flux, on="boundary"),
            Condition(integral(u, over=domain) - total),
        ],
    )
    method = PISC3(selection="orthogonal", max_nodes=100, candidates=40)
    solution = solve(problem, method, sampling=Sampling(interior=300, boundary=200))
    places = np.array([[0.2, 0.3, 0.5], [1.8, 0.2, 0.1], [0.1, 1.7, 0.9]])
    true = sympy.lambdify(SPACE, exact)(*places.T)
    np.testing.assert_allclose(solution(**dict(zip("xyz", places.T, strict=True))), true, atol=5e-3)
    assert solution.integral(u, over=domain) == pytest.approx(total, abs=1e-6)
    assert solution.integral(x * u, over=None) == pytest.approx(
        float(
            sympy.integrate(x * exact, (x, 0, 2), (y, 0, half), (z, 0, 1))
            + sympy.integrate(x * exact, (x, 0, half), (y, half, 2), (z, 0, 1))
        ),
        abs=5e-3,
    )


def circle(count):
    angle = 2 * np.pi * np.arange(count) / count
    points = np.column_stack([np.cos(angle), np.sin(angle)])
    return PointCloud((x, y), points, points)


@pytest.mark.parametrize(("count", "accuracy"), [(50, 2e-3), (200, 2e-4), (800, 2e-5)])
def test_a_cloud_is_as_accurate_as_it_is_dense(count, accuracy):
    cloud = circle(count)
    points, weights = cloud.quadrature(16)
    assert weights.sum() == pytest.approx(np.pi, rel=accuracy)
    assert weights @ points[:, 0] ** 2 == pytest.approx(np.pi / 4, rel=2 * accuracy)
    assert cloud.uncertainty < 2 * accuracy


def test_a_cloud_in_space():
    number = np.arange(800) + 0.5
    polar, turn = np.arccos(1 - 2 * number / 800), np.pi * (1 + 5**0.5) * number
    points = np.column_stack(
        [np.cos(turn) * np.sin(polar), np.sin(turn) * np.sin(polar), np.cos(polar)]
    )
    _, weights = PointCloud(SPACE, points, points).quadrature(8)
    assert weights.sum() == pytest.approx(4 / 3 * np.pi, rel=6e-3)


def test_a_cloud_that_is_too_sparse_is_refused():
    with pytest.raises(ProblemError, match=r"off by about .* %.*give more points"):
        circle(15).quadrature(16)


def test_what_a_cloud_does_not_know_is_not_promised():
    cloud, v = circle(200), field("v", x, y)
    problem = Problem(
        cloud,
        [v.diff(x, 2) + v.diff(y, 2) - 4],
        [
            Condition(normal_derivative(v) - 2, on="boundary"),
            Condition(integral(v, over=cloud) - sympy.pi / 2),
        ],
    )
    rough, sharp = (solve(problem, tol=tol, progress=False) for tol in (1e-2, 1e-6))
    assert rough.status.ok
    assert rough(x=0.3, y=0.4) == pytest.approx(0.25, abs=1e-3)
    assert not sharp.status.ok
    assert sharp.error_estimate.relative == np.inf
    assert "cloud of points may be off" in str(sharp)


def test_a_brick_is_what_its_mesh_is():
    brick = Brick({x: (-1, 1), y: (-1, 1), z: (-1, 1)})
    mesh = Mesh(SPACE, trimesh.creation.box((2, 2, 2)))
    for shape in (brick, mesh):
        points, weights = (shape * Interval(t, 0, 2)).quadrature(6)
        assert weights @ (points[:, 0] ** 2 * points[:, 3]) == pytest.approx(16 / 3)
