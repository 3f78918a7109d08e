"""Correction on more points than the memory holds: rows are processed in slabs.

Growth needs all columns at once and is done on a part of the points. The weights are then corrected
on all of them. Each slab of rows is reduced to a triangle by QR and forgotten; the triangle of the
triangles is that of the whole matrix, so nothing is lost.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from piscm.assemble.placement import Points, divisors
from piscm.assemble.system import System
from piscm.compile.blocks import Block
from piscm.construct.methods import Method
from piscm.linalg.bounded import Bounds
from piscm.linalg.truncated import solve_triangle
from piscm.network.nodes import Nodes

Floats = NDArray[np.float64]
MakeSystem = Callable[[Sequence[Block], Points, Mapping[int, Floats], Sequence[int]], System]
"""A system of some blocks at some points, factors on their weights, and which blocks they are."""

# Numbers in the columns that growth works with, some ten arrays of this size, and points of the
# equations that it may have however many columns there are.
_COLUMNS = 10_000_000
_ENOUGH_POINTS = 10_000
# Numbers in the columns of one slab; some ten arrays of this size are alive at a time.
_SLAB = 4_000_000
_ROUNDS = 3
_STILL_GAINING = 0.99


@dataclass(frozen=True)
class Corrected:
    """Weights and unknowns after the correction, and the residual on all points."""

    weights: Floats
    unknowns: Floats
    residual: float


def most_points(columns: int) -> int:
    """How many points of the equations growth can work with."""
    return max(_ENOUGH_POINTS, _COLUMNS // columns)


def some_points(blocks: Sequence[Block], points: Points, most: int) -> list[tuple[Floats, ...]]:
    """The first points of every block, at most so many; all observations."""
    kept: dict[int, tuple[Floats, ...]] = {}
    for block, own in zip(blocks, points, strict=True):
        if id(own) not in kept:
            all_of_it = block.kind == "observations"
            kept[id(own)] = own if all_of_it else tuple(array[:most] for array in own)
    return [kept[id(own)] for own in points]


def correct_on_all(
    make_system: MakeSystem,
    blocks: Sequence[Block],
    points: Points,
    nodes: Nodes,
    weights: Floats,
    unknowns: Floats,
    bounds: Bounds,
    method: Method,
) -> Corrected:
    """Gauss–Newton on all points, a few rounds from a good start."""
    energy = np.inf
    for _ in range(_ROUNDS):
        triangle, now = None, 0.0
        for system in _slabs(make_system, blocks, points, weights.size):
            rows = system.evaluate(nodes)
            state = system.state_with(rows, weights, unknowns)
            now += state.energy
            linearization = system.linearize(state)
            system.write_nonlinear(rows, slice(None), linearization)
            design = rows.design.reshape(-1, system.rows)
            target = weights.ravel() @ design - state.residual
            stacked = np.concatenate([design, linearization.unknowns, target[None]]).T
            if triangle is not None:
                stacked = np.concatenate([triangle, stacked])
            triangle = scipy.linalg.qr(stacked, mode="r", check_finite=False, overwrite_a=True)[0][
                : stacked.shape[1]
            ]
        energy = now
        if triangle is None or not np.isfinite(triangle).all():
            break
        solution = solve_triangle(triangle, method.threshold).solution
        new, steps = solution[: weights.size], solution[weights.size :]
        steps = bounds.clip(unknowns, steps) if len(unknowns) else steps
        move = new.reshape(weights.shape) - weights
        slabs = _slabs(make_system, blocks, points, weights.size)
        length, reached = _length(slabs, nodes, weights, unknowns, move, steps, method)
        if not reached < energy:
            break
        gained = reached < _STILL_GAINING * energy
        weights, unknowns, energy = weights + length * move, unknowns + length * steps, reached
        if not gained:
            break
    return Corrected(weights, unknowns, float(np.sqrt(energy)))


def _length(
    slabs: Iterator[System],
    nodes: Nodes,
    weights: Floats,
    unknowns: Floats,
    move: Floats,
    steps: Floats,
    method: Method,
) -> tuple[float, float]:
    """The best length of a step, and the squared residual after it."""
    lengths = np.array(sorted(method.search_steps, reverse=True))
    energies = np.zeros(len(lengths))
    for system in slabs:
        rows = system.evaluate(nodes)
        state = system.state_with(rows, weights, unknowns)
        full = system.together(rows, slice(0, len(weights)), move, steps)
        for number, length in enumerate(lengths):
            residual = system.residuals(state, full.times(np.array([length])))[0]
            energies[number] += float(residual @ residual)
    energies[~np.isfinite(energies)] = np.inf
    best = int(np.argmin(energies))
    return float(lengths[best]), float(energies[best])


def _slabs(
    make_system: MakeSystem, blocks: Sequence[Block], points: Points, columns: int
) -> Iterator[System]:
    """Systems of a part of the points each, weighed as parts of the whole."""
    whole = divisors(blocks, points)
    size = max(1000, _SLAB // max(1, columns))
    longest = max(len(own[0]) for own in points)
    for first in range(0, longest, size):
        cut: dict[int, tuple[Floats, ...]] = {}
        for own in points:
            if id(own) not in cut:
                cut[id(own)] = tuple(array[first : first + size] for array in own)
        here = [i for i, own in enumerate(points) if len(cut[id(own)][0])]
        some = [_part(blocks[i], slice(first, first + size)) for i in here]
        places = [cut[id(points[i])] for i in here]
        shared = divisors(some, places)
        factors = {
            number: np.array([shared[block.kind] / whole[block.kind]])
            for number, block in enumerate(some)
        }
        yield make_system(some, places, factors, here)


def _part(block: Block, rows: slice) -> Block:
    return block if block.data is None else replace(block, data=block.data[rows])
