"""Problem files and tables of measurements, right and wrong, through the command line."""

import json
import os
import re

import pytest

from piscm.cli.exit_codes import NOT_OK

pytestmark = pytest.mark.usefixtures("at_once")

FILE = """
equations = ["diff(u, x) = k*u"]
conditions = [{expression = "u - 1", on = {x = 0}}]
[domain]
x = [0, "pi/4"]
[unknowns]
k = 0.5
[method]
max_nodes = 3
candidates = 5
[sampling]
interior = 16
"""
DATA = """
equations = ["diff(u, x) = u"]
observations = [{expression = "u", file = "measured.csv"}]
domain = {x = [0, 1]}
method = {max_nodes = 3, candidates = 5}
sampling = {interior = 16}
"""


def solved(result):
    assert result.exit_code in (0, NOT_OK["finished"]), result.stderr
    return json.loads(result.stdout)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (FILE, "", "domain"),
        (FILE, "hello there", "not a TOML file"),
        (FILE, "a = " + "[" * 5000, "not a TOML file"),
        (FILE, FILE + "[domain]\nx = [0, 1]\n", "twice"),
        ("equations", "# \xff\nequations", "not a TOML file"),
        ("equations", "equation", "'equation'"),
        ('["diff(u, x) = k*u"]', '"u"', "equations"),
        ('["diff(u, x) = k*u"]', "[]", "no equation"),
        ('["diff(u, x) = k*u"]', "[3]", "Equation 1"),
        ("k*u", "__import__('os')", "__import__"),
        ("k*u", "[/k]*u", "[/k]"),
        ("k*u", "u[x]", "u[x]"),
        ("k*u", "q*u", "'q'"),
        ("k*u", "k*u + diff(u, k)", "k"),
        ("k*u", "k*u + diff(u**2, k)", "k"),
        ("k*u", "k/u", "not finite"),
        ("k*u", "k*u = 1", "more than one '='"),
        ("x = 0}", "y = 0}", "'y'"),
        ("x = 0}", "x = 9}", "outside the domain"),
        ("x = 0}", "x = nan}", "nan"),
        ("x = 0}", "x = 2020-01-01}", "date"),
        ("on = {x = 0}", 'on = "left"', "'left'"),
        ("on = {x = 0}", "on = 0", "on=0"),
        ("on = {x = 0}", "at = {x = 0}", "'at'"),
        ('"pi/4"', '"pie"', "'pie'"),
        ('"pi/4"', "inf", "inf"),
        ('"pi/4"', '"1/0"', "divides by zero"),
        ('"pi/4"', "-1", "empty"),
        ('[0, "pi/4"]', '"01"', "x"),
        ('[0, "pi/4"]', "1", "bounds of x"),
        ("k = 0.5", "k = nan", "first guess of k"),
        ("k = 0.5", 'k = "a"', "first guess of k"),
        ("k = 0.5", "k = 0.5\nq = 1", "q"),
        ("k = 0.5", "k = 0.5\nx = 1", "'x'"),
        ("max_nodes = 3", "nodes = 3", "[method]"),
        ("max_nodes = 3", "max_nodes = -3", "max_nodes"),
        ("max_nodes = 3", 'activation = "relu"', "'relu'"),
        ("max_nodes = 3", "truncation = [1, 2]", "truncation"),
        ("max_nodes = 3", "max_seconds = [1, 2]", "max_seconds"),
        ("[method]", "[methods]", "'methods'"),
        ("[method]\n", "[[method]]\n", "[method]"),
        ("interior = 16", "points = 16", "[sampling]"),
        ("interior = 16", "interior = 16.0", "interior"),
    ],
)
def test_bad_problem_files(denied, solve_file, old, new, words):
    assert old in FILE
    text = FILE.replace(old, new)
    denied(solve_file(text.encode("latin-1") if "\xff" in text else text, "--json"), words)


@pytest.mark.parametrize(
    "data",
    [
        b"x,value\n0.1,1\n0.2,1.5\n",
        b"x,value\r\n0.1,1\r\n\r\n0.2,1.5\r\n",
        b"\xef\xbb\xbfx,value\n0.1,1\n0.2,1.5\n",
        b"value,x\n1,0.1\n1.5,0.2\n",
        b"x,note,value\n0.1,first,1\n0.2,second,1.5\n",
        b"x, value\n0.1, 1\n0.2, 1.5\n",
        b"x;note;value\n0,1;a, b;1\n0,2;c;1,5\n",
        b"x\tvalue\n0.1\t1\n0.2\t1.5\n",
    ],
)
def test_observations_from_a_table(solve_file, data):
    listed = DATA.replace('file = "measured.csv"', "points = [0.1, 0.2], values = [1, 1.5]")
    row = solved(solve_file(DATA, "--json", data=data))
    same = solved(solve_file(listed, "--json"))
    assert row["residual"] == same["residual"]


@pytest.mark.parametrize(
    "data",
    [
        None,
        b"",
        b"x,value\n",
        b"x,y\n0.1,1\n",
        b"x,value\n0.1\n",
        b"x,value\n0.1,1,2\n",
        b"x,value\n0.1,\n",
        b"x,value\n0.1,abc\n",
        b"x,value\n0.1,nan\n",
        b"x,value\n9,1\n",
        b"x;value\n0,1,5;2\n",
        b"x value\n0.1 2\n",
        b"x,value\n0.1,\x001\n",
        b"x,value,\xe9\n0.1,1,2\n",
        "x,value\n0.1,1\n".encode("utf-16"),
        b"x,value\n0.1," + b"1" * 200_000 + b"\n",
        b'x,value\n"0.1,1\n',
    ],
)
def test_bad_tables(denied, solve_file, data):
    result = solve_file(DATA, "--json", data=data)
    denied(result)
    assert "measured.csv" in result.stderr or "observations of u(x)" in result.stderr


@pytest.mark.parametrize(
    ("old", "new", "line", "key"),
    [
        ("k = 0.5", 'k = {guess = 0.5, positive = "yes"}', 7, "unknowns.k.positive"),
        ("k = 0.5", "k = {guess = 0.5, positive = 1}", 7, "unknowns.k.positive"),
        ("k = 0.5", "k = {guess = 0.5, bounds = [inf, -inf]}", 7, "unknowns.k"),
        ("k = 0.5", "k = {guess = 0.5, bounds = [0, 1, 2]}", 7, "unknowns.k.bounds"),
        ("k = 0.5", "k = {guess = 0.5, sign = 1}", 7, "unknowns.k.sign"),
        ("k = 0.5", "k = nan", 7, "unknowns.k"),
        ("k = 0.5", "k = " + "9" * 5000, 7, "k"),
        ("k = 0.5", "k = 0x" + "f" * 5000, 7, "unknowns.k"),
        ("k = 0.5", "k = 0.5\nx = 1", 8, "unknowns.x"),
        ("k = 0.5", "k = 0.5\n[fields]\nk = ['x']", 9, "fields.k"),
        ("k = 0.5", 'k = 0.5\n"µ" = 1\n"μ" = 2', 9, "unknowns.μ"),
        ("k = 0.5", ".".join("k" * 50_000) + " = 1", 7, "k.k.k"),
        ("[unknowns]", "[" + ".".join("k" * 50_000) + "]", 6, "k.k.k"),
        ('"pi/4"', "inf", 5, "domain.x"),
        ('"pi/4"', '"pie"', 5, "domain.x"),
        ('"pi/4"', '"exp(10**10*log(3))"', 5, "domain.x"),
        ("k*u", "k*w", 2, "equations[0]"),
        ("on = {x = 0}", "at = {x = 0}", 3, "conditions[0].at"),
        ("on = {x = 0}", "on = {y = 0}", 3, "conditions[0]"),
        ("max_nodes = 3", "max_nodes = -3", 9, "method.max_nodes"),
        ("max_nodes = 3", "nodes = 3", 9, "method.nodes"),
        ("interior = 16", "interior = 0", 12, "sampling.interior"),
    ],
)
def test_a_mistake_is_told_with_file_line_and_key(denied, solve_file, old, new, line, key):
    assert old in FILE
    result = solve_file(FILE.replace(old, new), "--json")
    denied(result)
    place = rf"mine\.toml, line {line}(, column \d+)?, {re.escape(key)}"
    assert re.search(place, result.stderr)
    assert len(result.stderr) < 1500


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"x,value\n0.1,1\n0.2,abc\n", "measured.csv, line 3, column value: 'abc'"),
        (b"x,value\n0.1,1\n,2\n", "measured.csv, line 3, column x: ''"),
        (b"x,value\n0.1,nan\n", "measured.csv, line 2, column value: 'nan'"),
        (b"x,value\n0.1,1_0\n", "measured.csv, line 2, column value: '1_0'"),
        (b"x,value\n0.1," + b"9" * 5000 + b"\n", "measured.csv, line 2, column value"),
        (b"x,value\n0.1,1\n0.2\n", "measured.csv, line 3 has 1 cells"),
        (b"x,x,value\n0.1,0.2,1\n", "more than one column 'x'"),
        (b"at,value\n0.1,1\n", "no column 'x'; it needs x, value, and has at, value."),
        (b"x,value\n0.1,\x1b[2J\n", "line 2, column value"),
    ],
)
def test_a_bad_cell_is_told_with_line_and_column(denied, solve_file, data, words):
    result = solve_file(DATA, "--json", data=data)
    denied(result)
    assert words in " ".join(result.stderr.split())
    assert "\x1b" not in result.stderr


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes on this system")
def test_devices_and_pipes_are_not_read(denied, solve_file, run, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for name in ("/dev/zero", "pipe"):
        denied(solve_file(DATA.replace("measured.csv", name), "--json"), "not an ordinary file")
        denied(run("solve", tmp_path / name), "nor a file")


def test_a_coordinate_cannot_be_called_value(denied, solve_file):
    text = DATA.replace("{x = [0, 1]}", "{value = [0, 1]}").replace("x)", "value)")
    denied(solve_file(text, "--json", data=b"value\n1\n"), "'value'")


def test_control_characters_of_a_file_do_not_reach_a_terminal(denied, solve_file):
    result = solve_file(FILE.replace("k*u", "k*u + \\u001b[2J"), "--json")
    denied(result)
    assert "\x1b" not in result.stderr


@pytest.mark.parametrize(
    ("equation", "condition"), [("c_xx = 1", "c_x(x=0) = 1"), ("c_xx = 1", "c(x=0) = 1")]
)
def test_a_field_that_is_not_declared_is_told_how(run, denied, tmp_path, equation, condition):
    path = tmp_path / "mine.toml"
    path.write_text(
        f'equations = ["{equation}"]\nconditions = ["{condition}"]\ndomain = {{x = [0, 1]}}\n'
    )
    result = run("check", path)
    denied(result)
    assert result.stderr.count('[fields] c = ["x"]') == 2  # by the equation and by the condition
