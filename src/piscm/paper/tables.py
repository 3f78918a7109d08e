"""The paper's tables, ours beside the printed values."""

from piscm.paper.notes import WHY
from piscm.paper.page import (
    BAD,
    FAIR,
    GOOD,
    SOFT,
    Block,
    Bullets,
    Line,
    Mark,
    Section,
    Table,
    Text,
)
from piscm.paper.printed import TITLES, UNKNOWN
from piscm.paper.summary import (
    BETTER,
    SAME,
    WORSE,
    Cell,
    Row,
    Summary,
    is_paper_method,
    key_of,
)
from piscm.paper.words import (
    error_text,
    ours_text,
    paper_text,
    quantity_text,
    ratio_text,
    trials_text,
)

# The sign says it too, for eyes that do not tell the colors apart.
_MARKS = {BETTER: ("▼", GOOD), SAME: ("●", FAIR), WORSE: ("▲", BAD)}
_UNEXPLAINED = "No explanation yet."


def table_section(summary: Summary, table: str) -> Section:
    """A table of the paper; the error of an unknown has a table of its own."""
    rows = summary.of(table)
    if not any(summary.trials[key_of(row)] for row in rows):
        return Section(TITLES[table], [Text("No trial of this table was run.")])
    blocks: list[Block] = []
    if table in UNKNOWN:
        blocks += [
            _table(summary, rows, "error", f"Absolute error of {UNKNOWN[table]}, and time"),
            _table(summary, rows, "rmse", "RMSE of the state", times=False),
        ]
    else:
        blocks.append(_table(summary, rows, "rmse", "RMSE on 10,000 random points, and time"))
    return Section(TITLES[table], [*blocks, *_explained(summary, rows)])


def _table(
    summary: Summary, rows: list[Row], quantity: str, caption: str, times: bool = True
) -> Table:
    by_paradigm = len({row.paradigm for row in rows}) > 1
    columns = ["Method", *(["Paradigm"] if by_paradigm else [])]
    columns += ["Ours, mean ± sd", "Median", "Paper, mean ± sd", "Ours / paper", "Verdict"]
    columns += ["Time (s)", "Paper (s)"] if times else []
    verdict = columns.index("Verdict")
    lines, last = [], None
    for row in rows:
        cell, time = summary.cell(row, quantity), summary.cell(row, "seconds")
        first = last is None or row.method != last.method
        cells: list[str | Mark] = [row.label if first else ""]
        cells += [row.paradigm] if by_paradigm else []
        cells += [
            ours_text(cell),
            quantity_text(quantity, cell.median),
            paper_text(quantity, cell.paper),
            ratio_text(cell.ratio),
            _mark(cell),
        ]
        cells += [ours_text(time), paper_text("seconds", time.paper)] if times else []
        lines.append(Line([*cells, trials_text(cell)], rule=first))
        last = row
    return Table(
        [*columns, "Trials"],
        lines,
        words=(0, 1, verdict) if by_paradigm else (0, verdict),
        caption=caption,
    )


def _mark(cell: Cell) -> Mark:
    if not cell.judged:
        return Mark(cell.verdict, SOFT)
    sign, tone = _MARKS[cell.verdict]
    return Mark(f"{sign} {cell.verdict}", tone)


def _explained(summary: Summary, rows: list[Row]) -> list[Block]:
    """A sentence for each row of the paper's own algorithms that came out worse."""
    items = []
    for row in filter(is_paper_method, rows):
        cells = [c for c in map(lambda q: summary.find(key_of(row), q), ("error", "rmse")) if c]
        worse = [_excess(cell) for cell in cells if cell.verdict == WORSE]
        if worse:
            paradigm = "" if row.paradigm == "inverse" else f", {row.paradigm}"
            reason = WHY.get(key_of(row), _UNEXPLAINED)
            items.append(f"{row.label}{paradigm}: {'; '.join(worse)}. {reason}")
    return [Text("Above the paper's mean + 1 sd:"), Bullets(items)] if items else []


def _excess(cell: Cell) -> str:
    assert cell.paper is not None
    what = "RMSE" if cell.quantity == "rmse" else "error of the unknown"
    far = "" if cell.deviations is None else f", {cell.deviations:.1f} sd above the printed mean"
    return f"{what} {error_text(cell.mean)}{far} (median {error_text(cell.median)})"
