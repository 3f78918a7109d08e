"""Shapes in space: cylinders, surface meshes, files of mesh generators."""

import meshio
import numpy as np
import pytest
import trimesh

from piscm import (
    PISC3,
    Ball,
    Condition,
    Cylinder,
    Mesh,
    PointCloud,
    Problem,
    ProblemError,
    Region,
    Sampling,
    coordinates,
    field,
    load,
    normal_derivative,
    read_mesh,
    solve,
)
from piscm.budget.budget import Budget, OutOfTimeError, spending

x, y, z = coordinates("x y z")
v = field("v", x, y, z)
LAPLACE = v.diff(x, 2) + v.diff(y, 2) + v.diff(z, 2)


def draw():
    return Sampling().unit_points(np.random.default_rng(0))


def checked(shape, count=300, step=1e-5):
    points, normals = shape.sample_boundary(count, draw())
    assert abs(len(points) - count) < count / 5
    assert shape.contains(points).all()
    assert (shape.level(points + step * normals) > 0).all()
    assert (shape.level(points - step * normals) < 0).all()
    inside = shape.sample_inside(count, draw())
    assert shape.contains(inside).all()


def test_a_cylinder_with_a_bore():
    block = Cylinder({x: 0, y: 0, z: (0, 2)}, radius=1, name="block")
    bore = Cylinder({x: (-2, 2), y: 0, z: 1}, radius=0.3, name="bore")
    assert block.quadrature(12)[1].sum() == pytest.approx(2 * np.pi, rel=1e-6)
    assert block.boundary_quadrature(8)[1].sum() == pytest.approx(6 * np.pi)
    assert block.boundary_quadrature(8, "block[low]")[1].sum() == pytest.approx(np.pi)
    checked(block - bore)
    assert set((block - bore).parts) >= {"block", "block[side]", "bore", "bore[side]"}
    assert "bore[low]" not in (block - bore).parts
    with pytest.raises(ProblemError, match="exactly one"):
        Cylinder({x: 0, y: 0, z: 1}, radius=1)


def test_a_mesh_looks_at_the_clock():
    cube = Mesh((x, y, z), trimesh.creation.box(extents=(2, 2, 2)))
    points = np.random.default_rng(1).uniform(-1.5, 1.5, (4000, 3))
    whole = cube.level(points)
    np.testing.assert_array_equal(whole[:7], cube.level(points[:7]))
    with spending(Budget(deadline=0.0)), pytest.raises(OutOfTimeError):
        cube.level(points)


def test_a_mesh_knows_inside_from_outside():
    cube = Mesh((x, y, z), trimesh.creation.box(extents=(2, 2, 2)), name="skin")
    points = np.random.default_rng(1).uniform(-1.5, 1.5, (500, 3))
    np.testing.assert_array_equal(cube.contains(points), np.abs(points).max(axis=1) <= 1)
    outside = np.maximum(np.abs(points) - 1, 0)
    far = outside.max(axis=1) > 0
    np.testing.assert_allclose(cube.level(points)[far], np.linalg.norm(outside, axis=1)[far])
    checked(cube)
    assert cube.boundary_quadrature(3)[1].sum() == pytest.approx(24)
    checked(cube - Ball({x: 1, y: 1, z: 1}, 0.8, name="bite"), step=1e-4)


def test_poisson_in_a_file(tmp_path):
    trimesh.creation.icosphere(subdivisions=2).export(tmp_path / "ball.stl")
    solid = Mesh((x, y, z), tmp_path / "ball.stl")
    exact = x * y + z**2 - x**2
    problem = Problem(solid, [LAPLACE], [Condition(v - exact, on="boundary")])
    method = PISC3(selection="orthogonal", max_nodes=80, candidates=40)
    solution = solve(problem, method, sampling=Sampling(400, 200))
    assert float(solution(x=0.2, y=0.3, z=-0.1)) == pytest.approx(0.06 + 0.01 - 0.04, abs=1e-3)
    solution.save(tmp_path / "a.npz")
    again = load(tmp_path / "a.npz")
    assert float(again(x=0.2, y=0.3, z=-0.1)) == float(solution(x=0.2, y=0.3, z=-0.1))


def test_an_open_mesh_is_refused():
    box = trimesh.creation.box(extents=(2, 2, 2))
    torn = trimesh.Trimesh(box.vertices, box.faces[1:])
    with pytest.raises(ProblemError, match=r"not closed: 3 of its edges.*near \("):
        Mesh((x, y, z), torn)
    with pytest.raises(ProblemError, match="file"):
        Mesh((x, y, z), 3)


def test_a_cloud_of_points_with_normals(tmp_path):
    angle = 2 * np.pi * np.arange(400) / 400
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    cloud = PointCloud((x, y), circle, 3 * circle, name="rim")
    assert cloud.contains([[0.5, 0.5], [0.99, 0.0]]).all()
    assert not cloud.contains([[0.8, 0.8]])[0]
    u = field("u", x, y)
    problem = Problem(
        cloud,
        [u.diff(x, 2) + u.diff(y, 2)],
        [Condition(normal_derivative(u) + u - 3 * x * y, on=cloud.boundary("rim"))],
    )
    method = PISC3(selection="orthogonal", max_nodes=60, candidates=40)
    solution = solve(problem, method, sampling=Sampling(200, 80))
    assert float(solution(x=0.3, y=0.4)) == pytest.approx(0.12, abs=1e-4)
    solution.save(tmp_path / "a.npz")
    assert float(load(tmp_path / "a.npz")(x=0.3, y=0.4)) == float(solution(x=0.3, y=0.4))
    with pytest.raises(ProblemError, match="not known"):
        solution.integral(over="boundary")
    assert solution.integral(u**0) == pytest.approx(np.pi, rel=1e-4)
    with pytest.raises(ProblemError, match="normal of point 0"):
        PointCloud((x, y), circle, 0 * circle)
    with pytest.raises(ProblemError, match="both must be"):
        PointCloud((x, y), circle, circle[:3])
    with pytest.raises(ProblemError, match=r"point 0 of the cloud, at \(1, 0\).* inward"):
        PointCloud((x, y), circle, -circle)


def test_a_flat_mesh_with_physical_groups(tmp_path):
    points = np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0], [1, 1, 0], [2, 1, 0]], float)
    triangles = np.array([[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4]])
    lines = np.array([[0, 3], [2, 5]])
    mesh = meshio.Mesh(
        points,
        [("line", lines), ("triangle", triangles)],
        cell_data={
            "gmsh:physical": [np.array([1, 2]), np.full(4, 3)],
            "gmsh:geometrical": [np.array([1, 2]), np.full(4, 3)],
        },
        field_data={"inlet": np.array([1, 1]), "outlet": np.array([2, 1])},
    )
    meshio.write(tmp_path / "a.msh", mesh, file_format="gmsh22", binary=False)
    channel = read_mesh((x, y), tmp_path / "a.msh")
    assert channel.quadrature(6)[1].sum() == pytest.approx(2, rel=1e-6)
    found, normals = channel.sample_boundary(10, draw(), "inlet")
    assert (found[:, 0] == 0).all()
    assert (normals == [-1, 0]).all()
    with pytest.raises(ProblemError, match="not a mesh"):
        read_mesh((x, y), tmp_path / "b.msh")


def test_groups_of_cells_are_regions(tmp_path):
    points = np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0], [1, 1, 0], [2, 1, 0]], float)
    triangles = np.array([[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4]])
    tags = [np.array([1, 2, 3]), np.array([4, 4, 5, 5])]
    mesh = meshio.Mesh(
        points,
        [("line", np.array([[0, 3], [2, 5], [1, 4]])), ("triangle", triangles)],
        cell_data={"gmsh:physical": tags, "gmsh:geometrical": tags},
        field_data={
            "cold": np.array([1, 1]),
            "hot": np.array([2, 1]),
            "joint": np.array([3, 1]),
            "steel": np.array([4, 2]),
            "copper": np.array([5, 2]),
        },
    )
    path = tmp_path / "a.msh"
    meshio.write(path, mesh, file_format="gmsh22", binary=False)
    assert "joint" not in read_mesh((x, y), path).parts  # it lies inside
    steel, copper = (read_mesh((x, y), path, group=name) for name in ("steel", "copper"))
    assert {"cold", "joint"} < set(steel.parts)
    assert "hot" not in steel.parts
    k, u = coordinates("k"), field("u", x, y)
    problem = Problem(
        regions=[Region(steel, {k: 1}, name="steel"), Region(copper, {k: 3}, name="copper")],
        equations=[(k * u.diff(x)).diff(x) + (k * u.diff(y)).diff(y)],
        conditions=[
            Condition(u, on=steel.boundary("cold")),
            Condition(u - 4, on=copper.boundary("hot")),
            Condition(u.diff(y), on=[{y: 0}, {y: 1}]),
        ],
    )
    method = PISC3(max_nodes=30, selection="orthogonal", candidates=60, activation="sin")
    solution = solve(problem, method, sampling=Sampling(interior=150, boundary=30))
    assert float(solution(x=1.0, y=0.5)) == pytest.approx(3, abs=1e-2)
    with pytest.raises(ProblemError, match=r"no physical group 'tin'.*: copper, steel"):
        read_mesh((x, y), path, group="tin")
    meshio.write(tmp_path / "a.vtu", mesh)  # which keeps numbers, no names
    numbered = read_mesh((x, y), tmp_path / "a.vtu", group="group 5")
    assert numbered.bounding_box.lower[0] == 1


def test_tetrahedra_with_physical_groups(tmp_path):
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]], float)
    cells = np.array([[0, 1, 2, 3], [1, 2, 3, 4]])
    mesh = meshio.Mesh(
        points,
        [("triangle", np.array([[0, 1, 2]])), ("tetra", cells)],
        cell_data={
            "gmsh:physical": [np.array([7]), np.array([1, 1])],
            "gmsh:geometrical": [np.array([7]), np.array([1, 1])],
        },
        field_data={"floor": np.array([7, 2])},
    )
    meshio.write(tmp_path / "a.msh", mesh, file_format="gmsh22", binary=False)
    solid = read_mesh((x, y, z), tmp_path / "a.msh")
    checked(solid, 100)
    one = read_mesh((x, y, z), tmp_path / "a.msh", group="group 1")
    assert one.contains([[0.2, 0.2, 0.2]])[0]
    floor, normals = solid.sample_boundary(10, draw(), "floor")
    assert (floor[:, 2] == 0).all()
    np.testing.assert_allclose(normals, np.tile([0, 0, -1], (len(floor), 1)))


def test_triangles_that_disagree_are_turned():
    ball = trimesh.creation.icosphere(subdivisions=2)
    bodies = trimesh.util.concatenate([trimesh.creation.box(extents=(2, 2, 2)), ball])
    bodies.vertices[8:, 0] += 4
    rng = np.random.default_rng(0)
    faces = bodies.faces.copy()
    turned = rng.random(len(faces)) < 0.4
    faces[turned] = faces[turned][:, ::-1]
    mesh = Mesh((x, y, z), (bodies.vertices, faces))
    assert mesh.contains([[0.9, 0, 0], [1.1, 0, 0], [4.5, 0, 0]]).tolist() == [True, False, True]
    points, weights, normals = mesh.boundary_quadrature(4)
    volume = weights @ (points * normals).sum(axis=1) / 3
    assert volume == pytest.approx(8 + ball.volume)
