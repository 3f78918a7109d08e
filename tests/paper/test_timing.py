"""Times of the report, which are all of one run."""

import csv
from pathlib import Path
from statistics import median

import pytest

from piscm import ProblemError
from piscm.paper import reproduce as reproducing
from piscm.paper import timing
from piscm.paper.comparisons import times_section
from piscm.paper.page import Page
from piscm.paper.reproduce import reproduce
from piscm.paper.rows import EXPERIMENTS, named
from piscm.paper.summary import Summary
from piscm.paper.timing import are_current, read_times, summary_of_times, timed, write_times
from piscm.paper.trial import code_of

STORED = Path(__file__).parents[2] / "docs" / "reproduction"


def records(*rows):
    """Made-up times: the literal algorithm takes four seconds, anything else one."""
    return [
        {
            **{"table": row.table, "method": row.method, "paradigm": row.paradigm},
            **{"seed": 1000, "cpu": 4.0 if row.literal else 1.0, "rmse": 1e-3},
            **{"machine": "here", "commit": "abc", "code": code_of(row)},
        }
        for row in rows
    ]


@pytest.fixture
def pair():
    return [named(f"table-1/{method}/unsupervised") for method in ("pi-sc-iii", "literal")]


def test_times_are_read_back(tmp_path, pair):
    assert read_times(tmp_path) == []
    assert summary_of_times(tmp_path) is None
    write_times(tmp_path, records(*pair))
    assert [r["cpu"] for r in read_times(tmp_path)] == [1.0, 4.0]


def test_the_page_tells_those_of_one_run(tmp_path, pair):
    write_times(tmp_path, records(*pair))
    trials = [{**record, "cpu": 9.0} for record in records(*pair)]
    summary = Summary(EXPERIMENTS, trials)
    text = Page("", [times_section(summary, summary_of_times(tmp_path))]).markdown()
    assert "in one run" in text
    assert "earlier code" not in text
    assert "in 1/4 (Van der Pol oscillator) of its CPU time" in text
    assert "in 1/1 (Van der Pol" in Page("", [times_section(summary)]).markdown()


def test_times_of_other_code_are_told(tmp_path, pair):
    write_times(tmp_path, [{**record, "code": "other"} for record in records(*pair)])
    text = Page("", [times_section(Summary(EXPERIMENTS, []), summary_of_times(tmp_path))])
    assert "earlier code" in text.markdown()


@pytest.mark.parametrize(
    ("what", "stale", "measured"),
    [((), True, True), ((), False, False), (("times",), False, True), (("table-1",), True, False)],
)
def test_when_they_are_measured(tmp_path, monkeypatch, what, stale, measured):
    every = records(*timed())
    write_times(tmp_path, every[1:] if stale else every)
    assert are_current(read_times(tmp_path)) is not stale
    asked = []
    monkeypatch.setattr(reproducing, "measure_times", asked.append)
    monkeypatch.setattr(reproducing, "selected", lambda *_: [])
    monkeypatch.setattr(reproducing, "write_report", lambda *_: None)
    reproduce(what, tmp_path)
    assert asked == [tmp_path] * measured


def test_every_row_takes_its_turn(tmp_path, monkeypatch):
    def run(trials, executor, workers):
        assert workers == 1
        assert len({trial.name for trial in trials}) == len(trials)
        return records(*timed())

    monkeypatch.setattr(timing, "run_trials", run)
    timing.measure_times(tmp_path)
    assert are_current(read_times(tmp_path))


def test_tiny_sizes_are_not_timed(tmp_path):
    with pytest.raises(ProblemError, match="tiny sizes tell nothing of times"):
        reproduce(["times"], tmp_path, quick=True)


def test_stored_times_are_of_the_stored_trials():
    """The same seeds give the same errors, so it is these rows that were timed."""
    with open(STORED / "trials.csv", encoding="utf-8") as file:
        errors = {
            (row["table"], row["method"], row["paradigm"], int(row["seed"])): float(row["rmse"])
            for row in csv.DictReader(file)
        }
    times = read_times(STORED)
    assert len({(r["machine"], r["commit"]) for r in times}) == 1
    for r in times:
        known = errors.get((r["table"], r["method"], r["paradigm"], r["seed"]))
        assert known is None or r["rmse"] == pytest.approx(known, rel=1e-6)


@pytest.mark.parametrize(("table", "bar"), [("table-1", 4), ("table-2", 8), ("table-3", 5)])
def test_the_engine_is_as_fast_as_it_has_to_be(table, bar):
    """By the stored run: the literal algorithm takes so many times as long."""
    found = {}
    for r in read_times(STORED):
        if r["table"] == table and r["method"] in ("literal", "pi-sc-iii"):
            found.setdefault((r["paradigm"], r["seed"]), {})[r["method"]] = r["cpu"]
    ratios = [pair["literal"] / pair["pi-sc-iii"] for pair in found.values()]
    assert len(ratios) == 6
    assert median(ratios) >= bar
