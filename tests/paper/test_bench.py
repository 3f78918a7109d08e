"""``piscm bench``: its tables, files and picture. How fast anything is, is not tested."""

import csv
import math
import os
import sys
import time

import pytest

from piscm import zoo
from piscm.paper import accuracy, algorithms, growth
from piscm.paper.growth import coupled_system, fitted_exponent
from piscm.paper.machine import peak_megabytes
from piscm.paper.study import cell_text
from piscm.paper.workers import in_child

pytest.importorskip("matplotlib.pyplot")  # imported here, so that no test pays for it

COLUMNS = {
    "algorithms": algorithms.COLUMNS,
    "growth": growth.COLUMNS,
    "accuracy": accuracy.COLUMNS,
}
METHODS = {
    "literal PI-SC-III",
    "PI-SC-I",
    "PI-SC-II",
    "PI-SC-III",
    "PI-SC-III, orthogonal",
    "Auto",
}


def table(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def test_every_problem_and_method_is_measured():
    named = {trial.name for trial in algorithms.algorithms(1, quick=True).trials}
    assert named == {
        f"algorithms/{problem}, {method}, seed 0"
        for problem in algorithms.PROBLEMS
        for method in METHODS
    }
    for quick in (True, False):
        axes = {trial.name.split()[0] for trial in growth.growth(quick).trials}
        assert axes == {f"growth/{along}" for along in growth.SIZES}
    forward = [name for name in zoo.names() if not zoo.load(name).problem.unknowns]
    assert [trial.name for trial in accuracy.accuracy(quick=False).trials][: len(forward)] == [
        f"accuracy/{name}, tol 0.001" for name in forward
    ]


@pytest.fixture
def fewer(monkeypatch):
    """Each case takes seconds: of what differs in its numbers alone, a few."""
    monkeypatch.setattr(algorithms, "PROBLEMS", {"van-der-pol": 0.4})
    monkeypatch.setattr(growth, "_QUICK", {"fields": growth._QUICK["fields"]})
    monkeypatch.setattr(accuracy, "_SKIPPED", 25)


@pytest.mark.usefixtures("fewer")
@pytest.mark.parametrize("part", COLUMNS)
def test_each_part(run, tmp_path, part):
    out = tmp_path / "new" / "folder"
    result = run("bench", "--quick", "--trials", 1, "--only", part, "--out", out)
    assert result.exit_code == 0, result.stderr
    assert {path.name for path in out.iterdir()} == {f"bench-{part}.csv", "bench.png"}
    assert (out / "bench.png").read_bytes().startswith(b"\x89PNG")
    rows = table(out / f"bench-{part}.csv")
    assert tuple(rows[0]) == COLUMNS[part]
    for column in COLUMNS[part]:
        assert column in result.stdout
    assert "to go" in result.stderr
    check = {"algorithms": check_algorithms, "growth": check_growth, "accuracy": check_accuracy}
    check[part](rows)


def check_algorithms(rows):
    assert [row["method"] for row in rows] == list(algorithms._METHODS)
    assert {row["method"] for row in rows} == METHODS
    for row in rows:
        assert float(row["in_lstsq"]) > 0
        assert float(row["rmse"]) > 0
        if row["method"] == algorithms.LITERAL:
            assert float(row["in_literal"]) == 1


def check_growth(rows):
    assert [row["fields"] for row in rows] == ["1", "2"]
    for row in rows:
        assert float(row["seconds"]) > 0
        assert math.isfinite(float(row["time_exponent"]))


def check_accuracy(rows):
    assert len(rows) == 2
    for row in rows:
        # Of what a stopped run did not reach nothing is known.
        stopped = row["status"] == "TIME_LIMIT"
        assert float(row["relative_error"]) >= 0 or stopped
        assert float(row["in_lstsq"]) > 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--trials", 0), "--trials 0"),
        (("--only", "nope"), "nope"),
        (("--only", "[red]nope"), "[red]nope"),
    ],
)
def test_wrong_arguments(run, tmp_path, arguments, words):
    result = run("bench", "--quick", "--out", tmp_path / "out", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert words in result.stderr
    assert not (tmp_path / "out").exists()


def test_a_folder_that_cannot_be(run, tmp_path):
    (tmp_path / "taken").write_text("")
    result = run("bench", "--quick", "--out", tmp_path / "taken")
    assert result.exit_code == 2
    assert "taken" in result.stderr


@pytest.mark.parametrize("power", [-1.0, 0.0, 0.5, 2.0])
def test_the_exponent_of_a_power(power):
    sizes = [1, 10, 30, 1000]
    assert fitted_exponent([(size, 7 * size**power) for size in sizes]) == pytest.approx(power)


def test_the_exponent_is_of_what_was_measured():
    assert fitted_exponent([(1, 3), (2, 6), (4, 0), (8, math.nan)]) == pytest.approx(1)
    assert math.isnan(fitted_exponent([(1, 3), (2, math.nan)]))
    assert math.isnan(fitted_exponent([(2, 3), (2, 4)]))
    assert math.isnan(fitted_exponent([]))


def test_ratios_are_taken_within_a_trial():
    """A machine that becomes ten times slower changes no ratio."""
    measured = [
        {
            "problem": "p",
            "method": method,
            "seed": seed,
            "nodes": 10,
            "rows": 20,
            "windows": 1,
            "seconds": seconds * slower,
            "lstsq": 0.5 * slower,
            "rmse": 1.0 + seed,
        }
        for seed, slower in enumerate((1.0, 10.0, 1.0))
        for method, seconds in ((algorithms.LITERAL, 8.0), ("fast", 2.0))
    ]
    literal, fast = algorithms.summary(measured)
    assert (literal["in_lstsq"], literal["in_literal"]) == (16, 1)
    assert (fast["in_lstsq"], fast["in_literal"]) == (4, 0.25)
    assert (fast["trials"], fast["rmse"]) == (3, 2)


@pytest.mark.parametrize("fields", [1, 2, 4])
def test_the_coupled_system(fields):
    problem = coupled_system(fields)
    assert len(problem.fields) == len(problem.equations) == fields


def test_a_child_answers_fails_or_is_stopped():
    assert in_child(abs, (-3,), 60.0) == 3
    assert in_child(os._exit, (1,), 60.0) is None
    assert in_child(time.sleep, (600,), 0.5) is None
    with pytest.raises(ZeroDivisionError):
        in_child(divmod, (1, 0), 60.0)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a child may begin with its parent's")
def test_a_child_does_not_count_the_memory_of_its_parent():
    held = bytearray(os.urandom(1) * 300_000_000)
    assert in_child(peak_megabytes, (), 60.0) < peak_megabytes() - 100
    assert len(held)


def test_cells():
    assert cell_text("rmse", 1.234e-5) == "1.2e-05"
    assert cell_text("seconds", 1234.5) == "1234"
    assert cell_text("seconds", 0.01234) == "0.0123"
    assert cell_text("seconds", math.nan) == ""
    assert cell_text("nodes", 20) == "20"
