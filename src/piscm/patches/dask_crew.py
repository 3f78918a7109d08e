"""A Dask cluster works on the patches, and keeps the factors."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from piscm.linalg.elimination import Eliminated, Share, Tree, Values, eliminated, in_order
from piscm.linalg.threads import one_thread
from piscm.patches.crew import (
    Above,
    Crew,
    District,
    Factored,
    Top,
    Work,
    above_all,
    factored,
    weights_of,
)
from piscm.patches.local import Current, Noise
from piscm.patches.patch import UNKNOWNS

# Up to so many districts are merged by one task: a task for each merge would take longer.
_FEW = 16


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

        now = {id(district) for district in districts}
        self._known = {key: own for key, own in self._known.items() if key in now}
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

    def merged(self, parts: Sequence[Any], top: Top) -> Above:
        """Merges are tasks too; of many districts each is one, so that workers share them."""
        submit = partial(self._client.submit, pure=False)
        shares = [submit(share_of, part) for part in parts]
        if len(parts) <= _FEW:
            found: Above = submit(above_all, shares, top).result()
            return found
        return self._by_tasks(dict(enumerate(shares)), top)

    def _by_tasks(self, fronts: dict[int, Any], top: Top) -> Above:
        submit = partial(self._client.submit, pure=False)
        groups: dict[int, set[int]] = {number: set() for number in fronts}
        for group, own in top.holders.items():
            for number in own:
                groups[number].add(group)
        steps: dict[Tree, Any] = {}

        def merge(branch: Tree) -> tuple[frozenset[int], set[int], Any]:
            if isinstance(branch, int):
                inside, held, shares = frozenset([branch]), groups[branch], [fronts[branch]]
            else:
                (first, some, one), (second, more, other) = (merge(own) for own in branch)
                inside, held, shares = first | second, some | more, [one, other]
            done = frozenset(group for group in held if top.holders[group] <= inside)
            steps[branch] = submit(merged_here, shares, done, {g: top.sizes[g] for g in held})
            return inside, held - done, submit(share_left, steps[branch])

        merge(top.tree)
        filled: dict[Tree, Any] = {}

        def fill(branch: Tree, known: Any) -> None:
            filled[branch] = submit(filled_here, steps[branch], known)
            if not isinstance(branch, int):
                for own in branch:
                    fill(own, filled[branch])

        fill(top.tree, {})
        found = self._client.gather([submit(own_values, own) for own in filled.values()])
        values = {group: own for part in found for group, own in part.items()}
        around = [submit(all_values, filled[number]) for number in fronts]
        last = self._client.gather(submit(last_step, steps[top.tree]))
        return Above(values, around, last)

    def weights(
        self, parts: Sequence[Any], values: Sequence[Any], sizes: Sequence[dict[int, int]]
    ) -> list[Any]:
        tasks = [
            self._client.submit(weights_of, *own, pure=False)
            for own in zip(parts, values, sizes, strict=True)
        ]
        return list(self._client.gather(tasks))

    def each(
        self, work: Work, districts: Sequence[District], arguments: Sequence[tuple[Any, ...]]
    ) -> list[Any]:
        tasks = [
            self._client.submit(work, district, *own, pure=False)
            for district, own in zip(self._sent(districts), arguments, strict=True)
        ]
        return list(self._client.gather(tasks))


def share_of(part: Factored) -> Share:
    """What a factored district has in common with others."""
    return part.merged.share


@dataclass(frozen=True)
class Merging:
    """One step above the districts: what it eliminated, what is left, and how large groups are."""

    step: Eliminated | None
    share: Share
    sizes: dict[int, int]


def merged_here(shares: Sequence[Share], done: frozenset[int], sizes: dict[int, int]) -> Merging:
    """Merge shares and eliminate the groups that nobody else holds."""
    with one_thread():
        held = dict.fromkeys(group for share in shares for group in share.groups)
        own = in_order([group for group in held if group in done])
        if len(shares) == 1 and not own:
            return Merging(None, shares[0], sizes)
        return Merging(*eliminated(shares, own, sizes), sizes)


def share_left(merging: Merging) -> Share:
    """What is left for others."""
    return merging.share


def last_step(merging: Merging) -> Eliminated | None:
    """The step, if it eliminated the unknowns."""
    step = merging.step
    return step if step is not None and UNKNOWNS in step.own else None


def filled_here(merging: Merging, known: Any) -> tuple[Values, tuple[int, ...]]:
    """The values of all groups of a merge, given those above it, and which are its own."""
    values = dict(known[0] if isinstance(known, tuple) else known)
    if merging.step is None:
        return {group: values[group] for group in merging.share.groups}, ()
    with one_thread():
        merging.step.fill(values, merging.sizes)
    groups = (*merging.step.own, *merging.step.kept)
    return {group: values[group] for group in groups}, merging.step.own


def own_values(filled: tuple[Values, tuple[int, ...]]) -> Values:
    """The values that were found in one merge."""
    return {group: filled[0][group] for group in filled[1]}


def all_values(filled: tuple[Values, tuple[int, ...]]) -> Values:
    """The values around a branch."""
    return filled[0]
