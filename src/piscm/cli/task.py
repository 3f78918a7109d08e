"""What the command line solves: a problem of the zoo or from a file."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from piscm import zoo
from piscm.assemble.sampling import Sampling
from piscm.construct.construction import Construction
from piscm.files import read_problem_file
from piscm.march.methods import Auto
from piscm.method_names import METHODS, make_method, method_class, method_name
from piscm.problem.errors import ProblemError
from piscm.problem.nearest import nearest
from piscm.problem.problem import Problem
from piscm.result.method import Method
from piscm.result.solution import Solution
from piscm.solver import solve
from piscm.zoo.benchmark import Benchmark


@dataclass(frozen=True)
class Task:
    """What the command line solves: a benchmark of the zoo or a problem file."""

    name: str
    problem: Callable[[int], Problem]  # given a seed
    method: Method
    sampling: Sampling | None  # None leaves it to the method
    benchmark: Benchmark | None
    weights: Mapping[str, float] | None = None  # of a benchmark, for the paper's algorithms
    initial: Mapping[Any, Any] | None = None
    run: Mapping[str, Any] = field(default_factory=dict)  # tol, seed and limits of a file
    units: Mapping[str, str] = field(default_factory=dict)

    def options(self, max_seconds: float | None) -> dict[str, Any]:
        """Those of `solve`, but for the seed."""
        run = {key: value for key, value in self.run.items() if key not in ("seed", "tol")}
        if max_seconds is not None:
            run["max_seconds"] = max_seconds
        return {
            "method": self.method,
            "sampling": self.sampling,
            "weights": self.weights,
            "initial": self.initial,
            **run,
        }


def task_for(
    name: str,
    method: str | None,
    nodes: int | None,
    tol: float | None,
    observations: int | None,
    activation: str | None = None,
) -> tuple[str, Task]:
    """The name of the method, and the task for it."""
    if name in zoo.names():
        method = None if method is None else method_name(method)
        overrides = _overrides(nodes, activation)
        method = method or ("auto" if nodes is None else "pi-sc-iii")
        item = zoo.load(name)
        count = item.observations if observations is None else observations
        item.observed(count)  # reports a wrong count before any computation
        if method == "auto":
            auto = _with(Auto(**overrides), tol)
            return method, Task(name, lambda seed: item.observed(count, seed), auto, None, item)
        chosen = _with(_of_benchmark(item, method, overrides), tol)
        return method, Task(
            name,
            lambda seed: item.observed(count, seed),
            chosen,
            item.sampling,
            item,
            item.weights,
        )
    if not Path(name).is_file():
        raise ProblemError(_not_found(name))
    if observations is not None:
        raise ProblemError("--observations is for problems of the zoo; a file lists its own.")
    return file_task(name, method, nodes, tol, activation)


def _overrides(nodes: int | None, activation: str | None) -> dict[str, Any]:
    overrides: dict[str, Any] = {} if nodes is None else {"max_nodes": nodes}
    if activation is not None:
        overrides["activation"] = activation.lower()
    return overrides


def file_task(
    name: str | Path,
    method: str | None = None,
    nodes: int | None = None,
    tol: float | None = None,
    activation: str | None = None,
    constants: Mapping[str, float] | None = None,
) -> tuple[str, Task]:
    """The name of the method, and the task of a file, with other numbers if some are given."""
    if not Path(name).is_file():
        listed = str(name) in zoo.names()
        known = ": it is a problem of the zoo, for `piscm solve`" if listed else ""
        raise ProblemError(f"There is no file {str(name)!r}{known}.")
    method = None if method is None else method_name(method)
    overrides = _overrides(nodes, activation)
    file = read_problem_file(name, constants, method=method, **overrides)
    chosen = _with(file.method or Auto(), file.run.get("tol") if tol is None else tol)
    if method is None:
        method = next((key for key, kind in METHODS.items() if type(chosen) is kind), None)
    return method or type(chosen).__name__.lower(), Task(
        Path(name).stem,
        lambda seed: file.problem,
        chosen,
        file.sampling,
        None,
        file.weights or None,
        file.initial or None,
        file.run,
        file.units,
    )


def _with(method: Method, tol: float | None) -> Method:
    """The method with another tolerance, wherever it keeps that."""
    return method if tol is None else method.with_tolerance(tol)


def _not_found(name: str) -> str:
    known = zoo.names()
    near = nearest(name, known)
    if near is not None:
        return f"{name!r} is neither a problem of the zoo nor a file; did you mean {near!r}?"
    return f"{name!r} is neither a problem of the zoo ({', '.join(known)}) nor a file."


def _of_benchmark(item: Benchmark, method: str, overrides: Mapping[str, Any]) -> Method:
    kind = method_class(method)
    if issubclass(kind, Construction):
        return item.method(kind, **overrides)
    return make_method(method, overrides, item.problem.domain.coordinates)


def solved(
    task: Task, seed: int, max_seconds: float | None = None, executor: Any = None
) -> Solution:
    """One trial, by whoever works."""
    solution = solve(task.problem(seed), seed=seed, executor=executor, **task.options(max_seconds))
    return replace(solution, units=dict(task.units))
