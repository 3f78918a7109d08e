"""``piscm solve``: trials one after another, each printed and written as it ends."""

import json
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from piscm.cli.exit_codes import FAILED, INTERRUPTED
from piscm.cli.output import flat, print_many, print_one, row_of, write
from piscm.cli.task import solved, task_for
from piscm.problem.errors import ProblemError, printable
from piscm.result.status import Status
from piscm.text.files import write_csv


def run_trials(
    name_or_file: str,
    method: str | None,
    nodes: int | None,
    tol: float | None,
    observations: int | None,
    seed: int,
    trials: int,
    as_json: bool,
    out: Path | None,
) -> int:
    """Solve a problem with one seed per trial; the exit code."""
    if trials < 1:
        raise ProblemError(f"--trials {trials}: give a whole number from 1 up.")
    if seed < 0:
        raise ProblemError(f"seed={seed}: give a whole number from 0 up.")
    method, task = task_for(name_or_file, method, nodes, tol, observations)
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, Any]] = []
    codes: list[int] = []
    try:
        for number in range(trials):
            solution = solved(task, seed + number)
            rows.append(row_of(task, method, solution))
            codes.append(FAILED[rows[-1]["status"]] if solution.status.failed else 0)
            if as_json:
                print(json.dumps(rows[-1]), flush=True)
            if out is not None:
                write(task, solution, out / f"{task.name}-{method}-seed{solution.seed}")
            if not as_json and trials == 1:
                print_one(solution, rows[-1])
            if solution.status is Status.INTERRUPTED:
                break  # who presses Ctrl-C means all of them
    except KeyboardInterrupt:
        codes.append(INTERRUPTED)
    if rows:
        _finish(rows, trials, as_json, out and out / f"{task.name}-{method}-trials.csv")
    if INTERRUPTED in codes:
        Console(stderr=True).print(f"Interrupted: {len(rows)} of {trials} trials are done.")
        return INTERRUPTED
    return next((code for code in codes if code), 0)


def _finish(rows: list[dict[str, Any]], trials: int, as_json: bool, path: Path | None) -> None:
    """Print and write all trials together."""
    if not as_json and trials > 1:
        print_many(rows)
    if path is not None:
        table = [flat(row) for row in rows]
        write_csv(path, list(table[0]), table)
        words = printable(f"Written to {path.parent}")
        Console(stderr=True).print(Text(words), soft_wrap=True)
