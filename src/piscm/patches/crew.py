"""Who works on the patches: this process or any executor; pools and Dask have their own.

Districts, branches of the elimination tree with a few patches each, are the pieces of work. They do
not depend on who works or how many, so neither do the bits of the result.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piscm.linalg.elimination import (
    Eliminated,
    Merged,
    Share,
    Tree,
    Values,
    merged,
)
from piscm.linalg.executors import as_executor, is_dask_client
from piscm.linalg.threads import one_thread
from piscm.patches.local import Current, Leaf, Noise, energies, leaf
from piscm.patches.patch import UNKNOWNS, Common, Patch

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class District:
    """A branch of the tree, with everything that is computed on its patches."""

    common: Common
    tree: Tree
    patches: dict[int, Patch]
    sizes: dict[int, int]
    holders: dict[int, frozenset[int]]

    def __sizeof__(self) -> int:
        # A scheduler asks, to decide what is moved and what is not.
        legs = [
            leg for own in self.patches.values() for site in own.points.sites for leg in site.legs
        ]
        ties = [tie for own in self.patches.values() for tie in own.ties]
        nodes = sum(own.nodes.weights.nbytes for own in self.patches.values())
        return (
            nodes + sum(leg.points.nbytes for leg in legs) + sum(tie.basis.nbytes for tie in ties)
        )


Work = Callable[..., Any]
"""What is done on a district; a function of a module, so that any process knows it."""


@dataclass(frozen=True)
class Factored:
    """A district with all weights and inner traces eliminated."""

    leaves: dict[int, Leaf]
    merged: Merged

    def weights(self, values: Values, sizes: dict[int, int]) -> dict[int, Floats]:
        """The weights of its patches, given the traces around it; inner ones are added to them."""
        self.merged.fill(values, sizes)
        return {number: own.weights(values) for number, own in self.leaves.items()}

    def __sizeof__(self) -> int:
        own = sum(leaf.triangle.nbytes + leaf.top.nbytes for leaf in self.leaves.values())
        steps = sum(step.triangle.nbytes + step.rest.nbytes for step in self.merged.steps)
        return own + steps + self.merged.share.rows.nbytes


def factored(district: District, currents: dict[int, Current], noise: Sequence[Noise]) -> Factored:
    """Eliminate in a district; runs in any process."""
    with one_thread():
        made = {
            number: leaf(district.common, patch, currents[number], district.sizes, noise)
            for number, patch in district.patches.items()
        }
        shares = {number: own.share for number, own in made.items()}
        return Factored(made, merged(district.tree, shares, district.holders, district.sizes))


def measured(
    district: District,
    currents: dict[int, Current],
    steps: dict[int, Floats],
    move: Floats,
    traces: tuple[Values, Values],
    lengths: Floats,
) -> dict[int, Floats]:
    """The squared residuals of every patch of a district after steps of some lengths."""
    found = {}
    with one_thread():
        for number, patch in district.patches.items():
            own = [g for g in patch.groups if g != UNKNOWNS]
            values, changes = (
                np.concatenate([part[group] for group in own]) if own else np.zeros(0)
                for part in traces
            )
            step = (steps[number], move)
            found[number] = energies(
                district.common,
                patch,
                currents[number],
                step,
                (values, changes),
                district.sizes,
                lengths,
            )
    return found


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
    def weights(
        self, parts: Sequence[Any], values: Sequence[Any], sizes: Sequence[dict[int, int]]
    ) -> list[Any]:
        """The weights of the patches of each district, and the traces inside it."""

    @abstractmethod
    def each(
        self, work: Work, districts: Sequence[District], arguments: Sequence[tuple[Any, ...]]
    ) -> list[Any]:
        """Some work on every district, each with arguments of its own."""

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
        return above_all([part.merged.share for part in parts], top)

    def weights(
        self, parts: Sequence[Any], values: Sequence[Any], sizes: Sequence[dict[int, int]]
    ) -> list[Any]:
        return [weights_of(*own) for own in zip(parts, values, sizes, strict=True)]

    def each(
        self, work: Work, districts: Sequence[District], arguments: Sequence[tuple[Any, ...]]
    ) -> list[Any]:
        return list(self._map(work, districts, *zip(*arguments, strict=True)))


def above_all(shares: Sequence[Share], top: Top) -> Above:
    """Merge the shares of all districts up to the root, and come down again."""
    with one_thread():
        done = merged(top.tree, dict(enumerate(shares)), top.holders, top.sizes)
        values: Values = {}
        done.fill(values, top.sizes)
    around = [{group: values[group] for group in own.groups} for own in shares]
    last = next((step for step in reversed(done.steps) if UNKNOWNS in step.own), None)
    return Above(values, around, last)


def weights_of(
    part: Factored, values: Values, sizes: dict[int, int]
) -> tuple[dict[int, Floats], Values]:
    """The weights of a district's patches and the traces inside it, given those around it."""
    inner = {group: values[group] for group in part.merged.share.groups}
    known = set(inner)
    with one_thread():
        found = part.weights(inner, sizes)
    return found, {group: own for group, own in inner.items() if group not in known}


def crew_of(executor: Any) -> Crew:
    """Who works: nobody else, an executor, a pool of processes, or a Dask client."""
    if is_dask_client(executor):
        from piscm.patches.dask_crew import DaskWorkers

        return DaskWorkers(executor)
    if isinstance(executor, ProcessPoolExecutor):
        from piscm.patches.pool_crew import PoolWorkers

        return PoolWorkers(executor)
    return Processes(as_executor(executor))
