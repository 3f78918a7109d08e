"""Who works on the patches: this process or any executor; pools and Dask have their own.

Districts, branches of the elimination tree with a few patches each, are the pieces of work. They do
not depend on who works or how many, so neither do the bits of the result.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piscm.linalg.elimination import Eliminated, Share, Tree, Values, merged
from piscm.linalg.executors import is_dask_client
from piscm.linalg.threads import one_thread
from piscm.linalg.workers import awaited, workers_of
from piscm.patches.district import District, Inside, factored, residuals_in, solved_in
from piscm.patches.local import Current, Noise
from piscm.patches.patch import UNKNOWNS

Floats = NDArray[np.float64]
Work = Callable[..., Any]
"""What is done on a district; a function of a module, so that any process knows it."""


@dataclass(frozen=True)
class Top:
    """What is above the districts.

    Attributes
    ----------
    tree : Tree
        Its leaves are the numbers of districts.
    holders : dict of int to frozenset of int
        For each group the districts that hold it.
    sizes : dict of int to int
    """

    tree: Tree
    holders: dict[int, frozenset[int]]
    sizes: dict[int, int]


@dataclass(frozen=True)
class Above:
    """What is found above the districts.

    Attributes
    ----------
    values : Values
        Of all groups that more than one district holds, and of the unknowns.
    around : list
        The values of the groups of each district, as `Crew.weights` takes them.
    last : Eliminated or None
        The step that eliminated the unknowns, if there are any.
    """

    values: Values
    around: list[Any]
    last: Eliminated | None


class Crew(ABC):
    """Works on districts; what it hands out for a factored one is known to it alone."""

    quick = True
    """Whether a call takes next to nothing."""

    @abstractmethod
    def factored(
        self,
        districts: Sequence[District],
        currents: Sequence[dict[int, Current]],
        noise: Sequence[Noise],
    ) -> list[Any]:
        """Eliminate in every district."""

    @abstractmethod
    def merged(self, parts: Sequence[Any], top: Top) -> Above:
        """Merge factored districts up to the root, and come down again to each of them."""

    @abstractmethod
    def solved(
        self,
        districts: Sequence[District],
        parts: Sequence[Any],
        values: Sequence[Any],
        unknowns: Floats | None,
    ) -> Iterable[Inside]:
        """What is found in each district; with the unknowns, its residuals too."""

    @abstractmethod
    def each(
        self, work: Work, districts: Sequence[District], arguments: Sequence[tuple[Any, ...]]
    ) -> Iterable[Any]:
        """Some work on every district, each with arguments of its own.

        Others begin at once, so that whoever asked may do something else before he looks.
        """

    def close(self) -> None:  # noqa: B027  (most keep nothing)
        """Nothing more is asked for: what was kept may go."""


class Processes(Crew):
    """One call after the other, or by an executor; factors come back to this process."""

    def __init__(self, executor: Executor | None = None) -> None:
        self._map: Any = map if executor is None else executor.map

    def factored(
        self,
        districts: Sequence[District],
        currents: Sequence[dict[int, Current]],
        noise: Sequence[Noise],
    ) -> list[Any]:
        return list(self._map(factored, districts, currents, [tuple(noise)] * len(districts)))

    def merged(self, parts: Sequence[Any], top: Top) -> Above:
        return above_all({n: part.merged.share for n, part in enumerate(parts)}, top)

    def solved(
        self,
        districts: Sequence[District],
        parts: Sequence[Any],
        values: Sequence[Any],
        unknowns: Floats | None,
    ) -> Iterable[Inside]:
        # Factors are here: not worth sending. Residuals are.
        found = [solved_in(*own, None) for own in zip(districts, parts, values, strict=True)]
        if unknowns is None:
            return found
        again = [unknowns] * len(found)
        sizes = self._map(residuals_in, districts, [own.slim for own in found], values, again)
        return [replace(own, squares=new) for own, new in zip(found, sizes, strict=True)]

    def each(
        self, work: Work, districts: Sequence[District], arguments: Sequence[tuple[Any, ...]]
    ) -> Iterable[Any]:
        found: Iterable[Any] = self._map(work, districts, *zip(*arguments, strict=True))
        return found


class Awaited(Mapping[int, Share]):
    """The shares of districts that others work on; to look at one is to wait for it.

    Parameters
    ----------
    futures : in the order of the districts
    share : callable
        What a result has in common with others.
    """

    def __init__(self, futures: Sequence[Any], share: Callable[[Any], Share]) -> None:
        self._futures, self._share = futures, share

    def __getitem__(self, number: int) -> Share:
        return self._share(awaited(self._futures[number]))

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self._futures)))

    def __len__(self) -> int:
        return len(self._futures)


def above_all(shares: Mapping[int, Share], top: Top) -> Above:
    """Merge the shares of all districts up to the root, and come down again."""
    with one_thread():
        done = merged(top.tree, shares, top.holders, top.sizes)
        values: Values = {}
        done.fill(values, top.sizes)
    around = [
        {group: values[group] for group in shares[number].groups} for number in range(len(shares))
    ]
    last = next((step for step in reversed(done.steps) if UNKNOWNS in step.own), None)
    return Above(values, around, last)


def crew_of(executor: Any) -> Crew:
    """Who works: nobody else, an executor, a pool of processes, or a Dask client."""
    workers = workers_of(executor)
    if workers is not None and is_dask_client(workers.given):
        from piscm.patches.dask_crew import DaskWorkers

        return DaskWorkers(workers.given)
    if workers is not None and isinstance(workers.given, ProcessPoolExecutor):
        from piscm.patches.pool_crew import PoolWorkers

        return PoolWorkers(workers)
    return Processes(workers)
