"""The paper's tables, ours beside the printed values."""

from piscm.paper.experiment import INVERSE, Experiment
from piscm.paper.notes import WHY
from piscm.paper.page import BAD, FAIR, GOOD, SOFT, Block, Bullets, Line, Mark, Section, Table, Text
from piscm.paper.printed import TITLES, UNKNOWN
from piscm.paper.summary import BETTER, FAILED, SAME, STALE, WORSE, Cell, Summary, paradigms_of
from piscm.paper.words import NONE, error_text, ours_text, paper_text, ratio_text

# The sign says it too, for eyes that do not tell the colors apart.
_MARKS = {
    BETTER: ("▼ ", GOOD),
    SAME: ("● ", FAIR),
    WORSE: ("▲ ", BAD),
    FAILED: ("✕ ", BAD),
    STALE: ("? ", BAD),
}
_SHORT = {"unsupervised": "unsup.", "semi-supervised": "semi-sup."}


def table_section(summary: Summary, table: str) -> Section:
    """A table of the paper; the error of an unknown has a table of its own."""
    if not summary.records(table):
        return Section(TITLES[table], [Text("No trial of this table was run.")])
    rows = summary.of(table)
    blocks: list[Block] = []
    if table in UNKNOWN:
        blocks += [
            _table(summary, rows, "error", f"Absolute error of {UNKNOWN[table]}"),
            _table(summary, rows, "rmse", "RMSE of the state"),
        ]
    else:
        blocks.append(_table(summary, rows, "rmse", "RMSE on 10,000 random points"))
    return Section(TITLES[table], [*blocks, *_explained(summary, rows)])


def _table(summary: Summary, rows: list[Experiment], quantity: str, caption: str) -> Table:
    by_paradigm = len(paradigms_of(rows)) > 1
    columns = ["Method", "Verdict", "Ours, mean ± sd", "Paper, mean ± sd", "Difference (SE)"]
    columns += ["Ours / paper", "Our median", "Trials"]
    lines: list[Line] = []
    for row in rows:
        cell = summary.cells[row.key, quantity]
        sign, tone = _MARKS.get(cell.verdict, ("", SOFT))
        name = f"{row.label}, {_SHORT[row.paradigm]}" if by_paradigm else row.label
        lines.append(
            [
                name,
                Mark(sign + cell.verdict, tone),
                ours_text(cell),
                paper_text(quantity, cell.paper),
                NONE if cell.difference is None else f"{cell.difference:+.1f}",
                ratio_text(cell.ratio),
                error_text(cell.median),
                _count(summary, cell),
            ]
        )
    return Table(columns, lines, (0, 1), caption, ruled=True)


def _count(summary: Summary, cell: Cell) -> str:
    count = len(cell.values)
    told = f"{count} of {count + cell.failed}" if cell.failed else str(count)
    confirmed = any(record.get("confirmed") for record in summary.trials[cell.row.key])
    return f"{told}*" if confirmed else told


def _explained(summary: Summary, rows: list[Experiment]) -> list[Block]:
    """A sentence for each row of the paper that came out worse."""
    items = []
    for row in rows:
        cells = (summary.cells.get((row.key, quantity)) for quantity in ("error", "rmse"))
        worse = [_excess(cell) for cell in cells if cell and cell.verdict == WORSE]
        if worse:
            paradigm = "" if row.paradigm == INVERSE else f", {row.paradigm}"
            reason = WHY.get(row.key, "Open: we do not know why.")
            items.append(f"{row.label}{paradigm}: {'; '.join(worse)}. {reason}")
    return [Text("Worse than printed:"), Bullets(items)] if items else []


def _excess(cell: Cell) -> str:
    what = "RMSE" if cell.quantity == "rmse" else "error of the unknown"
    near = "within" if cell.within else "beyond"
    return f"{what} {ratio_text(cell.ratio)} times the printed one, {near} one of its sd"
