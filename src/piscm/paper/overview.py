"""The top of the report: what was run, and what came of it in a few lines."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from piscm.paper.page import Block, Bullets, Line, Section, Table, Text
from piscm.paper.printed import TITLES, TRIALS
from piscm.paper.summary import (
    BETTER,
    FAILED,
    SAME,
    WORSE,
    Cell,
    Record,
    Row,
    Summary,
    is_paper_method,
    key_of,
    number,
)
from piscm.paper.times import key_gains
from piscm.paper.winners import best_table, contests
from piscm.paper.words import range_text
from piscm.problem.errors import shortened


def summary_section(summary: Summary) -> Section:
    """Counts of verdicts, speed, and the best method of every table."""
    judged = [cell for cell in summary.cells() if cell.quantity != "seconds" and cell.judged]
    own = [cell for cell in judged if is_paper_method(cell.row)]
    others = [cell for cell in judged if not is_paper_method(cell.row)]
    items = []
    if own:
        items.append(f"PI-SC-I, II and III: {_counted(own)}")
    if others:
        items.append(f"The paper's baselines: {_counted(others)}")
    quick = summary.quick
    items += [] if quick else _speeds(summary)
    failed = sum(_is_failed(record) for trials in summary.trials.values() for record in trials)
    if failed:
        items.append(f"Failed trials: {failed}; the section on what was run lists them.")
    blocks: list[Block] = []
    if quick:
        blocks.append(
            Text(
                "A quick run: tiny sizes that show that everything works. Its numbers say nothing "
                "about the methods, and are not judged."
            )
        )
    found = [] if quick else contests(summary)
    if not blocks and not items and not found:
        blocks.append(Text("There is nothing to report yet."))
    if items:
        blocks.append(Bullets(items))
    if found:
        blocks.append(
            Text(
                "The most accurate method of each problem by median error, the most accurate of "
                "the networks, and the methods that no other one beats in error and time at once:"
            )
        )
        blocks.append(best_table(found))
    return Section("In short", blocks)


def _counted(cells: list[Cell]) -> str:
    counts = Counter(cell.verdict for cell in cells)
    parts = [f"{counts[SAME]} as printed", f"{counts[BETTER]} better", f"{counts[WORSE]} worse"]
    parts += [f"{counts[FAILED]} failed"] if counts[FAILED] else []
    return (
        f"{counts[BETTER] + counts[SAME]} of {len(cells)} mean errors are at or below the paper's "
        f"mean + 1 sd ({', '.join(parts)})."
    )


def _speeds(summary: Summary) -> list[str]:
    items = []
    for method, label in (("pi-sc-iii", "PI-SC-III"), ("auto", "Auto")):
        gains = key_gains(summary, method)
        ours = [item.ours for item in gains if item.ours is not None]
        printed = [item.paper for item in gains if item.paper is not None]
        if ours:
            beside = f" (the paper: {range_text(printed)} times)" if printed else ""
            items.append(
                f"{label} is {range_text(ours)} times as fast as the 4×64 PINN on the same "
                f"problem{beside}."
            )
    return items


def run_section(summary: Summary, facts: Mapping[str, Any]) -> Section:
    """Trials, seeds and the machine, and what failed."""
    counts = [len(summary.trials[key_of(row)]) for row in summary.rows]
    run = [count for count in counts if count]
    seeds = {record["seed"] for trials in summary.trials.values() for record in trials}
    told = {
        "rows": f"{len(run)} of {len(counts)} were run",
        "trials of each row": _span(run),
        "seeds": _span(sorted(seeds)),
        **facts,
    }
    lines = [Line([name, str(value)]) for name, value in told.items()]
    text = (
        "Each row of a table is a method under a paradigm, and each trial a seed: of the points, "
        f"the observations, the nodes and the test points. The paper ran {TRIALS} trials of each."
    )
    blocks: list[Block] = [Text(text), Table(["", ""], lines, words=(0, 1))]
    return Section("What was run", [*blocks, *_failures(summary)])


def _span(values: list[int]) -> str:
    if not values:
        return "none"
    low, high = min(values), max(values)
    return str(low) if low == high else f"{low} to {high}"


def _is_failed(record: Record) -> bool:
    return number(record, "rmse") is None


def _failures(summary: Summary) -> list[Block]:
    """Every row with failed trials, and what the first of them said."""
    lines = []
    for row in summary.rows:
        failed = [record for record in summary.trials[key_of(row)] if _is_failed(record)]
        if failed:
            reason = str(failed[0].get("failure") or "no finite error")
            cells = [*_named(row), str(len(failed)), shortened(reason, 300)]
            lines.append(Line(cells))
    if not lines:
        return []
    columns = ["Table", "Method", "Paradigm", "Failed", "The first one"]
    return [Table(columns, lines, words=(0, 1, 2, 4), caption="Trials that failed")]


def _named(row: Row) -> list[str]:
    return [TITLES[row.table].split(":")[0], row.label, row.paradigm]
