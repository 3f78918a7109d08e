"""What the command line prints and writes: one record per trial.

A new column is a new entry in `row_of`; JSON, tables and files follow.
"""

import math
import statistics
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from piscm.cli.task import Task
from piscm.problem.errors import printable
from piscm.result.solution import Solution
from piscm.text.files import write_csv
from piscm.text.replacing import replacing

_FILE_WIDTH = 160


def _number(value: float) -> float | None:
    """JSON has no NaN."""
    return value if math.isfinite(value) else None


def row_of(task: Task, method: str, solution: Solution) -> dict[str, Any]:
    truth = {} if task.benchmark is None else task.benchmark.truth
    rmse = None
    if task.benchmark is not None:
        rmse = _number(task.benchmark.rmse(solution, seed=solution.seed))
    return {
        "problem": task.name,
        "method": method,
        "seed": solution.seed,
        "nodes": solution.n_nodes,
        "residual": _number(solution.fitted_residual),
        "rmse": rmse,
        "seconds": solution.seconds,
        "status": solution.status.name.lower(),
        "unknowns": {
            name: {
                "value": item.value,
                "stderr": _number(item.stderr),
                "error": abs(item.value - truth[name]) if name in truth else None,
            }
            for name, item in solution.unknowns.items()
        },
    }


def flat(row: dict[str, Any]) -> dict[str, Any]:
    """A row with each unknown as its own column, for a table."""
    wide = {key: value for key, value in row.items() if key != "unknowns"}
    for name, item in row["unknowns"].items():
        wide |= {f"{name} {key}": value for key, value in item.items()}
    return wide


def _narrow(row: dict[str, Any]) -> dict[str, Any]:
    """A row for a screen: the error of each unknown, or its value if the truth is not known."""
    narrow = {k: v for k, v in row.items() if k not in ("problem", "method", "unknowns")}
    for name, item in row["unknowns"].items():
        if item["error"] is None:
            narrow[name] = item["value"]
        else:
            narrow[f"{name} error"] = item["error"]
    return narrow


def print_one(solution: Solution, row: dict[str, Any]) -> None:
    if not solution.status.stopped:
        _ = solution.error_estimate  # so that the summary includes it
    print(solution)
    if row["rmse"] is not None:
        print(f"  RMSE against the reference {row['rmse']:.3e}")
    for name, item in row["unknowns"].items():
        if item["error"] is not None:
            print(f"  error of {name} {item['error']:.3e}")


def print_many(rows: list[dict[str, Any]]) -> None:
    narrow = [_narrow(row) for row in rows]
    columns = list(narrow[0])
    title = Text(printable(f"{rows[0]['problem']}, {rows[0]['method']}"))
    table = Table(*columns, box=None, title=title)
    for row in narrow:
        table.add_row(*(text(row[key]) for key in columns))
    medians = []
    for key in columns:
        values = [row[key] for row in narrow]
        numeric = key != "seed" and all(isinstance(value, int | float) for value in values)
        medians.append(text(statistics.median(values)) if numeric else "")
    table.add_section()
    table.add_row("median", *medians[1:])
    screen = Console()
    if not screen.is_terminal:  # in a file or a pipe no screen sets the width: cut no column
        screen = Console(width=_FILE_WIDTH)
    screen.print(table)


def text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.0f}" if value.is_integer() and value < 1e6 else f"{value:.2g}"
    return "" if value is None else str(value)


def write(task: Task, solution: Solution, stem: Path) -> None:
    """Write the solution, its history as a table, and a plot of it."""
    from piscm import plots

    solution.save(stem.with_name(stem.name + ".npz"))
    names = solution.history.dtype.names or ()
    records = [dict(zip(names, record.tolist(), strict=True)) for record in solution.history]
    write_csv(stem.with_name(stem.name + "-history.csv"), names, records)
    reference = task.benchmark.reference if task.benchmark else None
    sections = task.benchmark.sections if task.benchmark else None
    figure = plots.overview(solution, reference=reference, sections=sections)
    with replacing(stem.with_name(stem.name + ".png")) as part:
        figure.savefig(part, dpi=110)
    plots.close(figure)
