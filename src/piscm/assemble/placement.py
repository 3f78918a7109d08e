"""Where the rows of every block stand, at which points, and what weighs them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from piscm.compile.blocks import Block, Compiled, feature_of
from piscm.network.nodes import Feature
from piscm.problem.problem import Problem

Floats = NDArray[np.float64]
Points = Sequence[tuple[Floats, ...]]
"""For each block its arrays of points, as `piscm.assemble.sampling.block_points` gives them."""


@dataclass(frozen=True)
class Leg:
    """A block at one set of points (a periodic block has two, with opposite signs)."""

    sign: float
    columns: slice  # where its points stand among all points
    jet_features: tuple[Feature, ...]  # for each jet of the block: its feature ...
    jet_fields: tuple[int, ...]  # ... and its field

    @property
    def size(self) -> int:
        return int(self.columns.stop - self.columns.start)


@dataclass(frozen=True)
class Placed:
    """A block with its points and its rows."""

    block: Block
    legs: tuple[Leg, ...]
    rows: slice
    scale: Floats  # the square root of the weight, for all rows or each
    nonlinear_legs: slice  # where its legs stand among those of all nonlinear blocks


def place(
    problem: Problem,
    blocks: Sequence[Block],
    points: Points,
    weights: Mapping[str, float],
    emphasis: Mapping[int, Floats],
) -> tuple[Floats, list[Placed]]:
    """All points as one array, and the blocks with their rows, the linear ones first."""
    every, columns = _stack(points)
    counts = divisors(blocks, points)
    placed: list[Placed] = []
    row = leg = 0
    for i in sorted(range(len(blocks)), key=lambda i: not blocks[i].compiled.linear):
        block = blocks[i]
        legs = tuple(
            _leg(problem, block.compiled, sign, columns[id(array)])
            for sign, array in zip(block.signs, points[i], strict=True)
        )
        weight = weights[block.kind] * block.weight / counts[block.kind]
        scale = np.sqrt(weight * emphasis.get(i, np.ones(1)))
        rows = slice(row, row + len(points[i][0]))
        nonlinear = slice(leg, leg if block.compiled.linear else leg + len(legs))
        placed.append(Placed(block, legs, rows, scale, nonlinear))
        row, leg = rows.stop, nonlinear.stop
    return every, placed


def _leg(problem: Problem, compiled: Compiled, sign: float, columns: slice) -> Leg:
    coordinates = problem.domain.coordinates
    features = tuple(feature_of(jet, problem.fields, coordinates) for jet in compiled.jets)
    return Leg(sign, columns, features, tuple(jet.field for jet in compiled.jets))


def _stack(points: Points) -> tuple[Floats, dict[int, slice]]:
    """All distinct arrays of points as one, and where each of them stands (by its id)."""
    arrays = {id(array): array for group in points for array in group}
    columns, first = {}, 0
    for key, array in arrays.items():
        columns[key] = slice(first, first + len(array))
        first += len(array)
    return np.concatenate(list(arrays.values())), columns


def divisors(blocks: Sequence[Block], points: Points) -> dict[str, int]:
    """What the weight of a kind is divided by.

    The paper's N_p is the number of collocation points, whatever the number of equations; N_b and
    N_d are the numbers of all rows of their kind, so that all conditions share one weight.
    """
    counts = {"equations": 1, "conditions": 0, "observations": 0}
    for block, group in zip(blocks, points, strict=True):
        if block.kind == "equations":
            counts["equations"] = len(group[0])
        else:
            counts[block.kind] += len(group[0])
    return counts
