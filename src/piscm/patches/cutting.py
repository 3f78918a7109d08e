"""A problem cut into patches: points and nodes are drawn, and each patch has its own."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.sampling import Sampling
from piscm.assemble.sites import Points
from piscm.assemble.windows import Part
from piscm.network.start import Start
from piscm.patches.drafts import Draft, distribute, tie_faces
from piscm.patches.drawing import drawn_points
from piscm.patches.grid import Grid
from piscm.patches.levels import Resolution
from piscm.patches.patch import UNKNOWNS, Common, Patch
from piscm.patches.traces import traced
from piscm.patches.weighing import weighted
from piscm.problem.errors import ProblemError

Floats = NDArray[np.float64]


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
    drafts = [Draft() for _ in range(len(grid))]
    sizes: dict[int, int] = {}
    tied = traced(part)
    traces = [block for axis in tied for block in tied[axis]]
    blocks = (*part.blocks, *traces)
    rng_points = np.random.default_rng(key_points)
    points, sampling = drawn_points(part, grid, resolution, rng_points)
    distribute(points, grid, drafts, sizes, resolution.terms)
    numbers, first = {}, len(part.blocks)
    for axis, own in tied.items():
        numbers[axis] = list(range(first, first + len(own)))
        first += len(own)
    tie_faces(grid, numbers, drafts, sizes, resolution.terms)
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
    common, weighed, row_sizes = weighted(
        part, blocks, start, resolution.member.activation, weights, patches, grid, sizes
    )
    holders = {group: frozenset(own) for group, own in held.items()}
    return Cutting(grid, common, tuple(weighed), sizes, holders, sampling, points, row_sizes)


def _finished(
    part: Part, grid: Grid, number: int, draft: Draft, resolution: Resolution, key: int
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
