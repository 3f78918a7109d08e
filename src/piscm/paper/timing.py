"""The times of the report: of one run on one machine, the methods of a problem one after the other.

Trials are made on many days, beside other work; their errors can be compared, their times cannot.
"""

import csv
from pathlib import Path

from piscm.paper.confirmation import record_of
from piscm.paper.experiment import Experiment, key_of
from piscm.paper.rows import EXPERIMENTS, named
from piscm.paper.store import Record
from piscm.paper.summary import Summary
from piscm.paper.trial import code_of, trials_of
from piscm.paper.trials import run_trials
from piscm.paper.workers import local_workers
from piscm.text.files import write_csv

NAME = "times"
LITERAL, PINNS = "literal", ("pinn-deep", "vs-pinn-deep")
_METHODS = ("pi-sc-i", "pi-sc-ii", "pi-sc-iii", LITERAL, *PINNS, "pielm")
_COLUMNS = ("table", "method", "paradigm", "seed", "cpu", "rmse", "machine", "commit", "code")
_FIRST = 1000
# Seeds of each row; what is trained takes minutes, and as long with any of them.
_SEEDS, _TRAINED_SEEDS = 3, 1


def timed(rows: tuple[Experiment, ...] = EXPERIMENTS) -> list[Experiment]:
    """The rows whose times are told."""
    return [row for row in rows if row.method in _METHODS]


def measure_times(folder: Path) -> None:
    """Measure all of them anew, one process at a time, and write them down together."""
    seeds = {
        row.key: range(_FIRST, _FIRST + (_TRAINED_SEEDS if row.kind == "gradient" else _SEEDS))
        for row in timed()
    }
    with local_workers(1) as executor:
        records = run_trials(trials_of(timed(), seeds), executor, 1)
    write_times(folder, records)


def write_times(folder: Path, records: list[Record]) -> None:
    """Replace the times of a folder."""
    lines = [{name: record.get(name) for name in _COLUMNS} for record in records]
    write_csv(folder / f"{NAME}.csv", list(_COLUMNS), lines)


def read_times(folder: Path) -> list[Record]:
    """The times of a folder; none where it has none."""
    path = folder / f"{NAME}.csv"
    if not path.exists():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return [record_of(line) for line in csv.DictReader(file)]


def summary_of_times(folder: Path) -> Summary | None:
    """The times of a folder, row by row; None where it has none."""
    records = read_times(folder)
    codes = {key_of(record): code_of(named(key_of(record))) for record in records}
    return Summary(EXPERIMENTS, records, codes) if records else None


def are_current(records: list[Record]) -> bool:
    """Whether every row was measured with the code of today."""
    there = {key_of(record): record.get("code") for record in records}
    return there == {row.key: code_of(row) for row in timed()}
