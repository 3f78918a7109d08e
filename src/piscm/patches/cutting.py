"""A problem cut into patches: which rows belong to which of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.sampling import MOST_POINTS, Sampling
from piscm.assemble.sites import Points, Site, draw_points
from piscm.assemble.windows import Part
from piscm.budget.clock import check_time
from piscm.compile.blocks import Block
from piscm.fit.members import Member
from piscm.network.start import Start
from piscm.patches.grid import Grid
from piscm.patches.patch import UNKNOWNS, Common, Patch, Tie, slabs
from piscm.patches.traces import polynomials, stretch, traced
from piscm.problem.errors import ProblemError
from piscm.problem.place import Leg, Legs
from piscm.problem.places import Interior, Slices

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]

# Nodes whose rows decide how large a block's rows are.
_POOL = 60


@dataclass(frozen=True)
class Resolution:
    """How finely each patch is resolved.

    Attributes
    ----------
    member : Member
        How nodes are drawn, relative to the patch.
    nodes : tuple of int
        In each patch.
    terms : int
        Polynomials of one variable on a face.
    points : tuple of int
        For the equations, in each patch.
    faces : int
        For conditions, on each face of a patch.
    boundary : int or None
        For each condition, if the user gave a number.
    """

    member: Member
    nodes: tuple[int, ...]
    terms: int
    points: tuple[int, ...]
    faces: int
    boundary: int | None = None

    def with_points(self, sampling: Sampling, patches: int) -> "Resolution":
        """The same with a user's number of points: an equal share for each patch."""
        each = max(1, sampling.interior // patches)
        return replace(self, points=(each,) * patches, boundary=sampling.boundary)


@dataclass(frozen=True)
class Cutting:
    """A problem in patches.

    Attributes
    ----------
    grid : Grid
    common : Common
    patches : tuple of Patch
    sizes : dict of int to int
        The number of unknowns in each group.
    holders : dict of int to frozenset of int
        The patches that hold each group.
    sampling : Sampling
        Points in all.
    points : Points
        All of them, in the order of the problem's blocks.
    row_sizes : ndarray, shape (patches, blocks)
        How large rows are for a typical node of a patch.
    """

    grid: Grid
    common: Common
    patches: tuple[Patch, ...]
    sizes: dict[int, int]
    holders: dict[int, frozenset[int]]
    sampling: Sampling
    points: Points
    row_sizes: Floats


@dataclass
class _Draft:
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


def check_places(part: Part) -> None:
    """Refuse what cannot be cut: rows that sum over many points."""
    for block in part.blocks:
        if block.integrands or getattr(block.place, "weights", None) is not None:
            raise ProblemError(
                f"{block.name} holds an integral, which runs over many patches: Patches cannot "
                "solve that; use Auto()."
            )


def cut_problem(
    part: Part,
    grid: Grid,
    resolution: Resolution,
    start: Start,
    weights: Mapping[str, float],
    rng: np.random.Generator,
) -> Cutting:
    """Draw points and nodes, and give each patch its own."""
    key_points, key_nodes = (int(key) for key in rng.integers(2**62, size=2))
    drafts = [_Draft() for _ in range(len(grid))]
    sizes: dict[int, int] = {}
    tied = traced(part)
    traces = [block for axis in tied for block in tied[axis]]
    blocks = (*part.blocks, *traces)
    rng_points = np.random.default_rng(key_points)
    points, sampling = _drawn(part, grid, resolution, rng_points)
    _distribute(part.blocks, points, grid, drafts, sizes, resolution.terms)
    numbers, first = {}, len(part.blocks)
    for axis, own in tied.items():
        numbers[axis] = list(range(first, first + len(own)))
        first += len(own)
    _tie_faces(grid, numbers, drafts, sizes, resolution.terms)
    if part.problem.unknowns:
        sizes[UNKNOWNS] = len(part.problem.unknowns)
    patches = tuple(
        _finished(part, grid, number, draft, resolution, key_nodes)
        for number, draft in enumerate(drafts)
    )
    held: dict[int, set[int]] = {group: set() for group in sizes}
    for patch in patches:
        for group in patch.groups:
            held[group].add(patch.number)
    common, weighed, row_sizes = _weighted(
        part, blocks, start, resolution.member.activation, weights, patches, grid, sizes
    )
    holders = {group: frozenset(own) for group, own in held.items()}
    return Cutting(grid, common, tuple(weighed), sizes, holders, sampling, points, row_sizes)


def _finished(
    part: Part, grid: Grid, number: int, draft: _Draft, resolution: Resolution, key: int
) -> Patch:
    rng = np.random.default_rng([key, number])
    nodes = resolution.member.draw(resolution.nodes[number], grid.box(number), rng)
    groups = list(dict.fromkeys(tie.group for tie in draft.ties))
    if part.problem.unknowns:
        groups.append(UNKNOWNS)
    points = Points(tuple(draft.sites), tuple(draft.of_block))
    return Patch(
        number,
        nodes,
        tuple(draft.blocks),
        tuple(draft.rows),
        points,
        tuple(draft.ties),
        tuple(groups),
        (1.0,) * len(draft.blocks),
    )


def _drawn(
    part: Part, grid: Grid, resolution: Resolution, rng: np.random.Generator
) -> tuple[Points, Sampling]:
    """Points of every block, as many as its patches need."""
    domain, shape = part.problem.domain, np.array(grid.shape)
    sites: list[Site] = []
    keys: dict[object, int] = {}
    of_block = []
    least, most = min(resolution.points), 1
    interior = least * len(grid)
    for block in part.blocks:
        if block.place.key not in keys:
            check_time()
            boundary = resolution.boundary or resolution.faces * _faces_met(block, shape)
            most = max(most, boundary)
            sampling = Sampling(min(interior, MOST_POINTS), min(boundary, MOST_POINTS))
            site = draw_points(domain, [block], sampling, rng).sites[0]
            if isinstance(block.place, Interior):
                site = _more(site, grid, resolution, least, rng)
            keys[block.place.key] = len(sites)
            sites.append(site)
        of_block.append(keys[block.place.key])
    points = Points(tuple(sites), tuple(of_block))
    total = min(sum(resolution.points), MOST_POINTS)
    return points, Sampling(total, min(most, MOST_POINTS))


def _more(
    site: Site, grid: Grid, resolution: Resolution, least: int, rng: np.random.Generator
) -> Site:
    """More points in patches that ask for more than the least number."""
    found = [site.legs[0].points]
    draw = Sampling().unit_points(rng)
    for number, count in enumerate(resolution.points):
        if count > least:
            inside = grid.box(number).sample_inside(count - least, draw)
            found.append(inside[grid.domain.contains(inside)])
    return site if len(found) == 1 else Site((Leg(np.concatenate(found)),))


def _faces_met(block: Block, shape: Integers) -> int:
    """About how many faces of cells the place of a condition has."""
    if isinstance(block.place, Slices):
        coordinates = block.compiled.coordinates
        each = [
            int(np.prod([n for c, n in zip(coordinates, shape, strict=False) if c not in part]))
            for part in block.place.parts
        ]
        return max(1, sum(each))
    return int(2 * sum(np.prod(shape) // count for count in shape))


def _distribute(
    blocks: Sequence[Block],
    points: Points,
    grid: Grid,
    drafts: Sequence[_Draft],
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
    drafts: Sequence[_Draft],
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


def _tie_faces(
    grid: Grid,
    numbers: Mapping[int, Sequence[int]],
    drafts: Sequence[_Draft],
    sizes: dict[int, int],
    terms: int,
) -> None:
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


def _weighted(
    part: Part,
    blocks: Sequence[Block],
    start: Start,
    activation: str,
    weights: Mapping[str, float],
    patches: Sequence[Patch],
    grid: Grid,
    sizes: dict[int, int],
) -> tuple[Common, list[Patch], Floats]:
    """Weights of rows: in the units of the fields, a patch's rows of a block a mean square."""
    ones = (1.0,) * len(blocks)
    common = Common(part.problem, tuple(blocks), start, activation, ones)
    rows, holders = np.zeros(len(blocks)), np.zeros(len(blocks))
    for patch in patches:
        for number, count in zip(patch.blocks, patch.points.rows, strict=True):
            rows[number] += count
            holders[number] += 1
    each = np.maximum(rows, 1.0) / np.maximum(holders, 1.0)
    typical = _sizes(common, patches, grid, sizes)
    units = tuple(float(np.median(own)) for own in typical.T)
    factors = np.array([weights[block.kind] * block.weight for block in blocks])
    row_weights = factors / (each * typical**2)
    weighed = [
        replace(
            patch,
            row_weights=tuple(float(row_weights[patch.number, block]) for block in patch.blocks),
        )
        for patch in patches
    ]
    return replace(common, units=units), weighed, typical


def _sizes(common: Common, patches: Sequence[Patch], grid: Grid, sizes: dict[int, int]) -> Floats:
    """How large rows are for a typical node, shape (patches, blocks).

    Of patches of the same widths the one that has most rows of a block stands for all.
    """
    found = np.ones((len(patches), len(common.blocks)))
    alike: dict[tuple[float, ...], list[Patch]] = {}
    for patch in patches:
        widths = tuple(float(f"{width:.3g}") for width in grid.box(patch.number).width)
        alike.setdefault(widths, []).append(patch)
    for members in alike.values():
        most: dict[int, tuple[int, Patch]] = {}
        for patch in members:
            for block, count in zip(patch.blocks, patch.points.rows, strict=True):
                if block not in most or count > most[block][0]:
                    most[block] = count, patch
        own = [patch.number for patch in members]
        for chosen in {patch.number: patch for _, patch in most.values()}.values():
            typical = _typical(common, chosen, sizes)
            for block, (_, patch) in most.items():
                if patch.number == chosen.number and block in typical:
                    found[own, block] = typical[block]
    return found


def _typical(even: Common, patch: Patch, sizes: dict[int, int]) -> dict[int, float]:
    """The root mean square of the rows of each block for a typical node."""
    slab = next(slabs(even, patch, sizes))
    system = slab.system
    columns = system.evaluate(patch.nodes.some(slice(_POOL)))
    design = columns.at(system.linearize(system.start()))
    found: dict[int, float] = {}
    names = {id(even.blocks[n].compiled): n for n in patch.blocks}
    for placed in system.placed:
        own = design[:, :, placed.rows]
        squares = np.einsum("kfn,kfn->k", own, own) / own.shape[-1]
        size = float(np.sqrt(np.median(squares)))
        number = names[id(placed.block.compiled)]
        if np.isfinite(size) and size > 0:
            found[number] = max(size, found.get(number, 0.0))
    return found
