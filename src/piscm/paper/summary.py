"""From trials to cells: what a row of a table came to, beside what the paper prints for it."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from piscm.paper.printed import PRINTED, Key, Spread

Record = Mapping[str, Any]
"""One trial as it was stored."""

BETTER, SAME, WORSE = "better", "as printed", "worse"
QUICK, ABSENT, NOT_RUN, FAILED = "quick run", "not in the paper", "not run", "failed"


class Row(Protocol):
    """A row of a table, as the experiments describe it."""

    @property
    def table(self) -> str: ...
    @property
    def method(self) -> str: ...
    @property
    def paradigm(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def origin(self) -> str: ...


def key_of(row: Row) -> Key:
    """What a row is found by, here and among the printed values."""
    return row.table, row.method, row.paradigm


def is_paper_method(row: Row) -> bool:
    """Whether it is one of the three algorithms that the paper proposes."""
    return row.method.startswith("pi-sc-")


@dataclass(frozen=True)
class Cell:
    """One quantity of one row over all trials.

    Attributes
    ----------
    quantity : str
        ``"rmse"``, ``"error"`` (of the unknown) or ``"seconds"``.
    values : tuple of float
        Those of the trials that gave a solution.
    failed : int
        How many trials gave none.
    """

    row: Row
    quantity: str
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
        if self.paper is None or self.mean is None or self.paper.mean == 0:
            return None
        return self.mean / self.paper.mean

    @property
    def deviations(self) -> float | None:
        """How many of the paper's standard deviations our mean lies above the paper's."""
        if self.paper is None or self.mean is None or self.paper.sd == 0:
            return None
        return (self.mean - self.paper.mean) / self.paper.sd

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

    @property
    def judged(self) -> bool:
        return self.verdict in (BETTER, SAME, WORSE, FAILED)


def verdict_of(mean: float, paper: Spread) -> str:
    """How a mean error compares with a printed one.

    Worse above the paper's mean + 1 sd. Better below its mean - 1 sd, or below half its mean: where
    the printed sd is as large as the mean, the former says nothing. As printed in between.
    """
    if mean > paper.mean + paper.sd:
        return WORSE
    return BETTER if mean < max(paper.mean - paper.sd, paper.mean / 2) else SAME


@dataclass(frozen=True)
class Summary:
    """All rows with all their trials."""

    rows: tuple[Row, ...]
    trials: Mapping[Key, Sequence[Record]]

    @cached_property
    def _cells(self) -> dict[tuple[Key, str], Cell]:
        return {
            (key_of(row), quantity): _cell(row, quantity, self.trials.get(key_of(row), ()))
            for row in self.rows
            for quantity in quantities(row)
        }

    @property
    def quick(self) -> bool:
        """Whether there are trials of tiny sizes, which say nothing about the methods."""
        return any(record.get("quick") for own in self.trials.values() for record in own)

    def cell(self, row: Row, quantity: str) -> Cell:
        """One quantity of a row of this summary."""
        return self._cells[key_of(row), quantity]

    def find(self, key: Key, quantity: str) -> Cell | None:
        """The same by its key; None where there is no such row."""
        return self._cells.get((key, quantity))

    def cells(self) -> list[Cell]:
        """All of them, in the order of the rows."""
        return list(self._cells.values())

    def of(self, table: str) -> list[Row]:
        """The rows of a table as the paper orders them: by method, and within it by paradigm."""
        own = [row for row in self.rows if row.table == table]
        methods = list(dict.fromkeys(row.method for row in own))
        paradigms = list(dict.fromkeys(row.paradigm for row in own))
        return sorted(
            own, key=lambda row: (methods.index(row.method), paradigms.index(row.paradigm))
        )

    def records(self, table: str) -> list[Record]:
        """The trials of a table."""
        return [record for key, own in self.trials.items() if key[0] == table for record in own]


def quantities(row: Row) -> tuple[str, ...]:
    """What is measured of a row."""
    inverse = row.paradigm == "inverse"
    return ("error", "rmse", "seconds") if inverse else ("rmse", "seconds")


def summarize(experiments: Iterable[Row], records: Iterable[Record]) -> Summary:
    """Sort trials to the rows they belong to; those of no row are left out."""
    rows = tuple(experiments)
    trials: dict[Key, list[Record]] = {key_of(row): [] for row in rows}
    for record in records:
        own = trials.get((record["table"], record["method"], record["paradigm"]))
        if own is not None:
            own.append(record)
    return Summary(rows, trials)


def _cell(row: Row, quantity: str, records: Sequence[Record]) -> Cell:
    # The time until a failure is not the time a solution takes.
    solved = [record for record in records if number(record, "rmse") is not None]
    values = [number(record, quantity) for record in solved]
    known = tuple(value for value in values if value is not None)
    printed = PRINTED.get(key_of(row))
    return Cell(
        row=row,
        quantity=quantity,
        paper=None if printed is None else getattr(printed, quantity),
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
