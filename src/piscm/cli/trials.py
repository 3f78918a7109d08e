"""``piscm solve``: trials one after another, each printed and written as it ends."""

import json
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from piscm.cli.exit_codes import INTERRUPTED, exit_code
from piscm.cli.output import flat, print_many, print_one, row_of, write
from piscm.cli.task import solved, task_for
from piscm.paper.workers import dask_client, pool_of
from piscm.plots.page import Section, write_page
from piscm.problem.errors import ProblemError, printable
from piscm.result.status import Status
from piscm.text.files import write_csv

_MOST_SHOWN = 10  # trials with pictures on the page


def run_trials(
    name_or_file: str,
    method: str | None,
    nodes: int | None,
    tol: float | None,
    observations: int | None,
    seed: int | None,
    trials: int,
    as_json: bool,
    out: Path | None,
    max_seconds: float | None = None,
    activation: str | None = None,
    workers: int = 1,
    dask: str | None = None,
) -> int:
    """Solve a problem with one seed per trial; the exit code."""
    if workers < 1:
        raise ProblemError(f"--workers {workers}: give a whole number from 1 up.")
    if trials < 1:
        raise ProblemError(f"--trials {trials}: give a whole number from 1 up.")
    if seed is not None and seed < 0:
        raise ProblemError(f"seed={seed}: give a whole number from 0 up.")
    method, task = task_for(name_or_file, method, nodes, tol, observations, activation)
    seed = task.run.get("seed", 0) if seed is None else seed
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, Any]] = []
    ends: list[Status] = []
    sections: list[Section] = []
    try:
        with _executor(workers, dask) as executor:
            for number in range(trials):
                solution = solved(task, seed + number, max_seconds, executor)
                rows.append(row_of(task.name, method, solution, task.benchmark))
                ends.append(solution.status)
                if as_json:
                    print(json.dumps(rows[-1]), flush=True)
                if out is not None:
                    stem = f"{task.name}-{method}-seed{solution.seed}"
                    sections.append(write(task, solution, out / stem, rows[-1]))
                if not as_json and trials == 1:
                    print_one(solution, rows[-1])
                if solution.status is Status.INTERRUPTED:
                    break  # who presses Ctrl-C means all of them
    except KeyboardInterrupt:
        ends.append(Status.INTERRUPTED)
    if out is not None and sections:
        write_page(
            out / "index.html", sections[:_MOST_SHOWN], title=printable(task.name), units=task.units
        )
    if rows:
        _finish(rows, trials, as_json, out and out / f"{task.name}-{method}-trials.csv")
    if Status.INTERRUPTED in ends:
        Console(stderr=True).print(f"Interrupted: {len(rows)} of {trials} trials are done.")
        return INTERRUPTED
    return exit_code(ends)


def _executor(workers: int, dask: str | None) -> AbstractContextManager[Any]:
    """Who works on a solve: this process, several, or a Dask cluster, whose client is given."""
    return pool_of(workers) if dask is None else dask_client(dask)


def _finish(rows: list[dict[str, Any]], trials: int, as_json: bool, path: Path | None) -> None:
    """Print and write all trials together."""
    if not as_json and trials > 1:
        print_many(rows)
    if path is not None:
        table = [flat(row) for row in rows]
        write_csv(path, list(table[0]), table)
        words = printable(f"Written to {path.parent}")
        Console(stderr=True).print(Text(words), soft_wrap=True)
