"""Who works on the patches: this process, an executor, or a Dask cluster that keeps the factors.

Districts, branches of the elimination tree with a few patches each, are the pieces of work. They do
not depend on who works or how many, so neither do the bits of the result.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piscm.linalg.elimination import Merged, Share, Tree, Values, merged
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


@dataclass(frozen=True)
class Factored:
    """A district with all weights and inner traces eliminated."""

    leaves: dict[int, Leaf]
    merged: Merged

    def weights(self, values: Values, sizes: dict[int, int]) -> dict[int, Floats]:
        """The weights of its patches, given the traces around it; inner ones are added to them."""
        self.merged.fill(values, sizes)
        return {number: own.weights(values) for number, own in self.leaves.items()}


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
    def shares(self, parts: Sequence[Any]) -> list[Share]:
        """What factored districts have in common with each other."""

    @abstractmethod
    def weights(
        self, parts: Sequence[Any], values: Sequence[Values], sizes: Sequence[dict[int, int]]
    ) -> list[Any]:
        """The weights of the patches of each district, and the traces inside it."""

    @abstractmethod
    def measured(
        self, districts: Sequence[District], arguments: Sequence[tuple[Any, ...]]
    ) -> list[dict[int, Floats]]:
        """The squared residuals of every patch."""


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

    def shares(self, parts: Sequence[Any]) -> list[Share]:
        return [part.merged.share for part in parts]

    def weights(
        self, parts: Sequence[Any], values: Sequence[Values], sizes: Sequence[dict[int, int]]
    ) -> list[Any]:
        return [weights_of(*own) for own in zip(parts, values, sizes, strict=True)]

    def measured(
        self, districts: Sequence[District], arguments: Sequence[tuple[Any, ...]]
    ) -> list[dict[int, Floats]]:
        return list(self._map(measured, districts, *zip(*arguments, strict=True)))


def weights_of(
    part: Factored, values: Values, sizes: dict[int, int]
) -> tuple[dict[int, Floats], Values]:
    """The weights of a district's patches and the traces inside it, given those around it."""
    inner = {group: values[group] for group in part.merged.share.groups}
    known = set(inner)
    found = part.weights(inner, sizes)
    return found, {group: own for group, own in inner.items() if group not in known}


class DaskWorkers(Crew):
    """A Dask cluster: factors stay on its workers, and only traces travel.

    If a worker dies, Dask computes what it held anew elsewhere.
    """

    def __init__(self, client: Any) -> None:
        self._client = client
        self._known: dict[int, tuple[District, Any]] = {}

    def _sent(self, districts: Sequence[District]) -> list[Any]:
        """Districts as arguments of tasks; each is sent once, with the first task."""
        from dask.delayed import delayed

        for district in districts:
            if id(district) not in self._known:
                # Not scattered: data that live on one worker alone would be lost with it.
                own = self._client.compute(delayed(district, traverse=False, pure=False))
                self._known[id(district)] = district, own
        return [self._known[id(district)][1] for district in districts]

    def factored(
        self,
        districts: Sequence[District],
        currents: Sequence[dict[int, Current]],
        noise: Sequence[Noise],
    ) -> list[Any]:
        return [
            self._client.submit(factored, district, own, tuple(noise), pure=False)
            for district, own in zip(self._sent(districts), currents, strict=True)
        ]

    def shares(self, parts: Sequence[Any]) -> list[Share]:
        return list(
            self._client.gather([self._client.submit(share_of, part, pure=False) for part in parts])
        )

    def weights(
        self, parts: Sequence[Any], values: Sequence[Values], sizes: Sequence[dict[int, int]]
    ) -> list[Any]:
        tasks = [
            self._client.submit(weights_of, *own, pure=False)
            for own in zip(parts, values, sizes, strict=True)
        ]
        return list(self._client.gather(tasks))

    def measured(
        self, districts: Sequence[District], arguments: Sequence[tuple[Any, ...]]
    ) -> list[dict[int, Floats]]:
        tasks = [
            self._client.submit(measured, district, *own, pure=False)
            for district, own in zip(self._sent(districts), arguments, strict=True)
        ]
        return list(self._client.gather(tasks))


def share_of(part: Factored) -> Share:
    """What a factored district has in common with others."""
    return part.merged.share


def crew_of(executor: Any) -> Crew:
    """Who works: nobody else, an executor, or a Dask client."""
    if is_dask_client(executor):
        return DaskWorkers(executor)
    return Processes(as_executor(executor))
