"""The paper's tables, ours beside the printed values."""

from piscm.paper.experiment import INVERSE, Experiment
from piscm.paper.notes import WHY
from piscm.paper.page import BAD, FAIR, GOOD, SOFT, Block, Bullets, Mark, Section, Table, Text
from piscm.paper.printed import TITLES, UNKNOWN
from piscm.paper.summary import BETTER, FAILED, SAME, WORSE, Cell, Summary, paradigms_of
from piscm.paper.words import error_text, ours_text, paper_text, ratio_text

# The sign says it too, for eyes that do not tell the colors apart.
_MARKS = {BETTER: ("▼ ", GOOD), SAME: ("● ", FAIR), WORSE: ("▲ ", BAD), FAILED: ("✕ ", BAD)}


def table_section(summary: Summary, table: str) -> Section:
    """A table of the paper; the error of an unknown has a table of its own."""
    if not summary.records(table):
        return Section(TITLES[table], [Text("No trial of this table was run.")])
    rows = summary.of(table)
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
    summary: Summary, rows: list[Experiment], quantity: str, caption: str, times: bool = True
) -> Table:
    by_paradigm = len(paradigms_of(rows)) > 1
    columns = ["Method", *(["Paradigm"] if by_paradigm else [])]
    columns += ["Ours, mean ± sd", "Median", "Paper, mean ± sd", "Ours / paper", "Verdict"]
    words = [0, columns.index("Verdict"), *([1] if by_paradigm else [])]
    columns += ["Time (s)", "Paper (s)"] if times else []
    lines, last = [], None
    for row in rows:
        cell, time = summary.cells[row.key, quantity], summary.cells[row.key, "seconds"]
        first = last is None or row.method != last.method
        sign, tone = _MARKS.get(cell.verdict, ("", SOFT))
        cells: list[str | Mark] = [row.label if first else ""]
        cells += [row.paradigm] if by_paradigm else []
        cells += [
            ours_text(cell),
            error_text(cell.median),
            paper_text(quantity, cell.paper),
            ratio_text(cell.ratio),
            Mark(sign + cell.verdict, tone),
        ]
        cells += [ours_text(time), paper_text("seconds", time.paper)] if times else []
        count = len(cell.values)
        cells.append(f"{count} of {count + cell.failed}" if cell.failed else str(count))
        lines.append(cells)
        last = row
    return Table([*columns, "Trials"], lines, words, caption, ruled=True)


def _explained(summary: Summary, rows: list[Experiment]) -> list[Block]:
    """A sentence for each row of the paper's own algorithms that came out worse."""
    items = []
    for row in rows:
        cells = (summary.cells.get((row.key, quantity)) for quantity in ("error", "rmse"))
        worse = [_excess(cell) for cell in cells if cell and cell.verdict == WORSE]
        if worse and row.proposed:
            paradigm = "" if row.paradigm == INVERSE else f", {row.paradigm}"
            reason = WHY.get(row.key, "No explanation yet.")
            items.append(f"{row.label}{paradigm}: {'; '.join(worse)}. {reason}")
    return [Text("Above the paper's mean + 1 sd:"), Bullets(items)] if items else []


def _excess(cell: Cell) -> str:
    what = "RMSE" if cell.quantity == "rmse" else "error of the unknown"
    far = "" if cell.deviations is None else f", {cell.deviations:.1f} sd above the printed mean"
    return f"{what} {error_text(cell.mean)}{far} (median {error_text(cell.median)})"
