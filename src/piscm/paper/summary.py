"""From trials to cells: what a row of a table came to, beside what the paper prints for it."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from piscm.paper.experiment import INVERSE, Experiment, key_of
from piscm.paper.printed import PRINTED, TRIALS, Spread
from piscm.paper.store import Record

BETTER, SAME, WORSE = "better", "same", "worse"
QUICK, ABSENT, NOT_RUN, FAILED = "quick run", "not in the paper", "not run", "failed"
STALE, SINGLE = "stale", "one trial"
# A difference that chance alone makes in fewer than one of twenty comparisons is one.
_CHANCE = 0.05


@dataclass(frozen=True)
class Cell:
    """One quantity of one row: printed, and over the trials that gave a solution."""

    row: Experiment
    quantity: str  # "rmse", "error" (of the unknown) or "cpu" (seconds of it)
    paper: Spread | None
    values: tuple[float, ...]
    failed: int
    quick: bool
    stale: bool = False

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
    def within(self) -> bool:
        """Whether our mean is within one of the paper's standard deviations, or better."""
        return self.deviations is not None and self.deviations <= 1.0

    @property
    def difference(self) -> float | None:
        """Our mean minus the paper's, in standard errors of that difference (Welch)."""
        if self.paper is None or self.mean is None or self.sd is None:
            return None
        variance = self.sd**2 / len(self.values) + self.paper.sd**2 / TRIALS
        return quotient(self.mean - self.paper.mean, math.sqrt(variance))

    @property
    def verdict(self) -> str:
        """In a word how an error compares (see `_judged`); of a time nothing is said."""
        if self.mean is not None and self.stale:
            return STALE
        if self.mean is None:
            return FAILED if self.failed else NOT_RUN
        if self.paper is None:
            return ABSENT
        if self.quick:  # smaller than the paper's sizes: there is nothing to compare
            return QUICK
        return self._judged()

    def _judged(self) -> str:
        """By Welch's test for two means."""
        assert self.paper is not None
        if self.sd is None or self.difference is None:
            return SINGLE
        own, other = self.sd**2 / len(self.values), self.paper.sd**2 / TRIALS
        freedom = (own + other) ** 2 / (own**2 / (len(self.values) - 1) + other**2 / (TRIALS - 1))
        if abs(self.difference) <= stats.t.isf(_CHANCE / 2, freedom):
            return SAME
        return BETTER if self.difference < 0 else WORSE


def quotient(above: float | None, below: float | None) -> float | None:
    """A ratio; None where there is none."""
    return above / below if above is not None and below else None


class Summary:
    """All rows, their trials by the key of the row, and their cells by key and quantity.

    Trials of no row are left out. `quick` says whether there are trials of tiny sizes, which say
    nothing about the methods. With the `codes` of today, rows with trials of others are stale.
    """

    def __init__(
        self,
        rows: Iterable[Experiment],
        records: Iterable[Record],
        codes: Mapping[str, str] | None = None,
    ) -> None:
        self.rows = tuple(rows)
        trials: dict[str, list[Record]] = {row.key: [] for row in self.rows}
        for record in records:
            trials.get(key_of(record), []).append(record)
        self.trials: Mapping[str, Sequence[Record]] = trials
        self.stale = {
            key
            for key, code in (codes or {}).items()
            if any(record.get("code") != code for record in trials[key])
        }
        self.cells = {
            (row.key, quantity): _cell(row, quantity, trials[row.key], row.key in self.stale)
            for row in self.rows
            for quantity in (("error",) if row.paradigm == INVERSE else ()) + ("rmse", "cpu")
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


def _cell(row: Experiment, quantity: str, records: Sequence[Record], stale: bool) -> Cell:
    # The time until a failure is not the time a solution takes.
    good = [record for record in records if number(record, "rmse") is not None]
    values = [number(record, quantity) for record in good]
    return Cell(
        row=row,
        quantity=quantity,
        paper=PRINTED.get(row.key, {}).get("seconds" if quantity == "cpu" else quantity),
        values=tuple(value for value in values if value is not None),
        failed=len(records) - len(good),
        quick=any(record.get("quick") for record in records),
        stale=stale,
    )


def number(record: Record, name: str) -> float | None:
    """A finite number of a trial; None where there is none."""
    value = record.get(name)
    if value is None or record.get("failure") or not math.isfinite(value):
        return None
    return float(value)
