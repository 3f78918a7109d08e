"""``piscm sweep``, ``piscm ensemble`` and the parameters of problem files."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from piscm import ProblemError, load
from piscm.cli import app
from piscm.files import read_problem_file

FILE = """
equations = ["diff(u, x) + rate*u"]
conditions = [{expression = "u - height", on = {x = 0}}]

[domain]
x = [0, "width"]

[parameters]
rate = 1
height = 2
width = 1
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "decay.toml"
    path.write_text(FILE)
    return path


def test_parameters_are_numbers(file):
    problem = read_problem_file(file, {"width": 3.0}).problem
    assert problem.domain.upper[0] == 3.0
    assert not problem.unknowns
    with pytest.raises(ProblemError, match="no parameter"):
        read_problem_file(file, {"speed": 1.0})


def test_an_unknown_can_be_made_known(tmp_path):
    path = tmp_path / "known.toml"
    path.write_text(FILE.replace("rate = 1\n", "") + "\n[unknowns]\nrate = 0.5\n")
    assert len(read_problem_file(path).problem.unknowns) == 1
    assert not read_problem_file(path, {"rate": 2.0}).problem.unknowns


def test_sweep_command(file, tmp_path):
    out = tmp_path / "out"
    arguments = ["sweep", str(file), "--set", "rate=0.5,1", "--tol", "1e-4", "--json"]
    result = CliRunner().invoke(app, [*arguments, "--out", str(out)])
    assert result.exit_code == 0, result.output
    rows = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]
    assert [row["rate"] for row in rows] == [0.5, 1.0]
    assert all(row["status"] == "converged" for row in rows)
    assert len(list(out.glob("*.npz"))) == 2


@pytest.mark.parametrize("command", [["sweep", "--set", "mu=1"], ["ensemble"]])
@pytest.mark.parametrize(("name", "more"), [("nofile.toml", "'."), ("kdv", "of the zoo")])
def test_files_that_are_not_there(command, name, more):
    result = CliRunner().invoke(app, [*command, name])
    assert result.exit_code != 0
    told = " ".join(result.output.split())
    assert f"There is no file '{name}" in told
    assert more in told


def test_sweep_command_tells_mistakes(file):
    for wrong in (["--set", "rate"], ["--set", "speed=1"], []):
        assert CliRunner().invoke(app, ["sweep", str(file), *wrong]).exit_code == 2


DATA = """
[unknowns]
rate = 0.5

[[observations]]
expression = "u"
file = "data.csv"
"""


@pytest.fixture
def measured(tmp_path):
    at = np.linspace(0, 1, 30)
    values = 2 * np.exp(-at) + 0.02 * np.random.default_rng(0).standard_normal(30)
    lines = ["x,u", *(f"{a},{b}" for a, b in zip(at, values, strict=True))]
    (tmp_path / "data.csv").write_text("\n".join(lines))
    path = tmp_path / "measured.toml"
    path.write_text(FILE.replace("rate = 1\n", "") + DATA)
    return path


def test_ensemble_command(measured, tmp_path):
    out = tmp_path / "out"
    arguments = ["ensemble", str(measured), "--seeds", "3", "--bootstrap", "--tol", "1e-2"]
    result = CliRunner().invoke(app, [*arguments, "--json", "--out", str(out)])
    rows = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]
    assert [row["seed"] for row in rows[:-1]] == [0, 1, 2], result.output
    rates = [row["rate"] for row in rows[:-1]]
    assert len(set(rates)) == 3
    spread = rows[-1]["unknowns"]["rate"]
    assert spread["mean"] == pytest.approx(np.mean(rates))
    assert spread["std"] == pytest.approx(np.std(rates, ddof=1))
    assert 1e-3 < spread["std"] < 0.1
    assert len(list(out.glob("*.npz"))) == 3
    assert len((out / "ensemble.csv").read_text().splitlines()) == 4
    again = CliRunner().invoke(app, [*arguments, "--out", str(out)])  # all of it is there
    assert "rate = " in again.output
    assert "over 3 seeds" in again.output


def test_ensemble_command_tells_mistakes(file):
    for wrong in (["--seeds", "0"], ["--bootstrap"], ["--workers", "0"]):
        assert CliRunner().invoke(app, ["ensemble", str(file), *wrong]).exit_code == 2


SETTINGS = """
[method]
name = "pi-sc-iii"
max_nodes = 9
scale = 2.0

[solve]
seed = 4

[sampling]
interior = 70

[weights]
conditions = 3

[initial]
u = "height"

[units]
x = "m"
"""


@pytest.mark.parametrize(
    "command", [["sweep", "--set", "height=2,3"], ["ensemble", "--seeds", "2"]]
)
def test_the_settings_of_a_file_are_used(file, tmp_path, command):
    file.write_text(FILE + SETTINGS)
    out = tmp_path / "out"
    CliRunner().invoke(app, [command[0], str(file), *command[1:], "--out", str(out)])
    found = [load(path) for path in out.glob("*.npz")]
    assert sorted(own.seed for own in found) == ([4, 4] if command[0] == "sweep" else [0, 1])
    for own in found:
        height = 3.0 if "- 3" in str(own.problem.conditions[0]) else 2.0
        alone = read_problem_file(file, {"height": height}).solve(seed=own.seed)
        assert np.array_equal(own.network.weights, alone.network.weights)
        assert own.n_nodes == 9
        assert own.units == {"x": "m"}


def test_options_win_over_the_file(file, tmp_path):
    file.write_text(FILE + SETTINGS)
    out = tmp_path / "out"
    options = ["--method", "pi-sc-i", "--nodes", "5", "--seed", "1", "--activation", "tanh"]
    CliRunner().invoke(app, ["sweep", str(file), "--set", "rate=1", *options, "--out", str(out)])
    (found,) = (load(path) for path in out.glob("*.npz"))
    assert (type(found.method).__name__, found.n_nodes, found.seed) == ("PISC1", 5, 1)
    assert found.method.activation == "tanh"
    stopped = [*options, "--max-seconds", "1e-9", "--json"]
    result = CliRunner().invoke(app, ["sweep", str(file), "--set", "rate=1", *stopped])
    assert json.loads(result.stdout)["status"] == "time_limit"
