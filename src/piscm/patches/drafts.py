"""Which rows belong to which patch, and what ties them to those of others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.sites import Points, Site
from piscm.patches.grid import Grid
from piscm.patches.patch import Tie
from piscm.patches.traces import polynomials, stretch
from piscm.problem.place import Leg, Legs

Integers = NDArray[np.intp]


@dataclass
class Draft:
    """A patch that is being put together."""

    blocks: list[int] = field(default_factory=list)
    rows: list[Integers | None] = field(default_factory=list)
    sites: list[Site] = field(default_factory=list)
    of_block: list[int] = field(default_factory=list)
    ties: list[Tie] = field(default_factory=list)

    def place(self, site: Site, blocks: Sequence[int], rows: Integers | None = None) -> range:
        """Rows of some blocks at one site; their positions."""
        first = len(self.blocks)
        self.sites.append(site)
        for block in blocks:
            self.blocks.append(block)
            self.rows.append(rows)
            self.of_block.append(len(self.sites) - 1)
        return range(first, len(self.blocks))


def distribute(
    points: Points,
    grid: Grid,
    drafts: Sequence[Draft],
    sizes: dict[int, int],
    terms: int,
) -> None:
    """Give every row to the patch of its point; rows of two patches are tied by a trace."""
    for number, site in enumerate(points.sites):
        own = [i for i, at in enumerate(points.of_block) if at == number]
        owners = [grid.patches_of(leg.points) for leg in site.legs]
        together = np.all([other == owners[0] for other in owners], axis=0)
        local = np.flatnonzero(together)
        for patch, rows in by_owner(owners[0][local]):
            drafts[patch].place(site.some(local[rows]), own, local[rows])
        apart = np.flatnonzero(~together)
        if len(apart):
            _tie_legs(site.legs, own, owners, apart, grid, drafts, sizes, terms)


def by_owner(owners: Integers) -> list[tuple[int, Integers]]:
    """The rows of each patch that has any."""
    if not len(owners):
        return []
    order = np.argsort(owners, kind="stable")
    present, firsts = np.unique(owners[order], return_index=True)
    return list(zip(map(int, present), np.split(order, firsts[1:]), strict=True))


def _tie_legs(
    legs: Legs,
    blocks: Sequence[int],
    owners: Sequence[Integers],
    rows: Integers,
    grid: Grid,
    drafts: Sequence[Draft],
    sizes: dict[int, int],
    terms: int,
) -> None:
    """Rows that are a difference between two patches: both equal a trace (periodic ends)."""
    pairs = np.stack([own[rows] for own in owners], axis=1)
    for pair in np.unique(pairs, axis=0):
        here = rows[(pairs == pair).all(axis=1)]
        box = grid.box(int(pair[1]))
        at = legs[1].points[here]
        free = np.flatnonzero(np.ptp(at, axis=0) > 0)
        count = min(terms, len(here))
        basis = polynomials(at[:, free], box.lower[free], box.upper[free], count)
        group = len(sizes)
        sizes[group] = basis.shape[1] * len(blocks)
        for leg, patch in zip(legs, pair, strict=True):
            draft = drafts[int(patch)]
            site = Site((Leg(leg.points[here]),))
            for place, position in enumerate(draft.place(site, blocks)):
                draft.ties.append(Tie(position, group, place * basis.shape[1], basis))


def tie_faces(
    grid: Grid,
    numbers: Mapping[int, Sequence[int]],
    drafts: Sequence[Draft],
    sizes: dict[int, int],
    terms: int,
) -> None:
    """Tie the patches on both sides of every face: both equal a trace."""
    for face in grid.faces:
        blocks = numbers[face.axis]
        own = stretch(grid, face, terms) if blocks else None
        if own is None:
            continue
        group, width = len(sizes), own.basis.shape[1]
        sizes[group] = width * len(blocks)
        for patch in (face.first, face.second):
            draft = drafts[patch]
            site = Site((Leg(own.points),))
            for place, position in enumerate(draft.place(site, blocks)):
                draft.ties.append(Tie(position, group, place * width, own.basis))
