"""``piscm sweep``: a problem file with other numbers, a line for each combination."""

import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from piscm.cli.exit_codes import exit_code
from piscm.files import read_problem_file
from piscm.march.methods import Auto
from piscm.march.patched import Patches
from piscm.paper.workers import dask_workers, local_workers
from piscm.problem.errors import ProblemError
from piscm.problem.problem import Problem
from piscm.result.solution import Solution
from piscm.sweeping import sweep
from piscm.text.files import write_csv


def run_sweep(
    file: Path,
    chosen: list[str],
    tol: float | None,
    seed: int,
    patches: bool,
    workers: int,
    dask: str | None,
    as_json: bool,
    out: Path | None,
) -> int:
    """Solve for every combination; the exit code is that of the first solve that is not ok."""
    if workers < 1:
        raise ProblemError(f"--workers {workers}: give a whole number from 1 up.")
    if seed < 0:
        raise ProblemError(f"seed={seed}: give a whole number from 0 up.")
    values = dict(_read(text) for text in chosen)
    if len(values) < len(chosen) or not values:
        raise ProblemError("Give the values of each parameter once, as --set mu=0.5,1,2.")

    def make(**numbers: float) -> Problem:
        return read_problem_file(file, numbers).problem

    method = Patches() if patches else Auto()
    with _executor(workers, dask) as executor:
        table = sweep(make, values, executor=executor, store=out, method=method, tol=tol, seed=seed)
    rows = [_row(values, place, table.solution.values[place]) for place in _places(table)]
    if as_json:
        for row in rows:
            print(json.dumps(row), flush=True)
    else:
        _print(rows)
    if out is not None:
        write_csv(out / "sweep.csv", list(rows[0]), rows)
    return exit_code(own.status for own in table.solution.values.ravel())


def _places(table: Any) -> Iterator[tuple[int, ...]]:
    import numpy as np

    yield from np.ndindex(*table.solution.shape)


def _read(text: str) -> tuple[str, list[float]]:
    name, equals, listed = text.partition("=")
    try:
        numbers = [float(own) for own in listed.split(",")]
    except ValueError:
        numbers = []
    if not equals or not name or not numbers or not all(map(math.isfinite, numbers)):
        raise ProblemError(f"--set {text}: give a name and numbers, as --set mu=0.5,1,2.")
    return name.strip(), numbers


@contextmanager
def _executor(workers: int, dask: str | None) -> Iterator[Any]:
    if dask is not None:
        with dask_workers(dask) as (executor, _):
            yield executor
    elif workers > 1:
        with local_workers(workers) as executor:
            yield executor
    else:
        yield None


def _row(
    values: dict[str, list[float]], place: tuple[int, ...], solution: Solution
) -> dict[str, Any]:
    error = None if solution.known_error is None else solution.known_error.relative
    return {
        **{name: own[i] for (name, own), i in zip(values.items(), place, strict=True)},
        "status": solution.status.name.lower(),
        "error": error if error is not None and math.isfinite(error) else None,
        "nodes": solution.n_nodes,
        "seconds": solution.seconds,
        **{name: own.value for name, own in solution.unknowns.items()},
    }


def _print(rows: list[dict[str, Any]]) -> None:
    table = Table(*rows[0], box=None)
    for row in rows:
        table.add_row(
            *(f"{own:.4g}" if isinstance(own, float) else str(own) for own in row.values())
        )
    Console().print(table)
