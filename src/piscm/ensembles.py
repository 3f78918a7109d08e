"""One problem solved many times: with other seeds, and with data drawn anew from its own."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from piscm.linalg.workers import workers_of
from piscm.problem.errors import ProblemError, brief
from piscm.problem.given import checked_flag
from piscm.problem.observations import Observations
from piscm.problem.problem import Problem
from piscm.result.progress import reporting
from piscm.result.solution import Solution
from piscm.solves import Place, folder_of, item_of, solved
from piscm.sweeping import MOST, Posed, check_columns, table_of

if TYPE_CHECKING:
    from xarray import Dataset


def ensemble(
    problem: Problem,
    seeds: int | Sequence[int] = 8,
    *,
    bootstrap: bool = False,
    executor: Any = None,
    store: str | PathLike[str] | None = None,
    retries: int = 2,
    progress: bool | Callable[[int, float], None] | None = None,
    **options: Any,
) -> "Dataset":
    """Solve a problem once for each of many seeds.

    Parameters
    ----------
    problem : Problem
    seeds : int or sequence of int
        So many, from 0 up, or these.
    bootstrap : bool
        Draw the data of each member anew, with replacement, from those of each set of
        observations: the spread of the unknowns is then that of the data, whatever their noise.
    executor, store, retries, progress
        As in `sweep`: who solves at the same time, the folder that keeps what is finished, how
        often a lost solve is tried again, and who is told.
    **options
        Of `solve`, but for the seed.

    Returns
    -------
    xarray.Dataset
        As that of `sweep`, with the dimension ``seed``.

    Examples
    --------
    >>> import numpy as np, piscm
    >>> x = piscm.coordinates("x")
    >>> u, rate = piscm.field("u", x), piscm.unknown("rate")
    >>> at = np.linspace(0, 1, 20)
    >>> values = np.exp(-at) + 0.01 * np.random.default_rng(0).standard_normal(20)
    >>> decay = piscm.Problem(
    ...     piscm.Box({x: (0, 1)}),
    ...     [u.diff(x) + rate * u],
    ...     [piscm.Condition(u - 1, on={x: 0})],
    ...     unknowns={rate: 0.5},
    ...     observations=[piscm.Observations(u, points=at, values=values)],
    ... )
    >>> each = piscm.PISC3(max_nodes=10, scale=1.0)
    >>> table = piscm.ensemble(decay, 4, bootstrap=True, method=each)
    >>> dict(table.sizes), bool(abs(table.rate.mean() - 1) < 0.05)
    ({'seed': 4}, True)
    """
    if not isinstance(problem, Problem):
        raise ProblemError(f"ensemble needs a Problem, not a {type(problem).__name__}.")
    if "seed" in options:
        raise ProblemError("ensemble takes seeds=..., not seed.")
    return together(
        Posed(problem, options),
        seeds,
        bootstrap=bootstrap,
        executor=executor,
        store=store,
        retries=retries,
        progress=progress,
    )


def together(
    posed: Posed,
    seeds: int | Sequence[int],
    *,
    bootstrap: bool,
    executor: Any,
    store: str | PathLike[str] | None,
    retries: int = 2,
    progress: bool | Callable[[int, float], None] | None = None,
) -> "Dataset":
    """The same for a problem with its options and units."""
    problem, chosen = posed.problem, _seeds(seeds)
    bootstrap = checked_flag(bootstrap, "ensemble(bootstrap=...)")
    if bootstrap and not problem.observations:
        raise ProblemError("ensemble(bootstrap=True) draws data anew: there are no observations.")
    workers_of(executor)  # refuses what is none
    check_columns(["seed"], [problem])
    folder = folder_of(store)
    chains = []
    for place, seed in enumerate(chosen):
        own = resampled(problem, seed) if bootstrap else problem
        options = {**posed.options, "seed": seed}
        chains.append([item_of((place,), own, options, folder, posed.units)])
    found: dict[Place, Solution] = {}
    with reporting(progress, len(chains), "solving", "seeds") as report:
        for at, solution in solved(chains, executor, retries):
            found[at] = solution
            report(len(found), solution.fitted_residual)
    return table_of({"seed": chosen}, found)


def _seeds(given: Any) -> list[int]:
    counted = _is_whole(given) and given <= MOST
    listed = isinstance(given, Sequence | np.ndarray | range) and not isinstance(given, str)
    seeds = list(range(given)) if counted else list(given) if listed else []
    if not seeds or not all(map(_is_whole, seeds)) or len(set(seeds)) < len(seeds):
        raise ProblemError(
            f"ensemble(seeds={brief(given)}): give a number of them, or whole numbers from 0 up, "
            "each once."
        )
    return [int(own) for own in seeds]


def _is_whole(value: Any) -> bool:
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return whole and bool(value >= 0)


def resampled(problem: Problem, seed: int) -> Problem:
    """The same problem with data drawn from its own, with replacement."""
    rng = np.random.default_rng([seed, 17])
    drawn = [_drawn(item, rng) for item in problem.observations]
    return problem.part(problem.domain, problem.conditions, drawn, problem.priors)


def _drawn(item: Observations, rng: np.random.Generator) -> Observations:
    values = np.asarray(item.values)
    rows = np.sort(rng.integers(len(values), size=len(values)))
    noise = item.noise if item.noise is None or np.ndim(item.noise) == 0 else item.noise[rows]
    return replace(item, points=np.asarray(item.points)[rows], values=values[rows], noise=noise)
