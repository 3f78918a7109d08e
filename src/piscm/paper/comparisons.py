"""Methods compared within one run: how many times as fast, and who wins where, also a rival."""

from dataclasses import dataclass
from typing import NamedTuple

from piscm.paper.experiment import INVERSE, Experiment
from piscm.paper.page import Block, Section, Table, Text
from piscm.paper.printed import TITLES, UNKNOWN, problem_of
from piscm.paper.summary import Summary, paradigms_of, quotient
from piscm.paper.words import NONE, error_text, ratio_text, seconds_text

REFERENCES = {
    "table-1": ("pinn-deep",),
    "table-2": ("pinn-deep", "pielm"),
    "table-3": ("vs-pinn-deep",),
    "table-4": ("pinn-deep",),
    "table-5": ("pinn-deep",),
}
"""What the paper measures speed against in each table: first a deep network."""
_OWN = ("auto", "windows", "orthogonal")


class Gain(NamedTuple):
    """How many times as fast as a reference a row is; None where either is missing."""

    ours: float | None = None
    paper: float | None = None


def gain(summary: Summary, row: Experiment, reference: str) -> Gain:
    """The mean time of the reference under the same paradigm, in units of this row's."""
    own = summary.cells[row.key, "seconds"]
    other = summary.cells.get((f"{row.table}/{reference}/{row.paradigm}", "seconds"))
    if other is None:
        return Gain()
    printed = quotient(other.paper and other.paper.mean, own.paper and own.paper.mean)
    return Gain(quotient(other.mean, own.mean), printed)


def key_gains(summary: Summary, method: str) -> list[Gain]:
    """A method against the deep PINN of every table, where both were run."""
    rows = [row for row in summary.rows if row.method == method and row.table in REFERENCES]
    gains = [gain(summary, row, REFERENCES[row.table][0]) for row in rows]
    return [item for item in gains if item.ours is not None]


def times_section(summary: Summary) -> Section:
    """Every table that has a reference to be measured against."""
    blocks: list[Block] = [
        Text(
            "How many times as fast as the deep PINN (and as PIELM) each method was: mean time of "
            "the reference divided by mean time of the method, beside the same quotient of the "
            "paper's times. Rows that were run at different times, or on different machines (see "
            "above), are compared all the same, and then say less. Below 1 the reference is the "
            "faster one. The paper's workstation has "
            "a graphics card, and does not say which methods used it; here every trial has one "
            "core, so that a quotient may differ for that reason alone. Times include compiling, "
            "of JAX too."
        )
    ]
    for table, references in REFERENCES.items():
        for reference in references:
            blocks += _times_table(summary, table, reference)
    if len(blocks) == 1:
        blocks.append(Text("No table with its reference was run."))
    return Section("Times", blocks)


def _times_table(summary: Summary, table: str, reference: str) -> list[Table]:
    rows = summary.of(table)
    paradigms = paradigms_of(rows)
    labels = {row.method: row.label for row in rows}
    gains = {(row.method, row.paradigm): gain(summary, row, reference) for row in rows}
    lines = []
    for method, label in labels.items():
        own = [gains.get((method, paradigm), Gain()) for paradigm in paradigms]
        if method != reference and any(item.ours is not None for item in own):
            lines.append([label, *(ratio_text(value) for item in own for value in item)])
    if not lines:
        return []
    shown = paradigms if len(paradigms) > 1 else [""]
    columns = [f"{whose} {name}".strip() for name in shown for whose in ("Ours", "Paper")]
    caption = f"{TITLES[table].split(',')[0]}: times as fast as {labels[reference]}"
    return [Table(["Method", *columns], lines, caption=caption)]


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

    @property
    def is_rival(self) -> bool:
        return not self.row.proposed and self.row.method not in _OWN

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

    def find(self, method: str) -> Entry | None:
        return next((entry for entry in self.entries if entry.row.method == method), None)


def contests(summary: Summary) -> list[Contest]:
    """Every problem, paradigm and quantity of which there are trials."""
    found = []
    for table in REFERENCES:  # Table VI compares one method with itself
        rows = summary.of(table)
        for paradigm in paradigms_of(rows):
            for quantity in ("error", "rmse") if paradigm == INVERSE else ("rmse",):
                own = (_entry(summary, row, quantity) for row in rows if row.paradigm == paradigm)
                entries = sorted((e for e in own if e is not None), key=lambda e: e.error)
                if entries:
                    found.append(Contest(table, paradigm, quantity, tuple(entries)))
    return found


def _entry(summary: Summary, row: Experiment, quantity: str) -> Entry | None:
    error, seconds = (summary.cells[row.key, name].median for name in (quantity, "seconds"))
    return None if error is None or seconds is None else Entry(row, error, seconds)


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
    columns = ["Problem", "Most accurate", "Error", "Time (s)"]
    columns += ["Most accurate network", "Error", "Time (s)", "Unbeaten"]
    return Table(columns, lines, words=(0, 1, 4, 7), ruled=True)


def winners_section(summary: Summary) -> Section:
    """Every rival that is more accurate than PI-SC-III or than the default."""
    lines, unbeaten = [], []
    for contest in contests(summary):
        ours = [contest.find("pi-sc-iii"), contest.find("auto")]
        worst = max((entry.error for entry in ours if entry), default=None)
        if worst is None:
            continue
        above = [entry for entry in contest.entries if entry.is_rival and entry.error < worst]
        for number, rival in enumerate(above):
            cells = [contest.title if number == 0 else "", *rival.cells]
            for entry in ours:
                cells.append(ratio_text(rival.error / entry.error if entry else None))
                cells.append(ratio_text(rival.seconds / entry.seconds if entry else None))
            lines.append(cells)
        if not above:
            unbeaten.append(contest.title)
    if not lines and not unbeaten:
        return Section("What wins where", [Text("Neither PI-SC-III nor Auto was run.")])
    blocks: list[Block] = [
        Text(
            "Rivals whose median error is below that of PI-SC-III or of Auto. An error ratio below "
            "1 is the rival's advantage in accuracy, a time ratio below 1 its advantage in speed."
        )
    ]
    if lines:
        columns = ["Problem", "Rival", "Median error", "Time (s)"]
        columns += [
            f"{what} / {who}" for who in ("PI-SC-III", "Auto") for what in ("Error", "Time")
        ]
        blocks.append(Table(columns, lines, words=(0, 1), ruled=True))
    if unbeaten:
        blocks.append(Text(f"No rival that was run has a lower error on: {'; '.join(unbeaten)}."))
    return Section("What wins where", blocks)
