"""Small parts of what the commands of this room try by the thousand."""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from edge.__main__ import _done, _runs
from edge.calls import FAULTS, outcome, wrong_calls
from edge.damage import FAULTS as FAULTS_OF_FILES
from edge.damage import Files, attempts
from edge.limits import took
from piscm import ProblemError, coordinates, field, here, normal, polar_power, solve
from piscm.problem.box import Box
from piscm.problem.conditions import Condition
from piscm.problem.problem import Problem

CALLS = 1500
# NumPy's own words for lists of unequal lengths among the options of the paper's methods.
RAGGED = ("#31 ", "#37 ")


@pytest.mark.usefixtures("at_once")
def test_a_wrong_call_is_taken_or_refused_in_a_few_words(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some of them write files
    calls = [own for own in wrong_calls(tmp_path) if not _ragged(own[0])]
    for text, call in random.Random(0).sample(calls, CALLS):
        how, words = outcome(call)
        assert how not in FAULTS, (text, words)


def _ragged(text: str) -> bool:
    growth = text.startswith(("PISC", "Local", "Orthogonal"))
    return growth and any(mark in text for mark in RAGGED)


@pytest.mark.parametrize("function", [here, normal, lambda text: polar_power(text, 1, 1, 0)])
def test_text_is_not_evaluated_by_functions_of_formulas(function, tmp_path):
    mark = tmp_path / "executed"
    with pytest.raises(ProblemError, match="expression"):
        function(f"open({str(mark)!r}, 'w')")
    assert not mark.exists()


def test_text_is_not_evaluated_as_a_start(tmp_path):
    x = coordinates("x")
    u = field("u", x, complex=True)
    problem = Problem(Box({x: (0, 1)}), [u.diff(x) - u], [Condition(u - 1, on={x: 0})])
    mark = tmp_path / "executed"
    with pytest.raises(ProblemError, match="is text"):
        solve(problem, initial={u: f"open({str(mark)!r}, 'w')"})
    assert not mark.exists()


def test_a_table_that_was_broken_off_goes_on(tmp_path):
    runs = _runs(["start: "], [1, 2])
    assert runs[0] == ("start: kink", 1)
    table = tmp_path / "table"
    line = "  converged       error  1.3e-07  estimate  1.4e-07     0.8 s"
    table.write_text(f"start: kink                      seed 1{line}\nstart: st")
    assert _done(table) == {("start: kink", 1)}
    assert _done(None) == set()


def test_damaged_files_are_refused_by_name_or_come_back_as_they_were(tmp_path):
    counts = attempts(300, 1, tmp_path)
    assert not {how: counts[how] for how in FAULTS_OF_FILES if how != "slow" and counts[how]}
    assert counts["refused"] > counts["taken"] > 0


def test_a_table_that_is_not_there_is_told_with_its_line(tmp_path):
    files = Files(tmp_path)
    (tmp_path / "measured.csv").unlink()
    with pytest.raises(ProblemError, match=r"mine.toml, line 6, .*file: There is no file"):
        files.problem()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="not on this system")
def test_two_writers_that_are_killed_leave_a_whole_file():
    # In a process of its own: other tests may have loaded JAX, whose threads do not survive a fork.
    command = [sys.executable, "-m", "edge.kills", "--count", "6", "--seed", "1"]
    done = subprocess.run(command, cwd=Path(__file__).parents[1], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", ["poisson-bracket", "advection"])
def test_a_limit_of_the_zoo_holds(monkeypatch, name):
    monkeypatch.setattr(time, "perf_counter", time.process_time)
    passed, status, gaps = took(name, 0.3)
    assert passed <= 1.2 * 0.3 + 0.5
    assert status == "time_limit"
    assert 0 < gaps.longest < passed
