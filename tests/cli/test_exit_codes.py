"""What a shell is told: a code for every way to fail, and Ctrl-C."""

import csv
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from piscm.cli.exit_codes import INTERRUPTED, NOT_OK
from piscm.result.status import Status

COMMAND = [sys.executable, "-c", "from piscm.cli import app; app()", "solve"]
FILE = """
equations = ["diff(u, t) = -u"]
conditions = [{expression = "u - 1", on = {t = 0}}]
domain = {t = [0, 2]}
"""


def test_every_status_that_is_not_ok_has_a_code_of_its_own():
    assert set(NOT_OK) == {status.name.lower() for status in Status if not status.ok}
    assert len(set(NOT_OK.values())) == len(NOT_OK)
    assert not {0, 1, 2} & set(NOT_OK.values())
    assert NOT_OK["interrupted"] == INTERRUPTED == 130


def test_the_help_lists_them(run):
    words = " ".join(run("solve", "--help").stdout.split())
    for name, code in NOT_OK.items():
        assert f"{code} {name}" in words


def test_the_documentation_lists_them():
    page = (Path(__file__).parents[2] / "docs" / "command-line.md").read_text(encoding="utf-8")
    for name, code in NOT_OK.items():
        assert f"| {code} | `{name}`" in page


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ("tolerance = 1e-12\nmax_nodes = 2", NOT_OK["node_limit"]),
        ("max_nodes = 2", NOT_OK["finished"]),
        ("max_nodes = 40\ntolerance = 0.1", 0),
    ],
)
def test_the_code_follows_the_status(solve_file, options, code):
    text = f"{FILE}[method]\n{options}\ncandidates = 5\n[sampling]\ninterior = 16"
    result = solve_file(text, "--json")
    assert result.exit_code == code
    assert Status[json.loads(result.stdout)["status"].upper()].ok == (code == 0)


@pytest.mark.skipif(os.name == "nt", reason="signals are another matter there")
def test_ctrl_c_ends_all_trials_and_keeps_what_is_done(tmp_path):
    options = ["van-der-pol", "--nodes", "40", "--trials", "1000", "--json", "--out", str(tmp_path)]
    process = subprocess.Popen(
        [*COMMAND, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    first = json.loads(process.stdout.readline())
    process.send_signal(signal.SIGINT)
    rest, words = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in words
    done = [first, *map(json.loads, rest.splitlines())]
    assert len(done) < 10
    with open(tmp_path / "van-der-pol-pi-sc-iii-trials.csv", newline="") as file:
        assert [int(row["seed"]) for row in csv.DictReader(file)] == [row["seed"] for row in done]
    assert not [path for path in tmp_path.iterdir() if ".part" in path.name]
