"""`piscm new`, `check`, `schema`, `show`, `eval`, `export`, `compare`, and what shells expect."""

import csv
import io
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import piscm
from piscm.cli.exit_codes import NOT_OK

pytest.importorskip("matplotlib.pyplot")

FILE = """
equations = ["u_t = u_xx/10"]
conditions = ["u(t=0) = sin(pi*x)", "u(x=0) = 0", "u(x=1) = 0"]
[domain]
x = [0, 1]
t = [0, 1]
[method]
name = "pi-sc-iii"
max_nodes = 5
candidates = 5
[sampling]
interior = 30
boundary = 6
[solve]
seed = 3
"""


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A folder with a problem file, its solution, and another one."""
    folder = tmp_path_factory.mktemp("saved")
    (folder / "heat.toml").write_text(FILE)
    file = piscm.read_problem_file(folder / "heat.toml")
    file.solve().save(folder / "a.npz")
    file.solve(seed=4).save(folder / "b.npz")
    return folder


def test_new_and_check(run, tmp_path, denied):
    path = tmp_path / "mine.toml"
    assert run("new", path).exit_code == 0
    denied(run("new", path), "--force")
    assert run("new", path, "--force").exit_code == 0
    assert run("new").stdout == path.read_text()
    told = run("check", path).stdout
    for words in (
        "∂",
        "x ∈ [-1, 1], t ∈ [0, 0.3]",
        "on t = 0\n        u(x, t) + sin(π⋅x) = 0",
        "solved by Auto",
        "nothing looks wrong",
    ):
        assert words in told


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"u(x=0) = 0", ', "", "conditions seem to be missing"),
        ("u_xx/10", 'k*u_xx"]\nunknowns = {k = 1}\nz = ["', ""),
        ('"u(x=1) = 0"', '"u(x=7) = 0"', "outside the domain"),
    ],
)
def test_check_tells_what_looks_wrong(run, tmp_path, old, new, words):
    path = tmp_path / "mine.toml"
    path.write_text(FILE.replace(old, new))
    result = run("check", path)
    assert words in result.stdout + result.stderr
    assert result.exit_code == (0 if "seem" in words else 2)


def test_check_tells_of_unknowns_without_data(run, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(FILE.replace("u_xx/10", "k*u_xx") + "[unknowns]\nk = 0.5\n")
    assert "no observations to tell k from" in run("check", path).stdout


def test_check_typesets_everything(run, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text("""
equations = ["u_t = k*u_xx + integral(u, x)"]
conditions = [
    "u(t=0) = sin(pi*x)", {periodic = "u", along = "x"}, {expression = "integral(u, half) = 1"},
    {expression = "u_x - 3*u = 0", on = {x = 1}, weight = 10},
]
[regions]
half = {x = [0, 0.5], t = [0, 1]}
[domain]
x = [0, 1]
t = [0, 1]
[unknowns]
k = {prior = {mean = 1.0, std = 0.2}}
""")
    told = run("check", path).stdout
    assert told.count("⌠") == 3  # one over x, two over the half
    for words in ("at both ends of x", "(weight 10)", "k = 1 ± 0.2", "k, first guess 1\n"):
        assert words in told


def test_check_typesets_regions_and_boundaries(run):
    examples = Path(__file__).parents[2] / "examples"
    told = run("check", examples / "two_rods.toml").stdout
    assert "left: x ∈ [0, 1]\n        k = 1\n    right: x ∈ [1, 2]\n        k = a" in told
    assert "fluxes are continuous" in told
    assert "nothing looks wrong" in told
    told = run("check", examples / "plate.toml").stdout
    assert "on rim where x > 0" in told
    assert "nₓ⋅──(u(x, y)) + n_y⋅──" in told


def test_schema(run):
    assert json.loads(run("schema").stdout)["title"] == "piscm problem file"
    assert run("schema", "--markdown").stdout.startswith("# Problem files")


def test_show_and_eval(run, saved, tmp_path, denied):
    assert "Solution for u(x, t) by PISC3: 5 nodes" in run("show", saved / "a.npz").stdout
    assert json.loads(run("show", saved / "a.npz", "--json").stdout)["seed"] == 3
    (tmp_path / "points.csv").write_text("label,t,x\na,0.5,0.25\nb,1.0,0.75\n")
    result = run("eval", saved / "a.npz", "--at", tmp_path / "points.csv", "--expression", "u_x")
    table = list(csv.DictReader(io.StringIO(result.stdout)))
    solution = piscm.load(saved / "a.npz")
    assert list(table[0]) == ["x", "t", "u", "u_x"]
    assert float(table[1]["u_x"]) == pytest.approx(float(solution("u_x", x=0.75, t=1.0)))
    (tmp_path / "wrong.csv").write_text("t,X\n0.5,0.25\n")
    denied(run("eval", saved / "a.npz", "--at", tmp_path / "wrong.csv"), "'x' (did you mean 'X'?)")
    denied(run("show", tmp_path / "nothing.npz"), "nothing.npz")


def test_eval_of_points_outside_has_no_values_there(run, saved, tmp_path, denied):
    (tmp_path / "points.csv").write_text("x,t\n0.25,0.5\n1.5,0.5\n0.75,1.0\n0.5,-1\n")
    result = run("eval", saved / "a.npz", "--at", tmp_path / "points.csv", "--expression", "u_x")
    assert result.exit_code == 0
    table = list(csv.DictReader(io.StringIO(result.stdout)))
    solution = piscm.load(saved / "a.npz")
    assert [row["x"] for row in table] == ["0.25", "1.5", "0.75", "0.5"]
    assert [row["u"] == row["u_x"] == "" for row in table] == [False, True, False, True]
    assert float(table[2]["u"]) == pytest.approx(float(solution(x=0.75, t=1.0)))
    told = " ".join(result.stderr.split())
    assert "warning: 2 of 4 points lie outside" in told
    assert told.endswith("rows 2, 4")
    (tmp_path / "outside.csv").write_text("x,t\n1.5,0.5\n")
    denied(run("eval", saved / "a.npz", "--at", tmp_path / "outside.csv"), "no point lies in the")


@pytest.mark.parametrize(
    "name",
    ["u.py", "u.c", "u.onnx", "u.txt", "u.csv", "u.parquet", "u.nc", "u.vtu", "u.png", "p.toml"],
)
def test_export(run, saved, tmp_path, name):
    result = run("export", saved / "a.npz", "--to", tmp_path / name)
    assert result.exit_code == 0, result.stderr
    assert (tmp_path / name).stat().st_size > 100


def test_units_come_out_again(run, saved, tmp_path):
    path, units = tmp_path / "heat.toml", {"x": "m", "u": "K"}
    path.write_text(FILE + '[units]\nx = "m"\nu = "K"\n')
    assert run("solve", path, "--out", tmp_path / "out").exit_code in (0, 21, 22, 23, 24)
    (stored,) = (tmp_path / "out").glob("*.npz")
    assert piscm.load(stored).units == piscm.read_problem_file(path).solve().units == units
    assert "(m)" in np.ravel(piscm.load(stored).plot())[0].get_xlabel()
    run("export", stored, "--to", tmp_path / "again.toml")
    assert piscm.read_problem_file(tmp_path / "again.toml").units == units
    assert "[units]" not in run("export", saved / "a.npz", "--to", "toml").stdout


def test_export_prints(run, saved, denied):
    assert "def u_x(x, t):" in run("export", saved / "a.npz", "--to", "python").stdout
    assert "double piscm_u(" in run("export", saved / "a.npz", "--to", "C").stdout
    assert run("export", saved / "a.npz", "--to", "sympy").stdout.startswith("u = ")
    denied(run("export", saved / "a.npz", "--to", "u.vtt"), "did you mean '.vtu'")


def test_compare(run, saved, denied):
    made = json.loads(run("compare", saved / "a.npz", saved / "b.npz", "--json").stdout)
    one, two = (piscm.load(saved / name) for name in ("a.npz", "b.npz"))
    at = np.random.default_rng(1).random((2, 4000))
    rms = np.sqrt(np.mean((one(*at) - two(*at)) ** 2))
    assert made["fields"]["u"]["rms"] == pytest.approx(rms, rel=0.2)
    same = run("compare", saved / "a.npz", saved / "heat.toml").stdout
    assert "apart by 0 (rms)" in same


def test_a_page_is_written(run, saved, tmp_path):
    result = run("solve", saved / "heat.toml", "--out", tmp_path, "--json")
    row = json.loads(result.stdout)
    assert row["seed"] == 3
    assert set(row) >= {"success", "message", "estimate", "timings", "tolerance", "blocks"}
    page = (tmp_path / "index.html").read_text()
    for picture in re.findall(r'src="([^"]+)"', page):
        assert (tmp_path / picture).is_file()
    for link in re.findall(r'href="([^"]+)"', page):
        assert (tmp_path / link).is_file()
    assert json.loads((tmp_path / "heat-pi-sc-iii-seed3.json").read_text()) == row


def test_options(run, saved, denied):
    options = ("--method", "PI_SC_I", "--activation", "TANH", "--max-seconds", 60, "--nodes", 2)
    row = json.loads(run("solve", saved / "heat.toml", *options, "--json").stdout)
    assert (row["method"], row["nodes"]) == ("pi-sc-i", 2)
    code = run("solve", saved / "heat.toml", "--max-seconds", 1e-3, "--json").exit_code
    assert code == NOT_OK["time_limit"]
    denied(run("solve", "van-der-pool"), "did you mean 'van-der-pol'")
    denied(run("solve", "van-der-pol", "--method", "pi-sc-iiii"), "did you mean 'pi-sc-iii'")
    denied(run("solve", saved / "heat.toml", "--activation", "relu"), "relu")
    assert "did you mean" in run("sovle").stderr.lower()
    assert "--max-seconds" in run("solve", "x", "--max-second", 3).stderr


def test_help_has_all_its_words(run):
    words = " ".join(run("solve", "--help").stdout.split())
    assert "or the [method] of a file" in words
    whole = run("--help").stdout
    assert "--install-completion" in whole
    assert "..." not in whole.replace("[ARGS]...", "")


def test_python_m_piscm_and_a_pipe_that_ends():
    command = [sys.executable, "-m", "piscm"]
    assert b"piscm" in subprocess.run([*command, "--version"], capture_output=True).stdout
    process = subprocess.Popen([*command, "schema"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.read(1)
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    process.wait(timeout=60)
