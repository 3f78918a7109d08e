"""What the command line solves: a problem of the zoo or from a file."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from piscm import zoo
from piscm.assemble.sampling import Sampling
from piscm.construct.construction import Construction
from piscm.fit.pisc import PISC1, PISC2, PISC3
from piscm.march.methods import Auto
from piscm.problem.errors import KeyedProblemError, ProblemError
from piscm.problem.problem import Problem
from piscm.result.solution import Solution
from piscm.solver import solve
from piscm.text.problem_file import ProblemFile, mistake, read_problem_file
from piscm.zoo.benchmark import Benchmark

# Defaults for files, with which the paper's algorithms need no scale.
_FILE_OPTIONS = {"selection": "orthogonal", "candidates": 100}

_TABLES = {"method": "options", "sampling": "sampling"}

METHODS: dict[str, Any] = {"auto": Auto, "pi-sc-i": PISC1, "pi-sc-ii": PISC2, "pi-sc-iii": PISC3}


@dataclass(frozen=True)
class Task:
    """What the command line solves: a benchmark of the zoo or a problem file."""

    name: str
    problem: Callable[[int], Problem]  # given a seed
    method: Construction | Auto
    sampling: Sampling | None  # None leaves it to the method
    benchmark: Benchmark | None
    weights: Mapping[str, float] | None = None  # of a benchmark, for the paper's algorithms


def task_for(
    name: str, method: str | None, nodes: int | None, tol: float | None, observations: int | None
) -> tuple[str, Task]:
    """The name of the method, and the task for it."""
    if method is not None and method not in METHODS:
        raise ProblemError(f"--method {method}: known methods are {', '.join(METHODS)}.")
    overrides: dict[str, Any] = {} if nodes is None else {"max_nodes": nodes}
    if tol is not None:
        overrides["tolerance"] = tol
    if name in zoo.names():
        method = method or ("auto" if nodes is None else "pi-sc-iii")
        item = zoo.load(name)
        count = item.observations if observations is None else observations
        item.observed(count)  # reports a wrong count before any computation
        if method == "auto":
            return method, Task(
                name, lambda seed: item.observed(count, seed), Auto(**overrides), None, item
            )
        chosen = item.method(METHODS[method], **overrides)
        return method, Task(
            name,
            lambda seed: item.observed(count, seed),
            chosen,
            item.sampling,
            item,
            item.weights,
        )
    if not Path(name).is_file():
        known = ", ".join(zoo.names())
        raise ProblemError(f"{name!r} is neither a problem of the zoo ({known}) nor a file.")
    if observations is not None:
        raise ProblemError("--observations is for problems of the zoo; a file lists its own.")
    file = read_problem_file(name)
    method = method or ("pi-sc-iii" if file.options or nodes is not None else "auto")
    defaults = {} if method == "auto" else _FILE_OPTIONS
    with _mistakes(file, "method", {**file.options, **overrides}):
        chosen = METHODS[method](**{**defaults, **file.options, **overrides})
    with _mistakes(file, "sampling", file.sampling):
        sampling = Sampling(**file.sampling) if file.sampling else None
    return method, Task(Path(name).stem, lambda seed: file.problem, chosen, sampling, None)


@contextmanager
def _mistakes(file: ProblemFile, table: str, options: Mapping[str, Any]) -> Iterator[None]:
    """Tell a wrong option with the file, and with its line if it is written there."""
    try:
        yield
    except (TypeError, ProblemError) as error:
        words = str(error).rstrip(".")
        named = [key for key in options if re.search(rf"\b{re.escape(key)}\b", words)]
        written = (table, *(key for key in named[:1] if key in getattr(file, _TABLES[table])))
        keyed = KeyedProblemError(f"[{table}] {words}.", written)
        raise mistake(file.path, file.text, keyed) from None


def solved(task: Task, seed: int) -> Solution:
    """One trial."""
    problem = task.problem(seed)
    return solve(problem, task.method, sampling=task.sampling, weights=task.weights, seed=seed)
