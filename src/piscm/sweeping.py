"""Many solves of one problem with other numbers, in order or at the same time, kept on disk.

Where the equations are nonlinear, each solve begins with the solution of its neighbor, the one
with the nearest value of the last parameter on the side where the list begins: chains for each
combination of the others. Chains, not chance, decide who begins with what, so the result does not
depend on who works or in which order; they are short, so that several can be worked on at once.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from piscm.compile.blocks import compile_blocks
from piscm.linalg.executors import as_executor, is_dask_client
from piscm.loading import load
from piscm.march.methods import Auto
from piscm.march.windowed import Windows
from piscm.problem.errors import ProblemError, brief
from piscm.problem.given import checked_flag
from piscm.problem.problem import Problem
from piscm.result.method import Method
from piscm.result.progress import reporting
from piscm.result.solution import Solution
from piscm.result.status import Status
from piscm.solver import solve
from piscm.text.document import problem_to_document

if TYPE_CHECKING:
    from xarray import Dataset

MOST = 1_000_000
# Solves that follow each other, at most.
_CHAIN = 4
# Who solves is not what is solved: these options do not change a solution.
_HOW = ("progress", "callback", "executor", "throw")


@dataclass(frozen=True)
class Item:
    """One solve: its place in the table, its problem, its options, and the file that keeps it."""

    place: tuple[int, ...]
    problem: Problem
    options: Mapping[str, Any]
    file: Path | None


def sweep(
    make: Callable[..., Problem],
    values: Mapping[str, Sequence[float]],
    *,
    executor: Any = None,
    store: str | PathLike[str] | None = None,
    warm: bool | None = None,
    retries: int = 2,
    progress: bool | Callable[[int, float], None] | None = None,
    **options: Any,
) -> "Dataset":
    """Solve a problem for every combination of some numbers.

    Parameters
    ----------
    make : callable
        ``make(**values)`` gives the Problem for one combination.
    values : mapping of str to sequence
        The numbers of each parameter, as ``{"mu": [0.5, 1, 2]}``.
    executor : concurrent.futures.Executor or dask Client, optional
        Who solves at the same time.
    store : str or path, optional
        A folder. Every solution is saved there as soon as it is found, by whoever found it; a sweep
        that is begun again, after whatever ended it, solves only what is missing.
    warm : bool, optional
        Whether a solve begins with that of the nearest value of the last parameter (of four that
        follow each other the first one does not). If omitted, where that pays: for nonlinear
        problems and methods that can, `Auto` and `Windows`.
    retries : int
        How often a solve is tried again elsewhere if the worker that had it is lost.
    progress : bool or callable, optional
        As in `solve`: the number of solves done, and the residual of the last one.
    **options
        Of `solve`: method, tol, seed, max_seconds, ...

    Returns
    -------
    xarray.Dataset
        One dimension for each parameter. ``solution`` holds the Solutions; ``ok``, ``error`` (the
        estimate), ``residual``, ``nodes``, ``seconds`` and the unknowns are numbers.

    Examples
    --------
    >>> import piscm
    >>> x = piscm.coordinates("x")
    >>> u = piscm.field("u", x)
    >>> def decay(rate):
    ...     start = piscm.Condition(u - 1, on={x: 0})
    ...     return piscm.Problem(piscm.Box({x: (0, 1)}), [u.diff(x) + rate * u], [start])
    >>> table = piscm.sweep(decay, {"rate": [1, 2]})
    >>> bool(table.ok.all()), round(float(table.solution.sel(rate=2).item()(x=1.0)), 4)
    (True, 0.1353)
    """
    axes = _axes(values)
    if not callable(make):
        raise ProblemError(f"sweep(make={brief(make)}): give a function that makes a Problem.")
    if warm is not None:
        warm = checked_flag(warm, "sweep(warm=...)")
    folder = folder_of(store)
    places = list(np.ndindex(*(len(axis) for axis in axes.values())))
    items = {place: _item(make, axes, place, folder, options) for place in places}
    if warm is None:
        warm = _pays(next(iter(items.values())).problem, options)
    chains = _chains(items, _order(list(axes.values())[-1]), warm)
    found: dict[tuple[int, ...], Solution] = {}
    with reporting(progress, len(items), "sweeping", "solves") as report:
        for place, solution in solved(chains, executor, retries):
            found[place] = solution
            report(len(found), solution.fitted_residual)
    return table_of(axes, found)


def folder_of(store: str | PathLike[str] | None) -> Path | None:
    """The folder that keeps what is finished; it is made if it is not there."""
    if store is None:
        return None
    try:
        folder = Path(store)
        folder.mkdir(parents=True, exist_ok=True)
    except (TypeError, ValueError):
        raise ProblemError(f"store={brief(store)}: give the name of a folder.") from None
    return folder


def _axes(values: Mapping[str, Sequence[float]]) -> dict[str, list[float]]:
    if not isinstance(values, Mapping) or not values:
        raise ProblemError("sweep needs the values of parameters, as {'mu': [0.5, 1, 2]}.")
    axes = {str(name): list(np.atleast_1d(own)) for name, own in values.items()}
    for name, own in axes.items():
        if not own or len(set(own)) < len(own):
            raise ProblemError(
                f"sweep: the values of {name} are {brief(own)}; give some, each once."
            )
    if np.prod([float(len(own)) for own in axes.values()]) > MOST:
        raise ProblemError(f"sweep: that are more than {MOST} solves.")
    return axes


def _item(
    make: Callable[..., Problem],
    axes: Mapping[str, list[float]],
    place: tuple[int, ...],
    folder: Path | None,
    options: Mapping[str, Any],
) -> Item:
    chosen = {name: own[i] for (name, own), i in zip(axes.items(), place, strict=True)}
    problem = make(**chosen)
    if not isinstance(problem, Problem):
        raise ProblemError(f"sweep: make(...) gave a {type(problem).__name__}, not a Problem.")
    return item_of(place, problem, options, folder)


def item_of(
    place: tuple[int, ...], problem: Problem, options: Mapping[str, Any], folder: Path | None
) -> Item:
    """A solve, and where it is kept."""
    file = None if folder is None else folder / f"{_digest(problem, options)}.npz"
    return Item(place, problem, options, file)


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


def _pays(problem: Problem, options: Mapping[str, Any]) -> bool:
    method = options.get("method")
    able = method is None or isinstance(method, Auto | Windows)
    return able and "initial" not in options and not all(b.linear for b in compile_blocks(problem))


def _order(values: Sequence[float]) -> list[int]:
    """The places of values by their size, up or down as the list goes: neighbors are near."""
    order = [int(place) for place in np.argsort(values, kind="stable")]
    return order if order[0] <= order[-1] else order[::-1]


def _chains(
    items: Mapping[tuple[int, ...], Item], order: Sequence[int], warm: bool
) -> list[list[Item]]:
    """Solves that follow each other, along the last parameter; one each if none does."""
    if not warm:
        return [[item] for item in items.values()]
    rows = dict.fromkeys(place[:-1] for place in items)
    pieces = [order[first : first + _CHAIN] for first in range(0, len(order), _CHAIN)]
    return [[items[*row, place] for place in piece] for row in rows for piece in pieces]


def solved(
    chains: Sequence[Sequence[Item]], executor: Any, retries: int
) -> Iterator[tuple[tuple[int, ...], Solution]]:
    """Every solution as soon as its chain is complete."""
    if executor is None:
        for chain in chains:
            yield from solve_chain(chain)
        return
    if is_dask_client(executor):
        executor = executor.get_executor(retries=retries)
    executor = as_executor(executor)
    assert executor is not None
    waiting = {executor.submit(solve_chain, chain): chain for chain in chains}
    tried: dict[int, int] = {}
    while waiting:
        future = next(iter(as_completed(list(waiting))))
        chain = waiting.pop(future)
        try:
            done = future.result()
        except (ProblemError, KeyboardInterrupt):
            raise
        except Exception:  # whatever a lost worker leaves behind
            tried[id(chain)] = tried.get(id(chain), 0) + 1
            if tried[id(chain)] > retries:
                raise
            waiting[executor.submit(solve_chain, chain)] = chain
            continue
        yield from done


def solve_chain(chain: Sequence[Item]) -> list[tuple[tuple[int, ...], Solution]]:
    """Solve one after the other, each beginning with the last; runs in any process."""
    found: list[tuple[tuple[int, ...], Solution]] = []
    for item in chain:
        before = found[-1][1] if found else None
        found.append((item.place, _one(item, before)))
    return found


def _one(item: Item, before: Solution | None) -> Solution:
    if item.file is not None and item.file.is_file():
        return load(item.file)
    begun = dict(item.options)
    if before is not None and before.status.ok:
        begun["initial"] = before
    solution = solve(item.problem, **begun)
    if solution.status is Status.INTERRUPTED:  # who presses Ctrl-C means all of them
        raise KeyboardInterrupt("Interrupted: what is solved is in the folder, if there is one.")
    if item.file is not None and not solution.status.stopped:
        solution.save(item.file)
    return solution


def table_of(
    axes: Mapping[str, Sequence[float]], found: Mapping[tuple[int, ...], Solution]
) -> "Dataset":
    try:
        import xarray
    except ImportError:
        raise ImportError("sweep needs xarray: pip install 'piscm[io]'") from None
    shape = tuple(len(own) for own in axes.values())
    solutions = np.empty(shape, dtype=object)
    for place, solution in found.items():
        solutions[place] = solution

    def column(of: Callable[[Solution], Any], kind: type) -> tuple[list[str], np.ndarray]:
        made: Any = np.array([of(own) for own in solutions.ravel()], dtype=kind)
        return list(axes), made.reshape(shape)

    columns: dict[str, Any] = {
        "solution": (list(axes), solutions),
        "ok": column(lambda own: own.status.ok, bool),
        "status": column(lambda own: own.status.name.lower(), str),
        "error": column(_known_error, float),
        "residual": column(lambda own: own.fitted_residual, float),
        "nodes": column(lambda own: own.n_nodes, int),
        "seconds": column(lambda own: own.seconds, float),
    }
    names = list(solutions.ravel()[0].unknowns)
    for name in names:
        columns[name] = column(partial(_unknown, name), float)
    return xarray.Dataset(columns, coords=dict(axes))


def _unknown(name: str, solution: Solution) -> float:
    return solution.unknowns[name].value


def _known_error(solution: Solution) -> float:
    """The estimated error, NaN if the run gave none: computing it might take long."""
    return np.nan if solution.known_error is None else solution.known_error.relative
