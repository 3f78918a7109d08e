"""Windows of a problem: which coordinate can be marched along, and what holds in each window.

The user's initial conditions are all conditions on the low face of the coordinate. In the first
window they stand as they are. In the others the same expressions are tied to the values that they
have at the end of the window before: ``u - f(x)`` there hands on u, ``u.diff(t)`` its slope.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import sympy
from numpy.typing import NDArray
from sympy.core.function import AppliedUndef

from piscm.assemble.sampling import Density
from piscm.compile.blocks import Block
from piscm.network.model import Network
from piscm.problem.conditions import Condition, Periodic, Place
from piscm.problem.domain import Box
from piscm.problem.errors import ProblemError
from piscm.problem.problem import Problem

Floats = NDArray[np.float64]


def marching_coordinate(problem: Problem) -> sympy.Symbol | None:
    """The coordinate that plays the part of time, or None."""
    for coordinate in problem.domain.coordinates:
        if obstacle(problem, coordinate) is None:
            return coordinate
    return None


def checked_coordinate(problem: Problem, coordinate: sympy.Symbol) -> sympy.Symbol:
    """The coordinate, if the problem can be marched along it."""
    problem.domain.axis(coordinate)
    reason = obstacle(problem, coordinate)
    if reason is not None:
        raise ProblemError(f"Windows along {coordinate}: {reason}.")
    return coordinate


def obstacle(problem: Problem, coordinate: sympy.Symbol) -> str | None:
    """What stands in the way of marching along a coordinate, in words."""
    axis = problem.domain.axis(coordinate)
    low, high = problem.domain.lower[axis], problem.domain.upper[axis]
    values = set()
    for condition in problem.conditions:
        if isinstance(condition, Periodic):
            if condition.along == coordinate:
                return f"the condition {condition} ties its two ends"
        elif isinstance(condition.on, str):
            return f"the condition {condition} holds at its upper end too"
        else:
            values |= {place[coordinate] for place in condition.on if coordinate in place}
    if low not in values:
        return f"no condition holds on {coordinate} = {low:g}, so there is nothing to start from"
    if high in values:
        return f"a condition holds at its upper end, {coordinate} = {high:g}"
    initial = [item for item in problem.conditions if _begins(item, coordinate, low)]
    needed = sum(_order(problem, item, coordinate) for item in problem.fields)
    if len(initial) < needed:
        return (
            f"{len(initial)} conditions on {coordinate} = {low:g} do not determine what comes "
            f"after: the equations are of order {needed} in it"
        )
    return None


def _begins(condition: Condition | Periodic, coordinate: sympy.Symbol, low: float) -> bool:
    if isinstance(condition, Periodic) or isinstance(condition.on, str):
        return False
    places = condition.on
    return any(place.get(coordinate) == low for place in places)


def _order(problem: Problem, item: AppliedUndef, coordinate: sympy.Symbol) -> int:
    """The highest derivative of a field along the coordinate in any equation."""
    orders = [0]
    for equation in problem.equations:
        for derivative in equation.atoms(sympy.Derivative):
            if derivative.expr == item:
                orders.append(int(dict(derivative.variable_count).get(coordinate, 0)))
    return max(orders)


def window_box(problem: Problem, coordinate: sympy.Symbol, low: float, high: float) -> Box:
    """The domain between two values of the coordinate."""
    box = problem.domain
    bounds = dict(zip(box.coordinates, zip(box.lower, box.upper, strict=True), strict=True))
    bounds[coordinate] = (low, high)
    return Box(bounds)


def window_blocks(
    problem: Problem, blocks: Sequence[Block], coordinate: sympy.Symbol, low: float, high: float
) -> tuple[list[Block], list[int]]:
    """What must hold in a window, and which of it is handed on from the window before."""
    start = float(problem.domain.lower[problem.domain.axis(coordinate)])
    cut: list[Block] = []
    handed: list[int] = []
    for block in blocks:
        if not isinstance(block.place, tuple):
            cut.append(block)
            continue
        initial = [place for place in block.place if place.get(coordinate) == start]
        others = [place for place in block.place if _inside(place, coordinate, start, low, high)]
        if initial:
            if low != start:
                handed.append(len(cut))
            moved: tuple[Place, ...] = tuple({**place, coordinate: low} for place in initial)
            cut.append(replace(block, place=moved))
        if others:
            cut.append(replace(block, place=tuple(others)))
    return cut, handed


def _inside(place: Place, coordinate: sympy.Symbol, start: float, low: float, high: float) -> bool:
    if coordinate not in place:
        return True
    return place[coordinate] != start and low < place[coordinate] <= high


def with_values_of(
    blocks: Sequence[Block],
    handed: Sequence[int],
    points: Sequence[tuple[Floats, ...]],
    before: Network | None,
) -> list[Block]:
    """The blocks, with those that are handed on tied to what the window before has there."""
    tied = list(blocks)
    for index in handed:
        assert before is not None
        values = before.value(blocks[index].compiled, points[index][0])
        tied[index] = replace(blocks[index], data=values)
    return tied


def in_window(points: Floats, domain: Box, axis: int, low: float, high: float) -> NDArray[np.bool_]:
    """Which points lie in a window: each is in one, those at an edge in the window before it."""
    at = points[:, axis]
    after = (at > low) | (low <= domain.lower[axis])
    return np.asarray(after & ((at <= high) | (high >= domain.upper[axis])))


def observed_inside(
    blocks: Sequence[Block],
    handed: Sequence[int],
    points: Sequence[tuple[Floats, ...]],
    domain: Box,
    axis: int,
    low: float,
    high: float,
) -> tuple[list[Block], list[int], list[tuple[Floats, ...]]]:
    """Blocks and points with those observations that lie in a window; none is in two."""
    kept_blocks: list[Block] = []
    kept_points: list[tuple[Floats, ...]] = []
    kept_handed: list[int] = []
    for index, (block, own) in enumerate(zip(blocks, points, strict=True)):
        if block.kind == "observations":
            inside = in_window(own[0], domain, axis, low, high)
            if not inside.any():
                continue
            assert block.data is not None
            block, own = replace(block, data=block.data[inside]), (own[0][inside],)
        if index in handed:
            kept_handed.append(len(kept_blocks))
        kept_blocks.append(block)
        kept_points.append(own)
    return kept_blocks, kept_handed, kept_points


def steepness(problem: Problem, coordinate: sympy.Symbol, before: Network) -> Density:
    """Where the fields are steep as the window before ends: points should stand closer there."""
    box = before.problem.domain
    axis = box.axis(coordinate)
    across = [(i, other) for i, other in enumerate(box.coordinates) if i != axis]
    slopes = [
        (box.width[i], before.compile(item.diff(other)))
        for item in problem.fields
        for i, other in across
        if other in item.args
    ]

    def density(points: Floats) -> Floats:
        there = points.copy()
        there[:, axis] = box.upper[axis]
        total = np.zeros(len(points))
        for width, slope in slopes:
            size = np.abs(before.value(slope, there)) * width
            total += size / (size.mean() or 1.0)
        return total if total.sum() > 0 else np.ones(len(points))

    return density
