"""Many solves, in order or at the same time, kept on disk as soon as they are found."""

import hashlib
import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor, as_completed
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any

from piscm.linalg.executors import is_dask_client
from piscm.linalg.workers import loss, workers_of
from piscm.loading import load
from piscm.network.saved import UnknownKindError
from piscm.problem.errors import ProblemError, brief
from piscm.problem.problem import Problem
from piscm.result.method import Method
from piscm.result.solution import Solution
from piscm.result.status import Status
from piscm.solver import solve
from piscm.text.document import problem_to_document

_log = logging.getLogger(__name__)

Place = tuple[int, ...]

# Who solves is not what is solved: these options do not change a solution.
_HOW = ("progress", "callback", "executor", "throw")
# Another time, or on another machine, such a solve may go on; more seconds are another option.
_NOT_KEPT = (Status.INTERRUPTED, Status.MEMORY_LIMIT)


@dataclass(frozen=True)
class Item:
    """One solve.

    Attributes
    ----------
    place : tuple of int
        Where it is in the table.
    problem : Problem
    options : mapping
        Of `solve`.
    file : path or None
        Where it is kept; not relative, since others have a working directory of their own.
    units : mapping of str to str
        What the solution is to know of its units.
    known : Solution or None
        What was found before.
    """

    place: Place
    problem: Problem
    options: Mapping[str, Any]
    file: Path | None
    units: Mapping[str, str] = field(default_factory=dict)
    known: Solution | None = None


def folder_of(store: str | PathLike[str] | None) -> Path | None:
    """The folder that keeps what is finished; it is made if it is not there."""
    if store is None:
        return None
    try:
        folder = Path(store).absolute()
        folder.mkdir(parents=True, exist_ok=True)
    except (TypeError, ValueError):
        raise ProblemError(f"store={brief(store)}: give the name of a folder.") from None
    except OSError as error:
        reason = "it is a file" if Path(store).is_file() else error.strerror
        raise ProblemError(f"store={brief(store)} cannot be a folder: {reason}.") from None
    return folder


def item_of(
    place: Place,
    problem: Problem,
    options: Mapping[str, Any],
    folder: Path | None,
    units: Mapping[str, str] | None = None,
) -> Item:
    """A solve, and where it is kept."""
    file = None if folder is None else folder / f"{_digest(problem, options)}.npz"
    return Item(place, problem, options, file, units or {})


def _digest(problem: Problem, options: Mapping[str, Any]) -> str:
    """A name for what is solved and how: another problem or option has another."""
    method = options.get("method")
    settings = {
        name: method.document() if name == "method" and isinstance(method, Method) else repr(own)
        for name, own in sorted(options.items())
        if name not in _HOW
    }
    text = json.dumps([problem_to_document(problem), settings], sort_keys=True, default=repr)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def solved(
    chains: Sequence[Sequence[Item]], executor: Any, retries: int
) -> Iterator[tuple[Place, Solution]]:
    """Every solution as soon as its chain is complete; what is in the folder comes first."""
    workers: Executor | None = workers_of(executor)
    if workers is None:
        for chain in chains:
            yield from ((own.place, own.solution) for own in solve_chain(chain))
        return
    if is_dask_client(executor):
        workers = executor.get_executor(retries=retries, pure=False)
    assert workers is not None
    chains = [[replace(item, known=_stored(item)) for item in chain] for chain in chains]
    complete = [all(item.known is not None for item in chain) for chain in chains]
    waiting = {
        _submitted(workers, chain): chain
        for chain, whole in zip(chains, complete, strict=True)
        if not whole
    }
    for chain, whole in zip(chains, complete, strict=True):
        if whole:
            yield from ((item.place, item.known) for item in chain if item.known is not None)
    tried: dict[int, int] = {}
    while waiting:
        future = next(iter(as_completed(list(waiting))))
        chain = waiting.pop(future)
        try:
            done = future.result()
        except (ProblemError, KeyboardInterrupt):
            raise
        except Exception as error:  # whatever a lost worker leaves behind
            tried[id(chain)] = tried.get(id(chain), 0) + 1
            if tried[id(chain)] > retries:
                lost = loss(error)
                if lost is None:
                    raise
                raise lost from None
            waiting[_submitted(workers, chain)] = chain
            continue
        for item, found in zip(chain, done, strict=True):
            if not found.kept:  # the worker does not see the folder
                _keep(item, found.solution)
            yield found.place, found.solution


def _submitted(workers: Executor, chain: Sequence[Item]) -> Any:
    try:
        return workers.submit(solve_chain, chain)
    except BrokenExecutor as error:  # a pool that has lost one process takes no more work
        lost = loss(error)
        assert lost is not None
        raise lost from None


@dataclass(frozen=True)
class Found:
    """A solution, its place in the table, and whether it is in the folder."""

    place: Place
    solution: Solution
    kept: bool


def solve_chain(chain: Sequence[Item]) -> list[Found]:
    """Solve one after the other, each beginning with the last; runs in any process."""
    found: list[Found] = []
    for item in chain:
        found.append(_one(item, found[-1].solution if found else None))
    return found


def _one(item: Item, before: Solution | None) -> Found:
    known = _stored(item) if item.known is None else item.known
    if known is not None:
        return Found(item.place, known, kept=True)
    begun = dict(item.options)
    if before is not None and before.status.ok:
        begun["initial"] = before
    solution = solve(item.problem, **begun)
    if solution.status is Status.INTERRUPTED:  # who presses Ctrl-C means all of them
        raise KeyboardInterrupt("Interrupted: what is solved is in the folder, if there is one.")
    if item.units:
        solution = replace(solution, units=dict(item.units))
    return Found(item.place, solution, _keep(item, solution))


def _keep(item: Item, solution: Solution) -> bool:
    """Save a solution where the folder is; whether it was."""
    if item.file is None or solution.status in _NOT_KEPT or not item.file.parent.is_dir():
        return False
    solution.save(item.file)
    return True


def _stored(item: Item) -> Solution | None:
    """What is in the folder; a file that is damaged is as good as none, and will be replaced."""
    if item.file is None or not item.file.is_file():
        return None
    try:
        return load(item.file)
    except ProblemError as error:
        if isinstance(error.__cause__, UnknownKindError):  # of another version: not ours to replace
            raise
        _log.warning("%s; it is solved anew.", str(error).rstrip("."))
        return None
