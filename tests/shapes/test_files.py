"""Shapes in saved solutions and in problem files."""

import pickle

import numpy as np
import pytest
import sympy

import piscm
from piscm import (
    PISC3,
    Ball,
    Box,
    Brick,
    Condition,
    Disk,
    Ellipse,
    Interval,
    Polygon,
    Problem,
    ProblemError,
    Sampling,
    coordinates,
    field,
    integral,
    normal_derivative,
    solve,
)
from piscm.files import read_problem_file
from piscm.shapes.reading import Reader
from piscm.text.declarations import Declarations
from piscm.text.document import problem_from_document, problem_to_document
from piscm.text.mistakes import Mistakes
from piscm.text.reading import read_document

x, y, z, t, s = coordinates("x y z t s")
u, w = field("u", x, y), field("w", x, y, t)
QUICK = dict(method=PISC3(max_nodes=3, candidates=3), sampling=Sampling(60, 20))


def plate():
    rim = Polygon((x, y), [(0, 0), (2, 0), (2, 1), (0, 1)], name="rim")
    return rim - Disk({x: 1, y: 0.5}, radius=0.2, name="hole")


def problems():
    ring = Ellipse({x: 0, y: 0}, (2, 1), angle=0.3) - Disk({x: 0, y: 0}, 0.5, name="inner")
    pipe = plate() * Interval(t, 0, 2)
    box = Box({x: (0, 1), y: (0, 1)})
    laplace = u.diff(x, 2) + u.diff(y, 2)
    line = field("f", x)
    v = field("v", x, y, z)
    bitten = Brick({x: (0, 1), y: (0, 1), z: (0, 1)}) - Ball({x: 0, y: 0, z: 0}, 0.5, name="bite")
    domain = plate()
    return {
        "parts": Problem(
            domain,
            [laplace],
            [
                Condition(u - 1, on=domain.boundary("rim")),
                Condition(
                    normal_derivative(u), on=domain.boundary("hole", where=(x > 1) | (y < 0.5))
                ),
            ],
        ),
        "integrals": Problem(
            ring,
            [laplace - 1],
            [
                Condition(normal_derivative(u), on=ring.boundary("inner")),
                Condition(integral(u, over=ring) - 1),
                Condition(integral(u**2, over=ring.boundary()) - 1),
                Condition(integral(u, over=Disk({x: 0.7, y: 0}, 0.1)) - 1),
            ],
        ),
        "product": Problem(
            pipe,
            [w.diff(t) - w.diff(x, 2) - w.diff(y, 2)],
            [Condition(w - x, on={t: 0}), Condition(w, on=pipe.boundary("side"))],
        ),
        "a part of a face": Problem(
            box, [laplace], [Condition(u, on=box.boundary({x: 0}, where=y < 0.5))]
        ),
        "kernel": Problem(
            Box({x: (0, 1)}),
            [line - integral(sympy.exp(x * s) * line.subs(x, s), over=(s, 0, x)) - 1],
            [Condition(line - 1, on={x: 0})],
        ),
        "solid": Problem(
            bitten,
            [v.diff(x, 2) + v.diff(y, 2) + v.diff(z, 2)],
            [Condition(v - 1, on=bitten.boundary("bite")), Condition(v, on={x: 1})],
        ),
    }


@pytest.mark.parametrize("name", list(problems()))
def test_saved_and_loaded(name, tmp_path):
    problem = problems()[name]
    solution = solve(problem, **QUICK)
    solution.save(tmp_path / "a.npz")
    again = piscm.load(tmp_path / "a.npz")
    assert problem_to_document(again.problem) == problem_to_document(problem)
    rng = np.random.default_rng(0)
    points = problem.domain.sample_inside(20, lambda n, d: rng.random((n, d)))
    at = {
        symbol.name: values
        for symbol, values in zip(problem.domain.coordinates, points.T, strict=True)
    }
    np.testing.assert_array_equal(again(**at), solution(**at))
    same = solve(again.problem, **QUICK)
    np.testing.assert_array_equal(same(**at), solution(**at))


def test_a_problem_file(tmp_path):
    path = tmp_path / "plate.toml"
    path.write_text(
        """
equations = ["diff(u, x, 2) + diff(u, y, 2) = -1"]
conditions = [
    {expression = "u - 1", on = {part = "rim"}},
    {expression = "normal_derivative(u) + u", on = {part = "hole"}},
    {expression = "u - 1", on = {where = "(x < 0.1) & (y > 1/2)"}},
    {expression = "integral(u, domain) - 1"},
    {expression = "integral(u*normal(x), round) - 1"},
]

[regions]
round = {part = "hole"}

[domain]
shape = "difference"
of = [
    {shape = "polygon", coordinates = ["x", "y"], outline = [[0, 0], [2, 0], [2, 1], [0, 1]],
     name = "rim"},
    {shape = "disk", center = {x = 1, y = "1/2"}, radius = 0.2, name = "hole"},
]
""".replace("1]],\n     name", "1]], name")
    )
    problem = read_problem_file(path).problem
    assert repr(problem.domain) == repr(plate())
    assert len(problem.conditions) == 5
    assert solve(problem, **QUICK).n_nodes == 3


@pytest.mark.parametrize(
    ("domain", "message"),
    [
        ({"shape": "blob"}, "blob"),
        ({"shape": "ball", "center": {"x": 0, "y": 0}}, "radius"),
        ({"shape": "ball", "center": [0, 0], "radius": 1}, "center"),
        ({"shape": "ball", "center": {"x": 0, "y": 0}, "radius": 1, "size": 2}, "size"),
        ({"shape": "union", "of": [{"x": [0, 1], "y": [0, 1]}]}, "two shapes"),
        ({"shape": "polygon", "coordinates": ["x", "y"], "outline": "POLYGON"}, "not a geometry"),
        ({"shape": "polygon", "coordinates": ["x", 3], "outline": []}, "name of a coordinate"),
    ],
)
def test_bad_documents(domain, message):
    document = {"domain": domain, "equations": ["u"], "conditions": []}
    with pytest.raises(ProblemError, match=message):
        problem_from_document(document)


@pytest.mark.parametrize(
    ("on", "message"),
    [
        ({"part": "hoel"}, "hole"),
        ({"where": "x"}, "not a comparison"),
        ({"where": "x < 1), (2, True"}, "not a condition"),
        ({"part": "hole", "size": 1}, "not a coordinate"),
    ],
)
def test_bad_places(on, message):
    document = problem_to_document(problems()["parts"])
    document["conditions"] = [{"expression": "u", "on": on}]
    with pytest.raises(ProblemError, match=message):
        problem_from_document(document)


def test_a_function_as_a_condition_cannot_be_written(tmp_path):
    domain = plate()
    part = domain.boundary(where=lambda points: points[:, 0] > 1.0)
    problem = Problem(domain, [u.diff(x, 2) + u.diff(y, 2)], [Condition(u, on=part)])
    with pytest.raises(ProblemError, match="file"):
        solve(problem, **QUICK).save(tmp_path / "a.npz")


@pytest.mark.parametrize("name", list(problems()))
def test_pickled(name):
    problem = problems()[name]
    again = pickle.loads(pickle.dumps(problem))
    assert repr(again) == repr(problem)
    same = solve(again, **QUICK).fitted_residual
    assert same == solve(problem, **QUICK).fitted_residual


DISK = {"shape": "disk", "center": {"x": 1, "y": 0.5}, "radius": 0.3}
SQUARE = {"shape": "rectangle", "bounds": {"x": [0, 2], "y": [0, 1]}}


@pytest.mark.parametrize(
    ("shape", "key"),
    [
        ({**DISK, "radius": -0.3}, ("radius",)),
        ({**DISK, "shape": "dsik"}, ("shape",)),
        ({**DISK, "size": 3}, ("size",)),
        ({"shape": "difference", "of": [SQUARE, {**DISK, "radius": 0}]}, ("of", 1, "radius")),
        (
            {
                "shape": "polygon",
                "coordinates": ["x", "y"],
                "outline": [[0, 0], [1, 1], [1, 0], [0, 1]],
            },
            ("outline",),
        ),
        ({"shape": "mesh", "coordinates": ["x", "y", "z"], "file": "no.stl"}, ("file",)),
    ],
)
def test_a_mistake_in_a_shape_is_told_once_where_it_is(shape, key):
    document = {
        "domain": shape,
        "equations": ["laplacian(u) = -1"],
        "conditions": ["u = 0 on boundary", {"expression": "u", "on": {"part": "hole"}}],
    }
    mistakes = Mistakes()
    assert read_document(document, Declarations(mistakes)) is None
    (only,) = mistakes.found
    assert only.key == ("domain", *key)


@pytest.mark.parametrize("kind", ["stl", "geojson", "wkt"])
def test_a_shape_from_a_file_beside_the_problem_file(kind, tmp_path):
    import trimesh

    made = 'shape = "polygon"\ncoordinates = ["x", "y"]'
    if kind == "stl":
        trimesh.creation.box().export(tmp_path / "part.stl")
        made = 'shape = "mesh"\ncoordinates = ["x", "y", "z"]'
    elif kind == "wkt":
        (tmp_path / "part.wkt").write_text("POLYGON((0 0, 1 0, 1 1, 0 0))")
    else:
        text = '{"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 0]]]}'
        (tmp_path / "part.geojson").write_text(text)
    path = tmp_path / "a.toml"
    path.write_text(
        'equations = ["laplacian(u) = -1"]\nconditions = ["u = 0 on boundary"]\n'
        f'[domain]\n{made}\nfile = "part.{kind}"\n'
    )
    domain = read_problem_file(path).problem.domain
    assert domain.dimension == (3 if kind == "stl" else 2)
    path.write_text(path.read_text().replace("part.", "other."))
    with pytest.raises(ProblemError, match="no file"):
        read_problem_file(path)


def test_shapes_of_files_in_conditions_and_regions(tmp_path):
    (tmp_path / "hole.wkt").write_text("POLYGON((0.4 0.4, 0.6 0.4, 0.6 0.6, 0.4 0.4))")
    hole = '{shape = "polygon", coordinates = ["x", "y"], file = "hole.wkt"}'
    text = (
        'equations = ["laplacian(u) = -integral(u, core)"]\n'
        f'conditions = [{{expression = "u", on = {{of = {hole}}}}}, '
        f'{{expression = "u - 1", on = ["boundary", {{of = {hole}}}]}}]\n'
        f"[domain]\nx = [0, 1]\ny = [0, 1]\n[regions]\ncore = {hole}\n"
    )
    (tmp_path / "a.toml").write_text(text)
    assert len(read_problem_file(tmp_path / "a.toml").problem.conditions) == 2


@pytest.mark.parametrize(
    "given",
    [
        {"shape": "polygon", "coordinates": ["x", "y"], "outline": [[0, 0], [1, 0], [1, 1]]},
        {"shape": "mesh", "coordinates": ["x", "y", "z"], "vertices": [], "faces": []},
    ],
)
def test_a_shape_is_a_file_or_numbers(given):
    with pytest.raises(ProblemError, match="give one of them"):
        Reader(coordinates, float)({**given, "file": "part.wkt"})


def test_reading_a_mesh_prints_nothing(tmp_path, capsys):
    import meshio

    path = tmp_path / "a.msh"
    points = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
    meshio.Mesh(points, [("triangle", [[0, 1, 2]])]).write(path, file_format="gmsh22")
    piscm.read_mesh((x, y), path)
    assert capsys.readouterr().out == ""


def test_a_file_that_is_no_mesh(tmp_path):
    for name in ("junk.msh", "junk.vtu", "junk.xyz"):
        (tmp_path / name).write_text("hello")
        with pytest.raises(ProblemError, match="damaged, or of another format"):
            piscm.read_mesh((x, y), tmp_path / name)
