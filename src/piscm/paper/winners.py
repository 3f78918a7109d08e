"""Who wins where, by the medians: also where it is a rival."""

from dataclasses import dataclass

from piscm.paper.experiment import INVERSE, Experiment
from piscm.paper.page import Block, Line, Section, Table, Text
from piscm.paper.printed import UNKNOWN, problem_of
from piscm.paper.summary import Summary, paradigms_of
from piscm.paper.times import REFERENCES
from piscm.paper.words import NONE, error_text, ratio_text, seconds_text

_OWN = ("auto", "windows", "orthogonal")


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
        lines.append(Line([*cells, front], rule=True))
    columns = ["Problem", "Most accurate", "Error", "Time (s)"]
    columns += ["Most accurate network", "Error", "Time (s)", "Unbeaten"]
    return Table(columns, lines, words=(0, 1, 4, 7))


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
            lines.append(Line(cells, rule=number == 0))
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
        blocks.append(Table(columns, lines, words=(0, 1)))
    if unbeaten:
        blocks.append(Text(f"No rival that was run has a lower error on: {'; '.join(unbeaten)}."))
    return Section("What wins where", blocks)
