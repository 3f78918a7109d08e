"""The rows of every block: their position, their points and their weights."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.sites import Points
from piscm.assemble.weighting import Emphasis, row_weights
from piscm.compile.blocks import Block
from piscm.compile.expression import Compiled
from piscm.network.nodes import Feature, feature_of
from piscm.problem.place import Leg, combined
from piscm.problem.problem import Problem

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PlacedLeg:
    """A leg among all points, with the features of the nodes that its block sees there.

    Attributes
    ----------
    leg : Leg
    compiled : Compiled
        The expression whose values at the points count.
    seen : ndarray
        What the functions of `compiled` take of the points.
    columns : slice
        Position of its points among all points.
    jet_features, jet_fields : tuples
        The feature and the field of each of its jets.
    reduction : ndarray or sparse matrix, shape (rows, points), or None
        Maps values at points to weighted rows, where a row is a sum over points.
    """

    leg: Leg
    compiled: Compiled
    seen: Floats
    columns: slice
    jet_features: tuple[Feature, ...]
    jet_fields: tuple[int, ...]
    reduction: Any

    @property
    def size(self) -> int:
        """The number of points."""
        return len(self.leg.points)


@dataclass(frozen=True)
class Placed:
    """A block with its points and its rows.

    Attributes
    ----------
    block : Block
    number : int
        Index of the block.
    legs : tuple of PlacedLeg
    rows : slice
    root_weight : ndarray
        The square root of the row weight: one for all rows, or one for each.
    target : ndarray or None
        The values the rows must equal.
    nonlinear_legs : slice
        Position of its legs among those of all nonlinear blocks.
    """

    block: Block
    number: int
    legs: tuple[PlacedLeg, ...]
    rows: slice
    root_weight: Floats
    target: Floats | None
    nonlinear_legs: slice

    def rows_of(self, values: Sequence[Floats]) -> Floats:
        """Weighted rows from values at the points of each leg, shape (..., points)."""
        return np.asarray(self.root_weight * combined([leg.leg for leg in self.legs], values))

    def residual(self, values: Sequence[Floats]) -> Floats:
        """The weighted residual from the values of the expression at the points of each leg."""
        total = combined([leg.leg for leg in self.legs], values)
        return np.asarray(
            self.root_weight * (total if self.target is None else total - self.target)
        )

    def partials(self, leg: PlacedLeg, values: Floats) -> Floats:
        """Partials at the points of a leg, weighted unless the leg's reduction does so."""
        return values if leg.reduction is not None else leg.leg.sign * self.root_weight * values


def place(
    problem: Problem,
    blocks: Sequence[Block],
    points: Points,
    weights: Mapping[str, float],
    emphasis: Emphasis,
) -> tuple[Floats, list[Placed]]:
    """All points as one array, and the blocks with their rows, linear blocks first."""
    every, columns = _stack(points)
    each = row_weights(blocks, points, weights)
    placed: list[Placed] = []
    row = nonlinear = 0
    for i in sorted(range(len(blocks)), key=lambda i: not blocks[i].linear):
        block, site = blocks[i], points.of_block[i]
        precision = 1.0 if block.precision is None else block.precision
        root = np.sqrt(each[i] * emphasis.get(i, np.ones(1)) * precision)
        legs = tuple(
            _placed_leg(problem, block.of_leg(number), leg, where, root)
            for number, (leg, where) in enumerate(zip(points[i], columns[site], strict=True))
        )
        rows = slice(row, row + points.sites[site].rows)
        own = slice(nonlinear, nonlinear if block.linear else nonlinear + len(legs))
        placed.append(Placed(block, i, legs, rows, root, block.target(points[i]), own))
        row, nonlinear = rows.stop, own.stop
    return every, placed


def _placed_leg(
    problem: Problem, compiled: Compiled, leg: Leg, columns: slice, root_weight: Floats
) -> PlacedLeg:
    features = tuple(feature_of(jet, problem) for jet in compiled.jets)
    fields = tuple(jet.field for jet in compiled.jets)
    reduction = None
    if isinstance(leg.sums, np.ndarray):
        reduction = leg.sign * root_weight[:, None] * leg.sums
    elif leg.sums is not None:
        reduction = leg.sums.multiply(leg.sign * root_weight[:, None]).tocsr()
    return PlacedLeg(leg, compiled, compiled.seen(leg), columns, features, fields, reduction)


def _stack(points: Points) -> tuple[Floats, list[list[slice]]]:
    """The points of all sites as one array, and the position of each leg of each site in it."""
    arrays: list[Floats] = []
    columns: list[list[slice]] = []
    first = 0
    for site in points.sites:
        columns.append([])
        for leg in site.legs:
            columns[-1].append(slice(first, first + len(leg.points)))
            arrays.append(leg.points)
            first += len(leg.points)
    return np.concatenate(arrays), columns
