"""Weights of the rows of patches, from how large rows are for a typical node."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.windows import Part
from piscm.compile.blocks import Block
from piscm.network.start import Start
from piscm.patches.grid import Grid
from piscm.patches.patch import Common, Patch, slabs

Floats = NDArray[np.float64]

# Nodes whose rows decide how large a block's rows are.
_POOL = 60


def weighted(
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
