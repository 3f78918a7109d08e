"""Methods compared with each other: times, and the most accurate of every problem."""

import math
from dataclasses import dataclass

import numpy as np

from piscm.paper.experiment import INVERSE, Experiment
from piscm.paper.page import Block, Section, Table, Text
from piscm.paper.printed import TITLES, UNKNOWN, problem_of
from piscm.paper.store import Record
from piscm.paper.summary import Summary, number, paradigms_of, quotient
from piscm.paper.timing import LITERAL, PINNS, timed
from piscm.paper.words import (
    NONE,
    error_text,
    ours_text,
    paper_text,
    ratio_text,
    seconds_text,
)

_SAME = 1e-6  # relative difference of two errors that are the same but for round-off


def times_section(summary: Summary, one_run: Summary | None = None) -> Section:
    """CPU seconds of the paper's methods and of its algorithm written plainly.

    They are those of `one_run`, or else of the trials themselves.
    """
    times = one_run or summary
    where = "on one core, in one run" if one_run else "of the trials, whatever ran beside them"
    blocks: list[Block] = [
        Text(
            f"CPU seconds {where}, mean ± sd, compiling included, of JAX too; beside them "
            "the paper's seconds, on a workstation with a graphics card: the two are "
            "not compared. The literal algorithm is the paper's, step by step and without the "
            "short cuts of the engine; the last columns say how many times as fast as it, and as "
            "the 4×64 PINN, a method is here."
        )
    ]
    if one_run and one_run.stale:
        blocks.append(Text("They are of earlier code: `piscm reproduce times` measures them anew."))
    for table in TITLES:
        rows = timed(tuple(summary.of(table)))
        for paradigm in paradigms_of(rows):
            own = [row for row in rows if row.paradigm == paradigm]
            blocks += _times_table(times, own)
    if not any(isinstance(block, Table) for block in blocks):
        blocks.append(Text("No times were measured."))
    return Section("Times", [*blocks, *_literal_text(summary, times)])


def _literal_text(summary: Summary, times: Summary) -> list[Text]:
    """How often PI-SC-III gives the literal algorithm's error, and in what part of its time."""
    agree, parts = [], []
    for table in TITLES:
        pairs = _literal_pairs(summary, table)
        agree += [math.isclose(ours["rmse"], plain["rmse"], rel_tol=_SAME) for ours, plain in pairs]
        timed_pairs = _literal_pairs(times, table)
        ratios = [quotient(number(b, "cpu"), number(a, "cpu")) for a, b in timed_pairs]
        known = [ratio for ratio in ratios if ratio is not None]
        if known:
            parts.append(f"1/{np.median(known):.2g} ({problem_of(table)})")
    if not agree:
        return []
    return [
        Text(
            f"In {sum(agree)} of {len(agree)} runs PI-SC-III gave the error of the literal "
            f"algorithm on the same seed to {_SAME:.0e}".replace("e-06", "e-6")
            + (f", in {', '.join(parts)} of its CPU time (medians over seeds)." if parts else ".")
        )
    ]


def _literal_pairs(summary: Summary, table: str) -> list[tuple[Record, Record]]:
    """Trials of PI-SC-III and of the literal algorithm, of one seed each."""
    found = []
    for row in (row for row in summary.of(table) if row.method == LITERAL):
        ours = {r["seed"]: r for r in summary.trials[f"{table}/pi-sc-iii/{row.paradigm}"]}
        for plain in summary.trials[row.key]:
            other = ours.get(plain["seed"])
            if other and number(other, "rmse") is not None and number(plain, "rmse") is not None:
                found.append((other, plain))
    return found


def _times_table(summary: Summary, rows: list[Experiment]) -> list[Table]:
    cells = {row.method: summary.cells[row.key, "cpu"] for row in rows}
    means = {method: cell.mean for method, cell in cells.items()}
    pinn = next((means[name] for name in PINNS if name in means), None)
    lines = [
        [
            row.label,
            ours_text(cells[row.method]),
            paper_text("cpu", cells[row.method].paper),
            ratio_text(quotient(means.get(LITERAL), means[row.method])),
            ratio_text(quotient(pinn, means[row.method])),
            str(len(cells[row.method].values)),
        ]
        for row in rows
        if means[row.method] is not None
    ]
    if not lines:
        return []
    columns = ["Method", "Ours (CPU s)", "Paper (s)", "× literal", "× PINN", "Trials"]
    problem = f"{problem_of(rows[0].table)}, {rows[0].paradigm}"
    return [Table(columns, lines, caption=problem)]


@dataclass(frozen=True)
class Entry:
    """A method with its median error and time."""

    row: Experiment
    error: float
    seconds: float

    @property
    def cells(self) -> list[str]:
        """For a line of a table."""
        return [self.row.label, error_text(self.error), seconds_text(self.seconds)]

    def beats(self, other: "Entry") -> bool:
        """At least as good in both respects, and better in one."""
        own, others = (self.error, self.seconds), (other.error, other.seconds)
        return own != others and own[0] <= others[0] and own[1] <= others[1]


@dataclass(frozen=True)
class Contest:
    """The methods on one problem, the most accurate first."""

    table: str
    paradigm: str
    quantity: str
    entries: tuple[Entry, ...]

    @property
    def title(self) -> str:
        """Problem, paradigm and, of an inverse problem, what is sought."""
        problem = problem_of(self.table)
        if self.paradigm != INVERSE:
            return f"{problem}, {self.paradigm}"
        sought = f"error of {UNKNOWN[self.table]}" if self.quantity == "error" else "state"
        return f"{problem}, inverse, {sought}"

    @property
    def front(self) -> tuple[Entry, ...]:
        """Those that no other one beats."""
        return tuple(a for a in self.entries if not any(b.beats(a) for b in self.entries))


def contests(summary: Summary) -> list[Contest]:
    """Every problem, paradigm and quantity of which there are trials."""
    found = []
    for table in TITLES:
        if table == "table-6":  # compares one method with itself
            continue
        rows = summary.of(table)
        for paradigm in paradigms_of(rows):
            for quantity in ("error", "rmse") if paradigm == INVERSE else ("rmse",):
                own = (_entry(summary, row, quantity) for row in rows if row.paradigm == paradigm)
                entries = sorted((e for e in own if e is not None), key=lambda e: e.error)
                if entries:
                    found.append(Contest(table, paradigm, quantity, tuple(entries)))
    return found


def _entry(summary: Summary, row: Experiment, quantity: str) -> Entry | None:
    error = summary.cells[row.key, quantity].median
    times = [number(r, "cpu") or number(r, "seconds") for r in summary.trials[row.key]]
    known = [time for time in times if time is not None]
    return None if error is None or not known else Entry(row, error, float(np.median(known)))


def best_table(found: list[Contest]) -> Table:
    """The most accurate of all, of the networks, and the methods on the front."""
    lines = []
    for contest in found:
        best = contest.entries[0]
        network = next((e for e in contest.entries if e.row.kind != "classical"), None)
        cells = [contest.title, *best.cells]
        if network is best:
            cells += ["the same", "", ""]
        else:
            cells += network.cells if network else [NONE] * 3
        front = "; ".join(entry.row.label for entry in contest.front)
        lines.append([*cells, front])
    columns = ["Problem", "Most accurate", "Error", "CPU (s)"]
    columns += ["Most accurate network", "Error", "CPU (s)", "Unbeaten"]
    return Table(columns, lines, words=(0, 1, 4, 7), ruled=True)
