"""The top of the report: what was run, and what came of it in a few lines."""

from collections import Counter
from collections.abc import Collection

from piscm.paper.comparisons import best_table, contests
from piscm.paper.page import Block, Bullets, Section, Table, Text
from piscm.paper.printed import TITLES, TRIALS
from piscm.paper.summary import BETTER, FAILED, SAME, WORSE, Cell, Summary, number
from piscm.problem.errors import shortened


def summary_section(summary: Summary) -> Section:
    """Counts of verdicts, speed, and the best method of every table."""
    cells = [cell for cell in summary.cells.values() if cell.quantity != "cpu"]
    items = _counted("PI-SC-I, II and III", [cell for cell in cells if cell.row.proposed])
    items += _counted("The paper's baselines", [cell for cell in cells if not cell.row.proposed])
    if summary.stale:
        items.append(f"{len(summary.stale)} rows are stale: other code made them.")
    failed = sum(cell.failed for cell in cells if cell.quantity == "rmse")
    if failed:
        items.append(f"Failed trials: {failed}; the section on what was run lists them.")
    blocks: list[Block] = [Bullets(items)] if items else []
    if summary.quick:
        text = (
            "A quick run: tiny sizes that show that everything works. Its numbers say nothing "
            "about the methods, and are not judged."
        )
        return Section("In short", [Text(text), *blocks])
    found = contests(summary)
    if found:
        text = (
            "The most accurate method of each problem by median error, the most accurate of the "
            "networks, and the methods that no other one beats in error and time at once (of rows "
            "that have no CPU time the seconds on the clock):"
        )
        blocks += [Text(text), best_table(found)]
    return Section("In short", blocks or [Text("There is nothing to report yet.")])


def _counted(whose: str, cells: list[Cell]) -> list[str]:
    counts = Counter(cell.verdict for cell in cells)
    judged = [cell for cell in cells if cell.verdict in (SAME, BETTER, WORSE, FAILED)]
    if not judged:
        return []
    parts = [f"{counts[name]} {name}" for name in (SAME, BETTER, WORSE, FAILED) if counts[name]]
    within = sum(cell.within for cell in judged)
    return [
        f"{whose}: {within} of {len(judged)} mean errors are within one of the paper's standard "
        f"deviations, or better. By Welch's test for two means: {', '.join(parts)}."
    ]


def run_section(summary: Summary, versions: str) -> Section:
    """Trials, seeds and the machine, and what failed."""
    records = [record for trials in summary.trials.values() for record in trials]
    counts = [len(trials) for trials in summary.trials.values() if trials]
    confirmed = sum(any(r.get("confirmed") for r in own) for own in summary.trials.values())
    told = {
        "rows": f"{len(counts)} of {len(summary.rows)} were run",
        "trials of each row": _span(counts),
        "seeds": _span({record["seed"] for record in records}),
        "rows of today's code": str(len(counts) - len(summary.stale)),
        "of these confirmed": f"{confirmed}: made by earlier code, a few trials run again with "
        "today's, with the same digits (* beside the number of trials)",
        "stale rows": ", ".join(sorted(summary.stale)) or "none",
        "command": "piscm reproduce --out docs/reproduction",
        "machine": " and ".join(sorted({r["machine"] for r in records if r.get("machine")})),
        "versions": versions,
        "commits": ", ".join(sorted({str(record.get("commit")) for record in records})),
    }
    lines = [[name, str(value)] for name, value in told.items()]
    text = (
        "Each row of a table is a method under a paradigm, and each trial a seed: of the points, "
        f"the observations, the nodes and the test points. The paper ran {TRIALS} trials of each."
    )
    blocks: list[Block] = [Text(text), Table(["", ""], lines, words=(0, 1))]
    return Section("What was run", [*blocks, *_failures(summary)])


def _span(values: Collection[int]) -> str:
    if not values:
        return "none"
    low, high = min(values), max(values)
    return str(low) if low == high else f"{low} to {high}"


def _failures(summary: Summary) -> list[Block]:
    """Every row with failed trials, and what the first of them said."""
    lines = []
    for row in summary.rows:
        failed = [r for r in summary.trials[row.key] if number(r, "rmse") is None]
        if failed:
            reason = shortened(str(failed[0].get("failure") or "no finite error"), 300)
            table = TITLES[row.table].split(":")[0]
            lines.append([table, row.label, row.paradigm, str(len(failed)), reason])
    if not lines:
        return []
    columns = ["Table", "Method", "Paradigm", "Failed", "The first one"]
    return [Table(columns, lines, words=(0, 1, 2, 4), caption="Trials that failed")]
