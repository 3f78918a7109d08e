"""Stored trials of earlier code: taken from the committed table, and confirmed by a few of them."""

import csv
import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor

from rich.console import Console

from piscm.paper.experiment import key_of
from piscm.paper.machine import commit
from piscm.paper.store import Record, Store
from piscm.paper.trials import Trial, run_trials

COLUMNS = {
    "table": str,
    "method": str,
    "paradigm": str,
    "seed": int,
    "rmse": float,
    "error": float,
    "cpu": float,
    "seconds": float,
    "nodes": int,
    "residual": float,
    "status": str,
    "failure": str,
    "residuals": str,
    "machine": str,
    "commit": str,
    "code": str,
    "confirmed": str,
}
"""Of ``trials.csv``, which holds all that a report is made of but the data of the figures."""
_ERRORS = ("rmse", "error", "residual")
_REST = ("nodes", "status")
# Another processor rounds otherwise; where that chooses no other node, its errors agree to this.
_ROUNDING = 1e-6
# Trials of a row that are run again; of those that take longer, one.
_FEW, _LONG = 3, 10.0


def adopt(store: Store, code_of: Callable[[str], str | None]) -> None:
    """Take from the folder's table the trials that its files lack, or hold of other code.

    Of the code of today's rows, by their keys, only those of the table are asked.
    """
    path = store.folder / "trials.csv"
    if not path.exists():
        return
    with open(path, newline="", encoding="utf-8") as file:
        for line in csv.DictReader(file):
            record = record_of(line)
            name = "{table}/{method}-{paradigm}-seed{seed}".format(**record)
            code = code_of(key_of(record))
            there = store.read(name)
            if there is None or there.get("code") != code == record.get("code"):
                store.write(name, record)


def record_of(line: Mapping[str, str]) -> Record:
    """A trial from a line of a table."""
    record: Record = {"quick": False, "rmse": None, "error": None}
    return record | {n: kind(line[n]) for n, kind in COLUMNS.items() if line.get(n)}


def confirm(store: Store, there: Sequence[Trial], executor: Executor, workers: int) -> None:
    """Run a few trials of every stale row again: if every digit comes out, all of them stand.

    Of trials of another machine as many digits are asked for as its round-off leaves alone. They
    are then marked with the code of today and as confirmed. Otherwise they stay stale.
    """
    rows: dict[str, list[tuple[Trial, Record]]] = {}
    for trial in there:
        record = store.read(trial.name)
        if record and not record.get("failure") and record.get("code") != trial.code:
            rows.setdefault(key_of(record), []).append((trial, record))
    few = {key: own[: _FEW if own[0][0].effort < _LONG else 1] for key, own in rows.items()}
    again = [trial for own in few.values() for trial, _ in own]
    if not again:
        return
    screen = Console(stderr=True)
    screen.print(f"{len(rows)} rows are of other code: a few trials of each are run again.")
    fresh = dict(zip(again, run_trials(again, executor, workers), strict=True))
    for key, own in rows.items():
        same = all(_same(fresh[trial], record) for trial, record in few[key])
        screen.print(f"{key}: {'the same digits' if same else 'other digits'}")
        if same:
            words = f"{len(few[key])} of {len(own)} run again at {commit()}"
            for trial, record in own:
                store.write(trial.name, {**record, "code": trial.code, "confirmed": words})
        for trial, _ in few[key]:
            store.write(trial.name, fresh[trial], trial.figure)


def forget(store: Store, there: Sequence[Trial]) -> None:
    """What is stale still, because it was not asked for, makes room for what is not."""
    for trial in there:
        record = store.read(trial.name)
        if record and record.get("code") != trial.code:
            store.remove(trial.name)


def _same(fresh: Record, stored: Record) -> bool:
    here = fresh.get("machine") == stored.get("machine")
    exact = (*_REST, "residuals") if here else _REST
    if any(fresh.get(name) != stored.get(name) for name in exact):
        return False
    slack = 0.0 if here else _ROUNDING
    return all(_near(fresh.get(name), stored.get(name), slack) for name in _ERRORS)


def _near(one: float | None, other: float | None, slack: float) -> bool:
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=slack)
