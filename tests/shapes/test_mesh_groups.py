"""Physical groups of the cells of a mesh file as regions of a problem file."""

import numpy as np
import pytest

from piscm import ProblemError, load, solve
from piscm.files import read_problem_file

meshio = pytest.importorskip("meshio")

FILE = """
equations = ["diff(k*u_x, x) + diff(k*u_y, y) = 0"]
conditions = [
    {expression = "u", on = {part = "cold"}},
    {expression = "u - 4", on = {part = "hot"}},
    {expression = "u_y", on = [{y = 0}, {y = 1}]},
]

[[region]]
name = "steel"
domain = {shape = "mesh", coordinates = ["x", "y"], file = "plate.msh", group = "steel"}
values = {k = 1}

[[region]]
name = "copper"
domain = {shape = "mesh", coordinates = ["x", "y"], file = "plate.msh", group = "copper"}
values = {k = 3}
"""


@pytest.fixture
def folder(tmp_path):
    points = np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0], [1, 1, 0], [2, 1, 0]], float)
    triangles = np.array([[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4]])
    tags = [np.array([1, 2]), np.array([4, 4, 5, 5])]
    mesh = meshio.Mesh(
        points,
        [("line", np.array([[0, 3], [2, 5]])), ("triangle", triangles)],
        cell_data={"gmsh:physical": tags, "gmsh:geometrical": tags},
        field_data={
            "cold": np.array([1, 1]),
            "hot": np.array([2, 1]),
            "steel": np.array([4, 2]),
            "copper": np.array([5, 2]),
        },
    )
    meshio.write(tmp_path / "plate.msh", mesh, file_format="gmsh22", binary=False)
    return tmp_path


def read(folder, text):
    path = folder / "plate.toml"
    path.write_text(text, encoding="utf-8")
    return read_problem_file(path)


def test_materials_of_a_mesh(folder):
    problem = read(folder, FILE).problem
    solution = solve(problem, tol=1e-4)
    assert solution.status.ok
    exact = {0.5: 1.5, 1.0: 3.0, 1.5: 3.5}  # a kink where the conductivity changes
    for at, value in exact.items():
        assert float(solution(x=at, y=0.3)) == pytest.approx(value, abs=1e-3)
    solution.save(folder / "a.npz")
    assert float(load(folder / "a.npz")(x=0.5, y=0.3)) == float(solution(x=0.5, y=0.3))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('group = "copper"', 'group = "tin"', r"no physical group 'tin'.*copper, steel"),
        ('group = "copper"', "group = 5", r"group = 5 is not a name"),
        ('file = "plate.msh", group = "copper"', 'group = "copper"', "give file"),
        ('file = "plate.msh", group = "copper"', 'file = "a.stl", group = "copper"', "surface"),
    ],
)
def test_a_mistake_is_told_at_its_entry(folder, old, new, message):
    (folder / "a.stl").write_text("solid a\nendsolid a\n")
    with pytest.raises(ProblemError, match=message) as caught:
        read(folder, FILE.replace(old, new))
    shown = str(caught.value)
    place = shown[: shown.index("^")].splitlines()
    assert "group = " in place[-2]
    assert place[-2].find("group = ") <= len(place[-1])


def test_a_group_as_the_domain(folder):
    text = 'equations = ["laplacian(u) = -1"]\nconditions = ["u = 0 on boundary"]\n[domain]\n'
    made = 'shape = "mesh"\ncoordinates = ["x", "y"]\nfile = "plate.msh"\ngroup = "copper"\n'
    domain = read(folder, text + made).problem.domain
    assert domain.span(domain.coordinates[0]) == (1, 2)
