"""One patch: its nodes, its rows, and the traces that tie it to its neighbors.

A trace is a polynomial on a face that two patches have in common. Each patch has to equal it there,
by rows of its own; so the rows of a patch hold its own weights and a few traces, and nothing of
other patches.
"""

import pickle
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.sites import Points
from piscm.assemble.system import System
from piscm.assemble.weighting import EVEN, divisors
from piscm.compile.blocks import Block
from piscm.network.activations import activation_named
from piscm.network.nodes import Nodes
from piscm.network.start import Start
from piscm.problem.problem import Problem

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]

ROWS_AT_ONCE = 8192
"""Rows that are in memory at a time; those of a patch with more are taken in slabs."""
# Equations of so many solves are kept by a process that works for others.
_KEPT = 8


@dataclass(frozen=True)
class Common:
    """What all patches have in common.

    Attributes
    ----------
    problem : Problem
    blocks : tuple of Block
        Those of the problem, then those of the traces.
    start : Start
    activation : str
    units : tuple of float
        How large rows of each block are for a typical node: traces are in these units.
    """

    problem: Problem
    blocks: tuple[Block, ...]
    start: Start
    activation: str
    units: tuple[float, ...]

    @cached_property
    def linear(self) -> bool:
        """Whether all rows are affine."""
        return all(block.linear for block in self.blocks)

    @cached_property
    def _packed(self) -> tuple[bytes, bytes]:
        every = (self.problem, self.blocks, self.start, self.activation, self.units)
        packed = pickle.dumps(every)
        return sha256(packed).digest(), packed

    def __reduce__(self) -> tuple[Any, ...]:
        # It comes with every district, and to compile its equations anew takes a while.
        return _unpacked, self._packed


_unpacked_before: OrderedDict[bytes, Common] = OrderedDict()


def _unpacked(name: bytes, packed: bytes) -> Common:
    """The same object for the same bytes, as long as it is remembered."""
    found = _unpacked_before.get(name)
    if found is None:
        found = _unpacked_before[name] = Common(*pickle.loads(packed))
        while len(_unpacked_before) > _KEPT:
            _unpacked_before.popitem(last=False)
    return found


UNKNOWNS = -1
"""The group of the unknown parameters, which all patches hold."""


@dataclass(frozen=True)
class Tie:
    """Rows that must equal a trace.

    Attributes
    ----------
    position : int
        Of its block among those of the patch.
    group : int
        The trace.
    first : int
        Its first unknown among those of the group.
    basis : ndarray, shape (rows, terms)
        Polynomials at the points.
    """

    position: int
    group: int
    first: int
    basis: Floats


@dataclass(frozen=True)
class Patch:
    """A patch.

    Attributes
    ----------
    number : int
    nodes : Nodes
    blocks : tuple of int
        The numbers of its blocks; a block may occur twice, at different points.
    rows : tuple of ndarray or None
        Which data of each block are its own, if the block has data.
    points : Points
        In the order of `blocks`.
    ties : tuple of Tie
    groups : tuple of int
        All groups that its rows hold.
    row_weights : tuple of float
        The weight of a row of each of its blocks.
    """

    number: int
    nodes: Nodes
    blocks: tuple[int, ...]
    rows: tuple[Integers | None, ...]
    points: Points
    ties: tuple[Tie, ...]
    groups: tuple[int, ...]
    row_weights: tuple[float, ...]


@dataclass(frozen=True)
class Slab:
    """Some rows of a patch.

    Attributes
    ----------
    system : System
    traces : ndarray
        The columns of the traces, group by group.
    numbers : tuple of int
        The number of each of its blocks among all.
    data : tuple of ndarray or None
        Which of the data of a block are here.
    """

    system: System
    traces: Floats
    numbers: tuple[int, ...]
    data: tuple[Integers | None, ...]


def slabs(common: Common, patch: Patch, sizes: dict[int, int]) -> Iterator[Slab]:
    """All rows of a patch; one slab unless there are many."""
    total = sum(patch.points.rows)
    tied = {tie.position for tie in patch.ties}
    whole = {patch.points.of_block[position] for position in tied}
    count = max(1, -(-total // ROWS_AT_ONCE))
    for turn in range(count):
        some = [
            np.arange(site.rows if not turn else 0)
            if number in whole
            else np.array_split(np.arange(site.rows), count)[turn]
            for number, site in enumerate(patch.points.sites)
        ]
        yield _slab(common, patch, some, sizes, patch.ties if not turn else ())


def _slab(
    common: Common,
    patch: Patch,
    some: Sequence[Integers],
    sizes: dict[int, int],
    ties: Sequence[Tie],
) -> Slab:
    of_block = patch.points.of_block
    here = [i for i, site in enumerate(of_block) if len(some[site])]
    numbers = {site: n for n, site in enumerate(dict.fromkeys(of_block[i] for i in here))}
    sites = patch.points.sites
    all_rows = all(len(rows) == site.rows for rows, site in zip(some, sites, strict=True))
    points = Points(
        tuple(sites[n] if all_rows else sites[n].some(some[n]) for n in numbers),
        tuple(numbers[of_block[i]] for i in here),
    )
    blocks = [_block(common, patch, i, some[of_block[i]]) for i in here]
    counts = divisors(blocks, points)
    emphasis = {
        n: np.array([patch.row_weights[i] * counts[block.kind]])
        for n, (i, block) in enumerate(zip(here, blocks, strict=True))
    }
    activation = activation_named(common.activation)
    system = System(common.problem, blocks, points, EVEN, activation, common.start, emphasis)
    firsts, width = {}, 0
    for group in patch.groups:
        firsts[group] = width
        width += sizes[group] if group != UNKNOWNS else 0
    traces = np.zeros((system.rows, width))
    placed = {here[item.number]: item for item in system.placed}
    for tie in ties:
        item = placed[tie.position]
        first = firsts[tie.group] + tie.first
        unit = common.units[patch.blocks[tie.position]]
        place = slice(first, first + tie.basis.shape[1])
        traces[item.rows, place] = -unit * item.root_weight[:, None] * tie.basis
    numbers_here = tuple(patch.blocks[i] for i in here)
    data = tuple(_of_data(patch, i, some[of_block[i]]) for i in here)
    return Slab(system, traces, numbers_here, data)


def _of_data(patch: Patch, position: int, some: Integers) -> Integers | None:
    own = patch.rows[position]
    return None if own is None else own[some]


def _block(common: Common, patch: Patch, position: int, some: Integers) -> Block:
    block = replace(common.blocks[patch.blocks[position]], weight=1.0)
    own = _of_data(patch, position, some)
    return block if block.data is None or own is None else block.kept(own)
