"""What the command line prints and writes: one record per trial.

A new column is a new entry in `row_of`; JSON, tables and files follow.
"""

import json
import math
import statistics
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from piscm.cli.task import Task
from piscm.plots.page import Section
from piscm.problem.errors import ProblemError, printable
from piscm.result.solution import Solution
from piscm.text.files import write_csv
from piscm.text.replacing import replacing
from piscm.zoo.benchmark import Benchmark

_FILE_WIDTH = 160


def _number(value: float) -> float | None:
    """JSON has no NaN."""
    return value if math.isfinite(value) else None


def row_of(
    problem: str, method: str, solution: Solution, benchmark: Benchmark | None = None
) -> dict[str, Any]:
    """Everything about a trial that a program may want to know."""
    truth = {} if benchmark is None else benchmark.truth
    rmse = None if benchmark is None else _number(benchmark.rmse(solution, seed=solution.seed))
    return {
        "problem": problem,
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
        "success": solution.success,
        "message": solution.message,
        "remarks": [text for text in (solution.undetermined, *solution.remarks) if text],
        "tolerance": solution.method.asked or None,
        "chosen": solution.method.chosen(solution.network),
        "estimate": _estimate(solution),
        "timings": {
            "total": solution.seconds,
            "growth": _number(float(np.sum(solution.history.seconds))),
        },
        "blocks": [
            {**asdict(block), "fitted": _number(block.fitted)} for block in solution.block_residuals
        ],
        "version": version("piscm"),
    }


def _estimate(solution: Solution) -> dict[str, Any] | None:
    """The estimated error, if there is one or it can still be made."""
    if solution.known_error is None and solution.status.stopped:
        return None
    try:
        found = solution.error_estimate
    except ProblemError:
        return None
    return {
        "relative": _number(found.relative),
        "from_noise": _number(found.from_noise),
        "by_field": {name: _number(value) for name, value in found.by_field.items()},
        "free": list(found.free),
    }


def flat(row: dict[str, Any]) -> dict[str, Any]:
    """A row with each unknown as its own column, for a table."""
    wide = {key: value for key, value in row.items() if not isinstance(value, dict | list)}
    wide["estimate"] = row["estimate"] and row["estimate"]["relative"]
    for name, item in row["unknowns"].items():
        wide |= {f"{name} {key}": value for key, value in item.items()}
    return wide


_ON_SCREEN = ("seed", "nodes", "residual", "rmse", "seconds", "status")


def _narrow(row: dict[str, Any]) -> dict[str, Any]:
    """A row for a screen: the error of each unknown, or its value if the truth is not known."""
    narrow = {key: row[key] for key in _ON_SCREEN}
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


def write(task: Task, solution: Solution, stem: Path, row: dict[str, Any]) -> Section:
    """Write the solution, its history as a table, and a plot of it; what a page is to show."""
    from piscm import plots

    files = [stem.name + ending for ending in (".npz", "-history.csv", ".json", ".png")]
    solution.save(stem.with_name(files[0]))
    names = solution.history.dtype.names or ()
    records = [dict(zip(names, record.tolist(), strict=True)) for record in solution.history]
    write_csv(stem.with_name(files[1]), names, records)
    with replacing(stem.with_name(files[2])) as part:
        part.write_text(json.dumps(row, indent=2), encoding="utf-8")
    reference = task.benchmark.reference if task.benchmark else None
    sections = task.benchmark.sections if task.benchmark else None
    figure = plots.overview(solution, reference=reference, sections=sections, units=task.units)
    with replacing(stem.with_name(files[3])) as part:
        figure.savefig(part, dpi=110)
    plots.close(figure)
    remarks = [] if row["rmse"] is None else [f"RMSE against the reference {row['rmse']:.3e}"]
    return Section(stem.name, solution, reference, files, remarks)
