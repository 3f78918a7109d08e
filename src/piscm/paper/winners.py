"""Who wins where, by the medians: also where it is a rival."""

from dataclasses import dataclass

from piscm.paper.page import Block, Line, Section, Table, Text
from piscm.paper.printed import TITLES, UNKNOWN, problem_of
from piscm.paper.summary import Row, Summary, is_paper_method
from piscm.paper.words import NONE, error_text, ratio_text, seconds_text

_CONTESTED = tuple(TITLES)[:5]  # the last compares one method with itself
_OWN = ("auto", "windows", "orthogonal")


@dataclass(frozen=True)
class Entry:
    """A method with its median error and time."""

    row: Row
    error: float
    seconds: float

    @property
    def cells(self) -> list[str]:
        """For a line of a table."""
        return [self.row.label, error_text(self.error), seconds_text(self.seconds)]


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
        if self.paradigm != "inverse":
            return f"{problem}, {self.paradigm}"
        sought = f"error of {UNKNOWN[self.table]}" if self.quantity == "error" else "state"
        return f"{problem}, inverse, {sought}"

    @property
    def networks(self) -> tuple[Entry, ...]:
        return tuple(entry for entry in self.entries if entry.row.kind != "classical")

    @property
    def front(self) -> tuple[Entry, ...]:
        """Those for which no other is both at least as accurate and faster, or the reverse."""
        return tuple(a for a in self.entries if not any(_beats(b, a) for b in self.entries))

    def find(self, method: str) -> Entry | None:
        return next((entry for entry in self.entries if entry.row.method == method), None)


def _beats(one: Entry, other: Entry) -> bool:
    pairs = (one.error, one.seconds), (other.error, other.seconds)
    return all(x <= y for x, y in zip(*pairs, strict=True)) and pairs[0] != pairs[1]


def contests(summary: Summary) -> list[Contest]:
    """Every problem, paradigm and quantity of which there are trials."""
    found = []
    for table in _CONTESTED:
        rows = summary.of(table)
        for paradigm in dict.fromkeys(row.paradigm for row in rows):
            for quantity in ("error", "rmse") if paradigm == "inverse" else ("rmse",):
                own = [row for row in rows if row.paradigm == paradigm]
                entries = [_entry(summary, row, quantity) for row in own]
                known = sorted((e for e in entries if e is not None), key=lambda e: e.error)
                if known:
                    found.append(Contest(table, paradigm, quantity, tuple(known)))
    return found


def _entry(summary: Summary, row: Row, quantity: str) -> Entry | None:
    error = summary.cell(row, quantity).median
    seconds = summary.cell(row, "seconds").median
    return None if error is None or seconds is None else Entry(row, error, seconds)


def best_table(found: list[Contest]) -> Table:
    """The most accurate of all, of the networks, and the methods on the front."""
    lines = []
    for contest in found:
        best, network = contest.entries[0], contest.networks[:1]
        cells = [contest.title, *best.cells]
        if network == (best,):
            cells += ["the same", "", ""]
        else:
            cells += network[0].cells if network else [NONE] * 3
        front = "; ".join(entry.row.label for entry in contest.front)
        lines.append(Line([*cells, front], rule=True))
    columns = ["Problem", "Most accurate", "Error", "Time (s)"]
    columns += ["Most accurate network", "Error", "Time (s)", "Unbeaten"]
    return Table(columns, lines, words=(0, 1, 4, 7))


def winners_section(summary: Summary) -> Section:
    """Every rival that is more accurate than PI-SC-III or than the default."""
    found = contests(summary)
    lines, unbeaten = [], []
    for contest in found:
        ours = [contest.find("pi-sc-iii"), contest.find("auto")]
        if not any(ours):
            continue
        above = [e for e in contest.entries if _is_rival(e.row) and _beaten(e, ours)]
        for number, rival in enumerate(above):
            cells = [contest.title if number == 0 else "", *rival.cells]
            for entry in ours:
                cells += _compared(rival, entry)
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
        columns += [f"{what} / {whose}" for whose in ("PI-SC-III", "Auto") for what in _RATIOS]
        blocks.append(Table(columns, lines, words=(0, 1)))
    if unbeaten:
        blocks.append(Text(f"No rival that was run has a lower error on: {'; '.join(unbeaten)}."))
    return Section("What wins where", blocks)


_RATIOS = ("Error", "Time")


def _is_rival(row: Row) -> bool:
    return not is_paper_method(row) and row.method not in _OWN


def _beaten(rival: Entry, ours: list[Entry | None]) -> bool:
    return any(entry is not None and rival.error < entry.error for entry in ours)


def _compared(rival: Entry, entry: Entry | None) -> list[str]:
    pairs = ((rival.error, entry.error), (rival.seconds, entry.seconds)) if entry else ()
    return [ratio_text(a / b if b else None) for a, b in pairs] or [NONE, NONE]
