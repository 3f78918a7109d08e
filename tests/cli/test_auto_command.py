"""`piscm solve` with Auto: the method of a file that names none, its tolerance, its files."""

import json

import numpy as np
import pytest

import piscm
from piscm.cli.exit_codes import NOT_OK

pytestmark = pytest.mark.usefixtures("at_once")


FILE = """
equations = ["diff(u, t) = -u"]
conditions = [{expression = "u - 1", on = {t = 0}}]
[domain]
t = [0, 2]
"""


WITH_METHOD = FILE + "[method]\nmax_nodes = 7\ncandidates = 9\n"


def rows(result, code=0):
    assert result.exit_code == code, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_auto_is_the_method_of_a_file_that_names_none(solve_file):
    (row,) = rows(solve_file(FILE, "--json"))
    assert row["method"] == "auto"
    assert row["status"] == "converged"
    (same,) = rows(solve_file(FILE, "--json", "--method", "auto"))
    assert (same["residual"], same["nodes"]) == (row["residual"], row["nodes"])
    (literal,) = rows(solve_file(WITH_METHOD, "--json"), NOT_OK["finished"])
    assert (literal["method"], literal["nodes"]) == ("pi-sc-iii", 7)


def test_tol_on_the_command_line(solve_file):
    waves = FILE.replace("-u", "cos(20*t) - u*u*u")
    (loose,) = rows(solve_file(waves, "--json", "--tol", "1e-1"))
    (tight,) = rows(solve_file(waves, "--json", "--tol", "1e-9"))
    assert loose["residual"] > tight["residual"]
    (plain,) = rows(solve_file(FILE, "--json", "--method", "pi-sc-iii", "--tol", "1e-1"))
    assert plain["status"] == "converged"


@pytest.mark.parametrize("value", ["0", "-1", "nan", "inf", "a", ""])
def test_a_wrong_tol(denied, solve_file, value):
    denied(solve_file(FILE, "--tol", value, "--json"), "tol")


def test_options_that_auto_does_not_have(denied, solve_file):
    denied(solve_file(WITH_METHOD, "--method", "auto", "--json"), "candidates")
    denied(solve_file(FILE, "--method", "windows", "--json"), "auto")
    denied(solve_file(FILE, "--nodes", "0", "--json"), "max_nodes")


def test_the_summary_and_the_files_of_auto(solve_file, tmp_path):
    pytest.importorskip("matplotlib.pyplot")
    result = solve_file(FILE, "--out", tmp_path / "out")
    assert "by Auto" in result.stdout
    assert "chosen: one window" in result.stdout
    assert "estimated relative error" in result.stdout
    loaded = piscm.load(tmp_path / "out" / "mine-auto-seed0.npz")
    assert loaded(t=1.0) == pytest.approx(np.exp(-1), abs=1e-5)
    assert (tmp_path / "out" / "mine-auto-seed0.png").stat().st_size > 0
