"""``piscm sweep`` and ``piscm ensemble``: a problem file solved many times, a line for each."""

import json
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from piscm.cli.exit_codes import exit_code
from piscm.cli.task import Task, file_task
from piscm.ensembles import together
from piscm.paper.workers import dask_workers, local_workers
from piscm.problem.errors import ProblemError
from piscm.result.solution import Solution
from piscm.sweeping import Posed, swept
from piscm.text.files import write_csv


@dataclass(frozen=True)
class How:
    """What sweeps and ensembles have in common.

    Attributes
    ----------
    method, nodes, tol, activation, max_seconds
        As in ``piscm solve``; None leaves each to the file.
    workers : int
    dask : str or None
        The address of a scheduler.
    as_json : bool
    out : path or None
        The folder that keeps what is solved.
    """

    method: str | None
    nodes: int | None
    tol: float | None
    activation: str | None
    max_seconds: float | None
    workers: int
    dask: str | None
    as_json: bool
    out: Path | None

    @contextmanager
    def options(self) -> Iterator[dict[str, Any]]:
        """Those of `sweep` and `ensemble`, while there is who works."""
        if self.workers < 1:
            raise ProblemError(f"--workers {self.workers}: give a whole number from 1 up.")
        with _executor(self.workers, self.dask) as executor:
            yield {"executor": executor, "store": self.out}

    def task(self, file: Path, numbers: Mapping[str, float] | None = None) -> Task:
        """What ``piscm solve`` would solve, with other numbers if some are given."""
        settings = (self.method, self.nodes, self.tol, self.activation)
        return file_task(file, *settings, constants=numbers)[1]

    def posed(self, task: Task, **more: Any) -> Posed:
        """The same as it is solved many times."""
        return Posed(task.problem(0), {**task.options(self.max_seconds), **more}, task.units)

    def tell(self, rows: list[dict[str, Any]], name: str) -> None:
        """Print a line for each solve, and write them to the folder."""
        if self.as_json:
            for row in rows:
                print(json.dumps(row), flush=True)
        else:
            _print(rows)
        if self.out is not None:
            write_csv(self.out / name, list(rows[0]), rows)


def run_sweep(file: Path, chosen: list[str], seed: int | None, how: How) -> int:
    """Solve for every combination; the exit code is that of the first solve that is not ok."""
    if seed is not None and seed < 0:
        raise ProblemError(f"seed={seed}: give a whole number from 0 up.")
    values = dict(_read(text) for text in chosen)
    if len(values) < len(chosen) or not values:
        raise ProblemError("Give the values of each parameter once, as --set mu=0.5,1,2.")

    def pose(numbers: Mapping[str, float]) -> Posed:
        task = how.task(file, numbers)
        return how.posed(task, seed=task.run.get("seed", 0) if seed is None else seed)

    with how.options() as options:
        table = swept(pose, values, **options)
    rows = [_row(_chosen(values, at), table.solution.values[at]) for at in _places(table)]
    how.tell(rows, "sweep.csv")
    return exit_code(own.status for own in table.solution.values.ravel())


def run_ensemble(file: Path, seeds: int, bootstrap: bool, how: How) -> int:
    """Solve once for each seed, and tell the spread of the unknowns."""
    if seeds < 1:
        raise ProblemError(f"--seeds {seeds}: give a whole number from 1 up.")
    posed = how.posed(how.task(file))
    if bootstrap and not posed.problem.observations:
        raise ProblemError("--bootstrap draws data anew: the file has no observations.")
    with how.options() as options:
        table = together(posed, seeds, bootstrap=bootstrap, **options)
    solutions = list(table.solution.values)
    rows = [_row({"seed": seed}, own) for seed, own in enumerate(solutions)]
    how.tell(rows, "ensemble.csv")
    spread = {
        name: {"mean": float(table[name].mean()), "std": float(table[name].std(ddof=1))}
        for name in (solutions[0].unknowns if seeds > 1 else ())
    }
    if how.as_json:
        print(json.dumps({"unknowns": spread}), flush=True)
    else:
        for name, own in spread.items():
            print(f"{name} = {own['mean']:.6g} ± {own['std']:.2g} over {seeds} seeds")
    return exit_code(own.status for own in solutions)


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


def _chosen(values: dict[str, list[float]], place: tuple[int, ...]) -> dict[str, float]:
    return {name: own[i] for (name, own), i in zip(values.items(), place, strict=True)}


def _row(which: Mapping[str, float], solution: Solution) -> dict[str, Any]:
    error = None if solution.known_error is None else solution.known_error.relative
    return {
        **which,
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
