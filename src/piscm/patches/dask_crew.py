"""A Dask cluster works on the patches, and keeps the factors."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from piscm.budget.allocator import keep_memory
from piscm.linalg.elimination import (
    Eliminated,
    Merged,
    Share,
    Tree,
    Values,
    above,
    districts,
    eliminated,
    in_order,
    leaves,
    merged,
)
from piscm.linalg.threads import one_thread
from piscm.linalg.workers import awaited, wait_for
from piscm.patches.crew import Above, Awaited, Crew, Floats, Top, Work, above_all
from piscm.patches.dask_memory import check_room
from piscm.patches.district import District, Factored, Inside, factored, solved_in
from piscm.patches.local import Current, Noise
from piscm.patches.patch import UNKNOWNS

# Up to so many districts are merged by one task of each worker: one for each would take longer.
_FEW = 16


class DaskWorkers(Crew):
    """A Dask cluster: factors stay on its workers, and only traces travel.

    If a worker dies, Dask computes what it held anew elsewhere.
    """

    quick = False

    def __init__(self, client: Any) -> None:
        self._client = client
        self._known: dict[int, tuple[District, Any]] = {}
        self._homes: dict[int, dict[str, Any]] = {}
        self._places = 1

    def _sent(self, districts: Sequence[District]) -> list[Any]:
        """Districts as arguments of tasks; each is sent once, with the first task."""
        from dask.delayed import delayed

        now = {id(district) for district in districts}
        self._known = {key: own for key, own in self._known.items() if key in now}
        if now != set(self._homes):
            check_room(self._client, districts)
            self._homes = self._settled(districts)
        for district in districts:
            if id(district) not in self._known:
                # Not scattered: data that live on one worker alone would be lost with it.
                given = delayed(district, traverse=False, pure=False)
                own = self._client.compute(given, **self._homes[id(district)])
                self._known[id(district)] = district, own
        return [self._known[id(district)][1] for district in districts]

    def _settled(self, districts: Sequence[District]) -> dict[int, dict[str, Any]]:
        """Where the tasks of each district should run, as options of tasks.

        Left to itself the scheduler sees a few tasks of unknown length, and may give one worker
        five of eight. Neighbors stay together, whose fronts are merged there. Whoever is idle may
        still take a district over, and has to if its worker dies.
        """
        threads = self._client.nthreads()
        places = [place for place in sorted(threads) for _ in range(threads[place])]
        self._places = len(places)
        if not places:  # workers are still to come
            return {id(district): {} for district in districts}
        count = len(districts)
        turns = [number * len(places) // count for number in range(count)]
        return {
            id(district): {
                "workers": [places[turn]],
                "allow_other_workers": True,
            }
            for district, turn in zip(districts, turns, strict=True)
        }

    def _submitted(self, work: Work, district: District, *arguments: Any) -> Any:
        """A task of a district."""
        return self._client.submit(
            work, *arguments, pure=False, **self._homes.get(id(district), {})
        )

    def factored(
        self,
        districts: Sequence[District],
        currents: Sequence[dict[int, Current]],
        noise: Sequence[Noise],
    ) -> list[Any]:
        return [
            self._submitted(factored_there, district, sent, own, tuple(noise))
            for district, sent, own in zip(districts, self._sent(districts), currents, strict=True)
        ]

    def merged(self, parts: Sequence[Any], top: Top) -> Above:
        """Of many districts each merge is a task, so that workers share them."""
        submit = partial(self._client.submit, pure=False)
        shares = [submit(share_of, part) for part in parts]
        if len(parts) <= _FEW:
            return self._by_branches(shares, top)
        return self._by_tasks(dict(enumerate(shares)), top)

    def _by_branches(self, shares: Sequence[Any], top: Top) -> Above:
        """Each worker merges the districts that it has, and what is left is merged here."""
        submit = partial(self._client.submit, pure=False)
        if len(shares) == 1:
            return above_all(Awaited(shares, lambda own: own), top)
        # Two at least, so that what all of them hold is eliminated here.
        branches = districts(top.tree, -(-len(shares) // max(2, self._places)))
        of = {number: n for n, branch in enumerate(branches) for number in leaves(branch)}
        done = []
        for branch in branches:
            own = {number: shares[number] for number in leaves(branch)}
            done.append(submit(branch_merged, branch, own, top))
        left = [submit(branch_left, own) for own in done]
        holders = {group: frozenset(of[n] for n in own) for group, own in top.holders.items()}
        apart = Top(above(top.tree, branches), holders, top.sizes)
        found = above_all(Awaited(left, lambda own: own), apart)
        filled = [
            submit(branch_filled, own, values, top.sizes)
            for own, values in zip(done, found.around, strict=True)
        ]
        for more in self._gathered(filled):
            found.values.update(more)
        return Above(found.values, [filled[of[n]] for n in range(len(shares))], found.last)

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
        found = self._gathered([submit(own_values, own) for own in filled.values()])
        values = {group: own for part in found for group, own in part.items()}
        around = [submit(all_values, filled[number]) for number in fronts]
        last = awaited(submit(last_step, steps[top.tree]))
        return Above(values, around, last)

    def solved(
        self,
        districts: Sequence[District],
        parts: Sequence[Any],
        values: Sequence[Any],
        unknowns: Floats | None,
    ) -> Iterable[Inside]:
        tasks = [
            self._submitted(solved_there, district, *own, unknowns)
            for district, *own in zip(districts, self._sent(districts), parts, values, strict=True)
        ]
        return self._gathered(tasks)

    def each(
        self, work: Work, districts: Sequence[District], arguments: Sequence[tuple[Any, ...]]
    ) -> Iterable[Any]:
        tasks = [
            self._submitted(done_there, district, work, sent, *own)
            for district, sent, own in zip(districts, self._sent(districts), arguments, strict=True)
        ]
        return self._gathered(tasks)

    def _gathered(self, tasks: list[Any]) -> Iterator[Any]:
        for task in tasks:
            wait_for(task)
        yield from self._client.gather(tasks)


def factored_there(
    district: District, currents: dict[int, Current], noise: Sequence[Noise]
) -> Factored:
    """Eliminate in a district, on a worker."""
    keep_memory()
    return factored(district, currents, noise)


def solved_there(
    district: District, part: Factored, values: Values, unknowns: Floats | None
) -> Inside:
    """What is found in a district, on a worker."""
    keep_memory()
    return solved_in(district, part, values, unknowns)


def done_there(work: Work, district: District, *arguments: Any) -> Any:
    """Any work on a district, on a worker."""
    keep_memory()
    return work(district, *arguments)


def branch_merged(branch: Tree, shares: dict[int, Share], top: Top) -> Merged:
    """Merge some districts."""
    with one_thread():
        return merged(branch, shares, top.holders, top.sizes)


def branch_left(done: Merged) -> Share:
    """What is left for others."""
    return done.share


def branch_filled(done: Merged, values: Values, sizes: dict[int, int]) -> Values:
    """The values of all groups of a branch, given those around it."""
    every = dict(values)
    with one_thread():
        done.fill(every, sizes)
    return every


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
