"""``piscm solve``: trials one after another, each printed and written as it ends."""

import json
from pathlib import Path

from rich.console import Console
from rich.text import Text

from piscm.cli.output import flat, print_many, print_one, row_of, write
from piscm.cli.task import solved, task_for
from piscm.problem.errors import ProblemError
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
) -> None:
    """Solve a problem with one seed per trial."""
    if trials < 1:
        raise ProblemError(f"--trials {trials}: give a whole number from 1 up.")
    if seed < 0:
        raise ProblemError(f"seed={seed}: give a whole number from 0 up.")
    method, task = task_for(name_or_file, method, nodes, tol, observations)
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
    rows = []
    for number in range(trials):
        solution = solved(task, seed + number)
        rows.append(row_of(task, method, solution))
        if as_json:
            print(json.dumps(rows[-1]), flush=True)
        if out is not None:
            write(task, solution, out / f"{task.name}-{method}-seed{solution.seed}")
        if not as_json and trials == 1:
            print_one(solution, rows[-1])
        if solution.status is Status.INTERRUPTED:
            break  # who presses Ctrl-C means all of them
    if not as_json and trials > 1:
        print_many(rows)
    if out is not None:
        table = [flat(row) for row in rows]
        write_csv(out / f"{task.name}-{method}-trials.csv", list(table[0]), table)
        Console(stderr=True).print(Text(f"Written to {out}"), soft_wrap=True)
