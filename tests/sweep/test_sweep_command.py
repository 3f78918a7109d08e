"""``piscm sweep`` and the parameters of problem files."""

import json

import pytest
from typer.testing import CliRunner

from piscm import ProblemError
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


def test_sweep_command_tells_mistakes(file):
    for wrong in (["--set", "rate"], ["--set", "speed=1"], []):
        assert CliRunner().invoke(app, ["sweep", str(file), *wrong]).exit_code == 2
