"""From trials to cells: what a row of a table came to, beside what the paper prints for it."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from piscm.paper.experiment import INVERSE, Experiment, key_of
from piscm.paper.printed import PRINTED, Spread
from piscm.paper.store import Record

BETTER, SAME, WORSE = "better", "as printed", "worse"
QUICK, ABSENT, NOT_RUN, FAILED = "quick run", "not in the paper", "not run", "failed"


@dataclass(frozen=True)
class Cell:
    """One quantity of one row: printed, and over the trials that gave a solution."""

    row: Experiment
    quantity: str  # "rmse", "error" (of the unknown) or "seconds"
    paper: Spread | None
    values: tuple[float, ...]
    failed: int
    quick: bool

    @property
    def mean(self) -> float | None:
        return float(np.mean(self.values)) if self.values else None

    @property
    def sd(self) -> float | None:
        """The sample's standard deviation; one trial has none."""
        return float(np.std(self.values, ddof=1)) if len(self.values) > 1 else None

    @property
    def median(self) -> float | None:
        return float(np.median(self.values)) if self.values else None

    @property
    def ratio(self) -> float | None:
        """Our mean in units of the paper's."""
        return quotient(self.mean, self.paper and self.paper.mean)

    @property
    def deviations(self) -> float | None:
        """How many of the paper's standard deviations our mean lies above the paper's."""
        if self.paper is None or self.mean is None:
            return None
        return quotient(self.mean - self.paper.mean, self.paper.sd)

    @property
    def verdict(self) -> str:
        """In a word how an error compares (see `verdict_of`); of a time nothing is said."""
        if self.paper is None:
            return ABSENT
        if self.mean is None:
            return FAILED if self.failed else NOT_RUN
        if self.quick:  # smaller than the paper's sizes: there is nothing to compare
            return QUICK
        return verdict_of(self.mean, self.paper)


def verdict_of(mean: float, paper: Spread) -> str:
    """How a mean error compares with a printed one.

    Worse above the paper's mean + 1 sd. Better below its mean - 1 sd, or below half its mean: where
    the printed sd is as large as the mean, the former says nothing. As printed in between.
    """
    if mean > paper.mean + paper.sd:
        return WORSE
    return BETTER if mean < max(paper.mean - paper.sd, paper.mean / 2) else SAME


def quotient(above: float | None, below: float | None) -> float | None:
    """A ratio; None where there is none."""
    return above / below if above is not None and below else None


class Summary:
    """All rows, their trials by the key of the row, and their cells by key and quantity.

    Trials of no row are left out. `quick` says whether there are trials of tiny sizes, which say
    nothing about the methods.
    """

    def __init__(self, rows: Iterable[Experiment], records: Iterable[Record]) -> None:
        self.rows = tuple(rows)
        trials: dict[str, list[Record]] = {row.key: [] for row in self.rows}
        for record in records:
            trials.get(key_of(record), []).append(record)
        self.trials: Mapping[str, Sequence[Record]] = trials
        self.cells = {
            (row.key, quantity): _cell(row, quantity, trials[row.key])
            for row in self.rows
            for quantity in (("error",) if row.paradigm == INVERSE else ()) + ("rmse", "seconds")
        }
        self.quick = any(record.get("quick") for own in trials.values() for record in own)

    def of(self, table: str) -> list[Experiment]:
        """The rows of a table."""
        return [row for row in self.rows if row.table == table]

    def records(self, table: str) -> list[Record]:
        """The trials of a table."""
        return [record for row in self.of(table) for record in self.trials[row.key]]


def paradigms_of(rows: Iterable[Experiment]) -> list[str]:
    """The paradigms of some rows, each once."""
    return list(dict.fromkeys(row.paradigm for row in rows))


def _cell(row: Experiment, quantity: str, records: Sequence[Record]) -> Cell:
    # The time until a failure is not the time a solution takes.
    values = [number(r, quantity) for r in records if number(r, "rmse") is not None]
    known = tuple(value for value in values if value is not None)
    return Cell(
        row=row,
        quantity=quantity,
        paper=PRINTED.get(row.key, {}).get(quantity),
        values=known,
        failed=len(records) - len(known),
        quick=any(record.get("quick") for record in records),
    )


def number(record: Record, name: str) -> float | None:
    """A finite number of a trial; None where there is none."""
    value = record.get(name)
    if value is None or record.get("failure") or not math.isfinite(value):
        return None
    return float(value)
