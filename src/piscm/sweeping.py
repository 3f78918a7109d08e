"""One problem solved with many numbers, as a table.

Where the equations are nonlinear, each solve begins with the solution of its neighbor, the one
with the nearest value of the last parameter on the side where the list begins: chains for each
combination of the others. Chains, not chance, decide who begins with what, so the result does not
depend on who works or in which order; they are short, so that several can be worked on at once.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from inspect import signature
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from piscm.compile.blocks import compile_blocks
from piscm.linalg.workers import workers_of
from piscm.march.methods import Auto
from piscm.march.patched import Patches
from piscm.march.windowed import Windows
from piscm.problem.errors import ProblemError, brief
from piscm.problem.given import checked_flag
from piscm.problem.problem import Problem
from piscm.result.progress import reporting
from piscm.result.solution import Solution
from piscm.solves import Item, Place, folder_of, item_of, solved

if TYPE_CHECKING:
    from xarray import Dataset

MOST = 1_000_000
# Solves that follow each other, at most.
_CHAIN = 4
# Columns that every table has.
_COLUMNS = ("solution", "ok", "status", "error", "residual", "nodes", "seconds")


@dataclass(frozen=True)
class Posed:
    """What is solved for one combination of numbers: a problem, options of `solve`, units."""

    problem: Problem
    options: Mapping[str, Any]
    units: Mapping[str, str] = field(default_factory=dict)


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
        The numbers of each parameter, as ``{"mu": [0.5, 1, 2]}``. A parameter, and an unknown of
        the problem, may have any name that is not one of the columns below.
    executor : concurrent.futures.Executor or dask Client, optional
        Who solves at the same time.
    store : str or path, optional
        A folder. Every solution is saved there as soon as it is found, by whoever found it (or, if
        a worker on another machine does not see the folder, once it is back here); a sweep that is
        begun again, after whatever ended it, solves only what is missing. Solves that ended at
        `max_seconds` are kept as well, and solved anew if they are given more; those that ran out
        of memory are tried again, and so are files that are damaged.
    warm : bool, optional
        Whether a solve begins with that of the nearest value of the last parameter (of four that
        follow each other the first one does not). If omitted, where that pays: for nonlinear
        problems and methods that can, `Auto` and `Windows`.
    retries : int
        How often a solve is tried again elsewhere if the worker that had it is lost. A
        ``ProcessPoolExecutor`` that has lost a process takes no more work: the sweep ends with a
        `ProblemError`, and goes on from its folder with a new pool.
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
    if not callable(make):
        raise ProblemError(f"sweep(make={brief(make)}): give a function that makes a Problem.")
    axes = _axes(values)
    _check_called(make, axes)

    def pose(chosen: Mapping[str, float]) -> Posed:
        return Posed(_made(make, chosen), options)

    return swept(
        pose, values, executor=executor, store=store, warm=warm, retries=retries, progress=progress
    )


def swept(
    pose: Callable[[Mapping[str, float]], Posed],
    values: Mapping[str, Sequence[float]],
    *,
    executor: Any,
    store: str | PathLike[str] | None,
    warm: bool | None = None,
    retries: int = 2,
    progress: bool | Callable[[int, float], None] | None = None,
) -> "Dataset":
    """The same, where options of `solve` may depend on the numbers as well."""
    axes = _axes(values)
    workers_of(executor)  # refuses what is none
    if warm is not None:
        warm = checked_flag(warm, "sweep(warm=...)")
    places = list(np.ndindex(*(len(axis) for axis in axes.values())))
    posed = {
        place: pose({name: own[i] for (name, own), i in zip(axes.items(), place, strict=True)})
        for place in places
    }
    check_columns(list(axes), [own.problem for own in posed.values()])
    first = next(iter(posed.values()))
    if warm and not _may_begin(first.options):
        raise ProblemError("sweep(warm=True): only Auto() and Windows(t) begin with a solution.")
    if warm is None:
        warm = _pays(first)
    folder = folder_of(store)
    items = {
        place: item_of(place, own.problem, own.options, folder, own.units)
        for place, own in posed.items()
    }
    chains = _chains(items, _order(list(axes.values())[-1]), warm)
    found: dict[Place, Solution] = {}
    with reporting(progress, len(items), "sweeping", "solves") as report:
        for place, solution in solved(chains, executor, retries):
            found[place] = solution
            report(len(found), solution.fitted_residual)
    return table_of(axes, found)


def _axes(values: Mapping[str, Sequence[float]]) -> dict[str, list[float]]:
    if not isinstance(values, Mapping) or not values:
        raise ProblemError("sweep needs the values of parameters, as {'mu': [0.5, 1, 2]}.")
    axes = {str(name): _numbers(str(name), own) for name, own in values.items()}
    if np.prod([float(len(own)) for own in axes.values()]) > MOST:
        raise ProblemError(f"sweep: that are more than {MOST} solves.")
    return axes


def _numbers(name: str, given: Any) -> list[float]:
    """The values of one parameter."""
    try:
        array = np.atleast_1d(given)
    except ValueError:  # of different lengths
        array = np.zeros((0, 0))
    if array.ndim != 1 or array.dtype.kind not in "iuf" or not np.isfinite(array).all():
        raise ProblemError(
            f"sweep: the values of {name} are {brief(given)}; give finite numbers in a list."
        )
    numbers: list[float] = array.tolist()
    if not numbers or len(set(numbers)) < len(numbers):
        raise ProblemError(
            f"sweep: the values of {name} are {brief(numbers)}; give some, each once."
        )
    return numbers


def _made(make: Callable[..., Problem], chosen: Mapping[str, float]) -> Problem:
    problem = make(**chosen)
    if not isinstance(problem, Problem):
        raise ProblemError(f"sweep: make(...) gave a {type(problem).__name__}, not a Problem.")
    return problem


def _check_called(make: Callable[..., Problem], names: Iterable[str]) -> None:
    """Refuse names that the function does not take."""
    try:
        signature(make).bind(**dict.fromkeys(names))
    except TypeError as error:
        raise ProblemError(
            f"sweep: make is not called with {', '.join(names)}: {error}; the values have the "
            "names of its arguments."
        ) from None
    except ValueError:  # of functions that are not written in Python nothing is known
        return


def _may_begin(options: Mapping[str, Any]) -> bool:
    """Whether a method can begin with a solution; windows of patches cannot."""
    method = options.get("method")
    inner = method.method if isinstance(method, Windows) else None
    return method is None or (isinstance(method, Auto | Windows) and not isinstance(inner, Patches))


def _pays(posed: Posed) -> bool:
    begins = _may_begin(posed.options) and posed.options.get("initial") is None
    return begins and not all(block.linear for block in compile_blocks(posed.problem))


def _order(values: Sequence[float]) -> list[int]:
    """The places of values by their size, up or down as the list goes: neighbors are near."""
    order = [int(place) for place in np.argsort(values, kind="stable")]
    return order if order[0] <= order[-1] else order[::-1]


def _chains(items: Mapping[Place, Item], order: Sequence[int], warm: bool) -> list[list[Item]]:
    """Solves that follow each other, along the last parameter; one each if none does."""
    if not warm:
        return [[item] for item in items.values()]
    rows = dict.fromkeys(place[:-1] for place in items)
    pieces = [order[first : first + _CHAIN] for first in range(0, len(order), _CHAIN)]
    return [[items[*row, place] for place in piece] for row in rows for piece in pieces]


def check_columns(dimensions: Sequence[str], problems: Sequence[Problem]) -> None:
    """Refuse names that a table has already, before there is anything to lose."""
    unknowns = [[str(name) for name in problem.unknowns] for problem in problems]
    if any(own != unknowns[0] for own in unknowns):
        raise ProblemError("The problems of a table must have the same unknowns, in this order.")
    names = [*dimensions, *unknowns[0]]
    twice = [name for n, name in enumerate(names) if name in (*_COLUMNS, *names[:n])]
    if twice:
        raise ProblemError(
            f"The table would have two columns {twice[0]}: give the parameter or unknown another "
            f"name, none of {', '.join((*_COLUMNS, *dimensions))}."
        )


def table_of(axes: Mapping[str, Sequence[float]], found: Mapping[Place, Solution]) -> "Dataset":
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
