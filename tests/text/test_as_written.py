"""Problem files as people write them: what they mean, and all that is wrong in them at once."""

import json
import tomllib
from pathlib import Path

import jsonschema
import numpy as np
import pytest
import sympy

import piscm
from piscm import Problem, ProblemError, coordinates, field, read_problem_file, zoo
from piscm.cli.starter import STARTER
from piscm.files import reference_page, schema
from piscm.text.document import problem_to_document
from piscm.text.parse import parse_condition, parse_expression
from piscm.text.positions import Positions

x, t = coordinates("x t")
u, v = field("u", x, t), field("v", t)
SYMBOLS, FIELDS = {"x": x, "t": t}, {"u": u, "v": v}
DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def written(tmp_path):
    """``written(text)``: a problem file."""

    def write(text, **tables):
        path = tmp_path / "mine.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


# --- formulas -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("u_t + u*u_x = 3*u_xx", u.diff(t) + u * u.diff(x) - 3 * u.diff(x, 2)),
        ("u_xt + v_tt", u.diff(x, t) + v.diff(t, 2)),
        ("u_xx(x, t)", u.diff(x, 2)),
        ("u +\n u_t", u + u.diff(t)),
        ("laplacian(u, x, t)", u.diff(x, 2) + u.diff(t, 2)),
    ],
)
def test_subscripts_are_derivatives(text, meaning):
    assert sympy.expand(parse_expression(text, SYMBOLS, FIELDS) - meaning) == 0


def test_a_declared_name_comes_first():
    own = sympy.Symbol("u_x", real=True)
    assert parse_expression("u_x", {**SYMBOLS, "u_x": own}, FIELDS) == own


def test_a_subscript_with_two_meanings_is_refused():
    a, aa = coordinates("a aa")
    w = field("w", a, aa)
    with pytest.raises(ProblemError, match="two ways"):
        parse_expression("w_aa", {"a": a, "aa": aa}, {"w": w})


@pytest.mark.parametrize("text", ["u_y", "w_x", "u_x(1)", "u_x(x=0)", "u(x=0)", "u_" + "x" * 3000])
def test_what_is_no_derivative_is_refused(text):
    with pytest.raises(ProblemError):
        parse_expression(text, SYMBOLS, FIELDS)


def test_places_in_conditions():
    assert parse_condition("u_x(x=0) = 1", SYMBOLS, FIELDS)[:2] == (u.diff(x) - 1, [((x, 0),)])
    assert parse_condition("u(0, t) + u_x(x=0)", SYMBOLS, FIELDS)[1] == [((x, 0),)]
    assert parse_condition("u(x=pi/2, t=0)", SYMBOLS, FIELDS)[1] == [((x, sympy.pi / 2), (t, 0))]
    assert parse_condition("u(x, t)", SYMBOLS, FIELDS)[1] == []
    for wrong in ("u(x=0) + u(x=1)", "u(y=0)", "u(x=t)", "u(0)", "u(0, x=0)"):
        with pytest.raises(ProblemError):
            parse_condition(wrong, SYMBOLS, FIELDS)


# --- files --------------------------------------------------------------------------------------

FILE = """
equations = ["u_t + u*u_x = nu*u_xx + q"]
conditions = [
    "u(t=0) = start",
    "u(x=-1) = u(x=1)",
    {expression = "u_x(x=0.5) = 0", weight = 2},
    {expression = "u", on = {x = "half"}},
]
[domain]
x = [-1, 1]
t = [0, "2*half"]
[constants]
half = 0.5
nu = "half/pi"
[expressions]
wave = "sin(pi*x)"
q = "wave*exp(-t)"
start = "-wave"
[initial]
u = "start*(1 - t)"
[method]
name = "Windows"
coordinate = "t"
count = 3
method = {name = "PISC3", max_nodes = 7, ranges = [1, 2]}
[sampling]
interior = 50
[weights]
conditions = 10
[solve]
tol = 1e-3
seed = 4
max_seconds = 30
[units]
x = "m"
"""


def test_everything_that_python_can_say(written):
    file = read_problem_file(written(FILE))
    symbols = {s.name: s for s in file.problem.domain.coordinates}
    own = file.problem.fields[0]
    a, b = symbols["x"], symbols["t"]
    source = sympy.sin(sympy.pi * a) * sympy.exp(-b)
    meant = own.diff(b) + own * own.diff(a) - own.diff(a, 2) * 0.5 / sympy.pi - source
    assert sympy.simplify(file.problem.equations[0] - meant) == 0
    first, second, third, fourth = file.problem.conditions
    assert str(first) == "u(x, t) + sin(pi*x) = 0 on t = 0"
    assert "periodic along x" in str(second)
    assert third.weight == 2
    assert str(third.place) == "x = 0.5" == str(fourth.place)
    assert file.method == piscm.Windows(b, 3, method=file.method.method)
    assert (file.method.method.max_nodes, file.method.method.ranges) == (7, (1, 2))
    assert file.sampling.interior == 50
    assert file.weights == {"conditions": 10}
    assert file.run == {"tol": 1e-3, "seed": 4, "max_seconds": 30}
    assert list(file.initial) == [own]
    assert file.units == {"x": "m"}
    assert (
        float(read_problem_file(written(FILE), constants={"half": 1}).problem.domain.upper[1]) == 2
    )


def test_on_the_boundary_in_words(written):
    text = """
    equations = ["laplacian(u) + 4^2*u = 1"]
    conditions = ["u = 0 on boundary", "normal_derivative(u) = 1 on the hole"]
    [domain]
    shape = "difference"
    of = [{shape = "disk", center = {x = 0, y = 0}, radius = 1, name = "rim"},
          {shape = "disk", center = {x = 0, y = 0}, radius = 0.2, name = "hole"}]
    """
    problem = Problem.from_file(written(text))
    assert [str(item.place) for item in problem.conditions] == ["the boundary", "hole"]


WRONG = """
equations = ["u_t + u*u_x = nu*u_xx", "u = wave"]
conditions = [
    "u(t=0) = -sin(pi*xx)",
    "u = 0",
    {expression = "u_x - y", on = {x = 5}},
    {expresion = "u", on = {x = 0}},
]
observatons = []
[domain]
x = [-1, 1]
t = [0, "pi/4"]
[constants]
nu = "0.01/pie"
[unknowns]
k = "a"
[method]
name = "Pi_SC_III"
max_node = 3
[sampling]
interor = 3
[solve]
tolerance = 1
"""


def test_all_mistakes_are_told_at_once_with_line_column_caret_and_the_nearest_name(written):
    with pytest.raises(ProblemError) as caught:
        read_problem_file(written(WRONG))
    told = str(caught.value)
    assert "mine.toml has 11 mistakes." in told
    for place, words in {
        "line 2, column 44": "'wave' is not declared",
        "line 4, column 23": "(did you mean 'x'?)",
        "line 5, column 5": "does not say where it holds",
        "line 6, column 26": "'y' is not declared",
        "line 7, column 6": "(did you mean 'expression'?)",
        "line 9, column 1": "(did you mean 'observations'?)",
        "line 14, column 12": "(did you mean 'pi'?)",
        "line 16, column 5": "first guess of k",
        "line 19, column 1": "(did you mean 'max_nodes'?)",
        "line 21, column 1": "(did you mean 'interior'?)",
        "line 23, column 1": "known: tol, seed",
    }.items():
        (one,) = [part for part in told.split("\n\n") if place + "," in part]
        assert words in one, (place, words)
    caret = next(part for part in told.split("\n\n") if "line 14, column 12" in part).splitlines()
    assert caret[2].index("^^^") == caret[1].index("pie")


def test_one_mistake_is_told_alone(written):
    with pytest.raises(ProblemError, match="line 2, column 29") as caught:
        read_problem_file(written(FILE.replace("nu*u_xx", "mu*u_xx")))
    assert "mistakes" not in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('name = "Windows"', 'name = "Widows"', "did you mean 'windows'"),
        ('coordinate = "t"', 'coordinate = "T"', "did you mean 't'"),
        ("max_nodes = 7", "max_nodes = -7", "max_nodes"),
        ("half = 0.5", "half = [1]", "half"),
        ("half = 0.5", "x = 0.5\nhalf = 0.5", "both a coordinate and a constant"),
        ('wave = "sin(pi*x)"', 'wave = "sin(pi*x)"\nu = "x"', "names two things"),
        ('u = "start*(1 - t)"', 'U = "start"', "did you mean 'u'"),
        ("count = 3", "count = 0", "count"),
    ],
)
def test_mistakes_outside_of_equations(written, old, new, words):
    assert old in FILE
    with pytest.raises(ProblemError, match=r"line \d+, column \d+") as caught:
        read_problem_file(written(FILE.replace(old, new)))
    assert words in str(caught.value)


def test_a_constant_that_is_not_there(written):
    with pytest.raises(ProblemError, match="did you mean 'half'"):
        read_problem_file(written(FILE), constants={"haf": 1})


def test_helpers_cannot_explode(written):
    lines = ["a0 = 'x + t'"]
    lines += [f"a{n} = 'a{n - 1}*a{n - 1} + sin(a{n - 1})'" for n in range(1, 60)]
    text = FILE.replace("[expressions]", "[expressions]\n" + "\n".join(lines))
    with pytest.raises(ProblemError, match=r"parts|nests"):
        read_problem_file(written(text))


def test_positions():
    text = """a.b = 1
"c d" = [ 'x', # one
  {e = "y\\n", f = [1, 2]} ]
[g]
h = '''
multi
line'''
[[i]]
j = 2020-01-01 10:00:00
[[i]]
j = 3
[i.k]
l = 4
"""
    tomllib.loads(text)
    found = Positions(text)

    def part(*key):
        place = found.places[key]
        return text[place.begin : place.end]

    assert part("a", "b") == "1"
    assert part("c d", 0) == "'x'"
    assert part("c d", 1, "f", 1) == "2"
    assert found.places["c d", 1, "e"].inside is None  # escapes shift its characters
    assert text[found.of(("g", "h"), (0, 5)).begin :].startswith("multi")
    assert part("i", 0, "j") == "2020-01-01 10:00:00"
    assert part("i", 1, "k", "l") == "4"
    assert found.of(("i", 1, "nothing")).begin == text.index("[[i]]\nj = 3")


# --- data ---------------------------------------------------------------------------------------

DATA = """
equations = ["u_t = -k*u"]
conditions = ["u(t=0) = 1"]
domain = {{t = [0, 2]}}
unknowns = {{k = {{guess = 1.0, bounds = [0.1, 10]}}}}
[[observations]]
expression = "u"
file = "{name}"
columns = {{t = "time", value = "temp"{noise}}}
"""


@pytest.mark.parametrize("name", ["m.csv", "m.parquet", "m.nc"])
def test_columns_are_named_in_tables_of_every_kind(written, tmp_path, name):
    import pandas

    at = np.linspace(0, 2, 5)
    frame = pandas.DataFrame({"temp": np.exp(-at), "note": 7.0, "time": at})
    if name.endswith("csv"):
        frame.to_csv(tmp_path / name, index=False)
    elif name.endswith("parquet"):
        frame.to_parquet(tmp_path / name)
    else:
        frame.set_index("time").to_xarray().to_netcdf(tmp_path / name)
    problem = Problem.from_file(written(DATA.format(name=name, noise="")))
    np.testing.assert_allclose(problem.observations[0].points[:, 0], at)
    np.testing.assert_allclose(problem.observations[0].values, np.exp(-at))
    wrong = DATA.format(name=name, noise="").replace('"time"', '"tim"')
    with pytest.raises(ProblemError, match="did you mean 'time'"):
        Problem.from_file(written(wrong))


def test_values_may_be_in_a_column_called_as_the_field(written, tmp_path):
    (tmp_path / "m.csv").write_text("t,u\n0.5,0.6\n1.0,0.4\n")
    text = DATA.format(name="m.csv", noise="").replace('columns = {t = "time", value = "temp"}', "")
    problem = Problem.from_file(written(text))
    np.testing.assert_array_equal(problem.observations[0].values, [0.6, 0.4])


# --- there and back, schema, starter --------------------------------------------------------------


@pytest.mark.parametrize("name", zoo.names())
def test_every_problem_of_the_zoo_survives_a_file(name, tmp_path):
    benchmark = zoo.load(name)
    problem = benchmark.observed(min(benchmark.observations, 6))
    path = tmp_path / "zoo.toml"
    text = problem.to_toml(path)
    assert path.read_text() == text
    again = Problem.from_file(path)
    assert problem_to_document(again) == problem_to_document(problem)
    jsonschema.validate(tomllib.loads(text), schema())


def test_the_schema_knows_what_is_read(written):
    jsonschema.Draft202012Validator.check_schema(schema())
    jsonschema.validate(tomllib.loads(FILE), schema())
    jsonschema.validate(tomllib.loads(STARTER), schema())
    for text in (WRONG, FILE.replace("[solve]", "[slove]")):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(tomllib.loads(text), schema())


def test_the_pages_are_those_that_are_generated():
    assert (DOCS / "problem-file-reference.md").read_text(encoding="utf-8") == reference_page()
    stored = json.loads((DOCS / "problem-file.schema.json").read_text(encoding="utf-8"))
    assert stored == json.loads(json.dumps(schema()))


def test_the_starter_is_a_problem(written):
    file = read_problem_file(written(STARTER))
    assert file.run["tol"] == 1e-4
