"""What the command line solves: a problem of the zoo or from a file."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from piscm import zoo
from piscm.assemble.sampling import Sampling
from piscm.construct.construction import Construction
from piscm.fit.pisc import PISC1, PISC2, PISC3
from piscm.march.methods import Auto
from piscm.problem.errors import ProblemError
from piscm.problem.problem import Problem
from piscm.result.solution import Solution
from piscm.solver import solve
from piscm.text.problem_file import read_problem_file
from piscm.zoo.benchmark import Benchmark

# Defaults for files, with which the paper's algorithms need no scale.
_FILE_OPTIONS = {"selection": "orthogonal", "candidates": 100}

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
    try:
        chosen = METHODS[method](**{**defaults, **file.options, **overrides})
    except TypeError as error:
        raise ProblemError(f"[method] of {name}, for {method}: {error}.") from None
    try:
        sampling = Sampling(**file.sampling) if file.sampling else None
    except TypeError as error:
        raise ProblemError(f"[sampling] of {name}: {error}.") from None
    return method, Task(Path(name).stem, lambda seed: file.problem, chosen, sampling, None)


def solved(task: Task, seed: int) -> Solution:
    """One trial."""
    problem = task.problem(seed)
    return solve(problem, task.method, sampling=task.sampling, weights=task.weights, seed=seed)
