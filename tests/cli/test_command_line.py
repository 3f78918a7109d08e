"""The command line: what it prints, what it writes, and how it says no."""

import csv
import json
import subprocess
import sys

import numpy as np
import pytest

import piscm
from piscm import zoo
from piscm.cli.exit_codes import NOT_OK

pytest.importorskip("matplotlib.pyplot")  # imported here, so that no test pays for it

KEYS = ["problem", "method", "seed", "nodes", "residual", "rmse", "seconds", "status", "unknowns"]
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


NOTHING_TELLS_K = NOT_OK["undetermined"]


FINISHED = NOT_OK["finished"]


def rows(result, code=0):
    assert result.exit_code == code, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_list(run):
    result = run("list")
    assert result.exit_code == 0
    for name in zoo.names():
        assert name in result.stdout


def test_a_problem_of_the_zoo(run):
    (row,) = rows(run("solve", "van-der-pol", "--nodes", 3, "--seed", 5, "--json"), FINISHED)
    assert list(row)[: len(KEYS)] == KEYS
    assert (row["problem"], row["method"]) == ("van-der-pol", "pi-sc-iii")
    assert (row["seed"], row["nodes"], row["status"]) == (5, 3, "finished")
    assert row["unknowns"] == {}
    assert row["rmse"] > 0
    assert row["residual"] > 0
    assert row["seconds"] > 0


@pytest.mark.parametrize("method", ["pi-sc-i", "pi-sc-ii", "pi-sc-iii"])
def test_an_inverse_problem(run, method):
    options = ("--nodes", 2, "--observations", 10, "--method", method, "--json")
    (row,) = rows(run("solve", "van-der-pol-inverse", *options), FINISHED)
    assert row["method"] == method
    assert list(row["unknowns"]) == ["mu"]
    assert list(row["unknowns"]["mu"]) == ["value", "stderr", "error"]
    assert row["unknowns"]["mu"]["error"] == abs(row["unknowns"]["mu"]["value"] - 1)


def test_trials_have_seeds_of_their_own(solve_file):
    result = solve_file(FILE, "--trials", 2, "--seed", 3, "--json")
    first, second = rows(result, NOTHING_TELLS_K)
    assert (first["seed"], second["seed"]) == (3, 4)
    assert first["residual"] != second["residual"]
    (again,) = rows(solve_file(FILE, "--seed", 4, "--json"), NOTHING_TELLS_K)
    assert again["residual"] == second["residual"]
    assert again["rmse"] is None
    assert again["unknowns"]["k"]["error"] is None


def test_tables(solve_file):
    assert "Solution for u(x) by PISC3: 3 nodes" in solve_file(FILE).stdout
    table = solve_file(FILE, "--trials", 2).stdout
    assert "median" in table
    assert "mine, pi-sc-iii" in table


def test_written_files(solve_file, tmp_path):
    out = tmp_path / "new" / "folder"
    result = solve_file(FILE, "--json", "--trials", 2, "--out", out)
    assert len(rows(result, NOTHING_TELLS_K)) == 2
    assert "Written to" in result.stderr
    stems = [f"mine-pi-sc-iii-seed{seed}" for seed in (0, 1)]
    endings = (".npz", ".png", ".json", "-history.csv")
    expected = {f"{stem}{ending}" for stem in stems for ending in endings}
    kinds = ("fields", "growth", "residual", "points", "nodes")
    expected |= {f"{stem}-{kind}.png" for stem in stems for kind in kinds}
    others = {"mine-pi-sc-iii-trials.csv", "index.html"}
    assert {path.name for path in out.iterdir()} == expected | others
    solution = piscm.load(out / f"{stems[1]}.npz")
    assert solution.seed == 1
    assert np.isfinite(solution(x=0.5))
    with open(out / f"{stems[1]}-history.csv", newline="") as file:
        assert [float(row["residual"]) for row in csv.DictReader(file)] == list(
            solution.history.residual
        )
    with open(out / "mine-pi-sc-iii-trials.csv", newline="") as file:
        assert [row["seed"] for row in csv.DictReader(file)] == ["0", "1"]


def test_a_solution_without_nodes_is_written_too(solve_file, tmp_path):
    result = solve_file(FILE.replace("u - 1", "u"), "--json", "--out", tmp_path)
    (row,) = rows(result, NOTHING_TELLS_K)
    assert (row["nodes"], row["residual"]) == (0, 0.0)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nope",), "'nope'"),
        (("",), "''"),
        (("[/nope]",), "[/nope]"),
        (("[red]nope",), "[red]nope"),
        ((".",), "'.'"),
        (("van-der-pol", "--method", "pi-sc-iv"), "pi-sc-iv"),
        (("van-der-pol", "--nodes", 0), "0"),
        (("van-der-pol", "--nodes", "many"), "--nodes"),
        (("van-der-pol", "--seed", -1), "seed=-1"),
        (("van-der-pol", "--seed", "1.5"), "--seed"),
        (("van-der-pol", "--trials", 0), "--trials 0"),
        (("van-der-pol", "--trials", -1), "--trials -1"),
        (("van-der-pol", "--workers", 0), "--workers 0"),
        (("van-der-pol", "--observations", -1), "-1"),
        (("van-der-pol", "--color"), "--color"),
        ((), ""),
    ],
)
def test_wrong_arguments(run, denied, arguments, words):
    denied(run("solve", *arguments), words)


def test_a_folder_that_cannot_be(denied, solve_file, tmp_path):
    (tmp_path / "taken").write_text("")
    denied(solve_file(FILE, "--out", tmp_path / "taken"), "taken")
    denied(solve_file(FILE, "--observations", 3), "--observations")


def test_a_process_prints_only_json_on_standard_output():
    code = "from piscm.cli import app; app()"
    options = ["solve", "van-der-pol", "--nodes", "2", "--json"]
    command = [sys.executable, "-c", code, *options]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert result.returncode == FINISHED
    assert json.loads(result.stdout)["nodes"] == 2
    assert result.stderr == ""
