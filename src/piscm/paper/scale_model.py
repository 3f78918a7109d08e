"""Flops, bytes and messages of a solve in patches, counted before any is made.

The elimination is walked through with sizes in the place of matrices: which fronts meet follows
from the grid and the tree alone. Workers have districts, and then the fronts above them, at the
same time; whoever asked draws the points and judges, alone.
"""

from dataclasses import dataclass
from math import ceil

from piscm import Box, coordinates
from piscm.linalg.elimination import Tree, above, districts, leaves
from piscm.patches.coupled import DISTRICT
from piscm.patches.grid import Grid

# Right-hand sides: that of the problem, and two random ones.
_SIDES = 3
# Tasks of a district, and of a branch above it.
_TASKS, _MERGING = 4, 4
# A field and its derivative across are tied on a face, for an equation of second order.
_TIED = 2


@dataclass(frozen=True)
class Counts:
    """What one solve on a square of patches takes.

    Attributes
    ----------
    patches, districts : int
    inner, top : float
        Flops of merging within districts, and above them.
    path : float
        Of those above, the flops of the longest path to the root: what is left of them if all
        that can be merged at the same time is.
    up, down : float
        Bytes from all districts to whoever asked, and back to them: shares, traces and weights.
    messages : int
        Calls of tasks and their answers.
    """

    patches: int
    districts: int
    inner: float
    top: float
    path: float
    up: float
    down: float
    messages: int


@dataclass(frozen=True)
class Constants:
    """What was measured of a machine.

    Attributes
    ----------
    work : float
        Seconds that a patch takes where it is worked on: rows, factor, residual.
    alone : float
        Seconds for each patch of whoever asked: points, nodes, judging.
    rate : float
        Flops per second of merging.
    latency : float
        Seconds of a message (alpha).
    bandwidth : float
        Bytes per second (beta).
    sent : float
        Bytes of a patch that is sent to a worker: points, nodes, equations.
    """

    work: float
    alone: float
    rate: float
    latency: float
    bandwidth: float
    sent: float


@dataclass(frozen=True)
class _Front:
    """What is left of a branch of the tree: the traces that others hold too, and its rows."""

    inside: frozenset[int]
    groups: frozenset[int]
    rows: int


def counted(side: int, nodes: int, terms: int) -> Counts:
    """The counts of `side` × `side` patches of so many nodes and polynomials on a face."""
    x, y = coordinates("x y")
    grid = Grid.even(Box({x: (0, 1), y: (0, 1)}), (side, side))
    holders = {number: {face.first, face.second} for number, face in enumerate(grid.faces)}
    held: dict[int, set[int]] = {number: set() for number in range(len(grid))}
    for group, pair in holders.items():
        for patch in pair:
            held[patch].add(group)
    size = _TIED * terms
    branches = districts(grid.tree, DISTRICT)
    inner = 0.0
    fronts: dict[int, _Front] = {}
    for number, branch in enumerate(branches):
        own = {
            leaf: _Front(frozenset([leaf]), frozenset(held[leaf]), size * len(held[leaf]) + _SIDES)
            for leaf in leaves(branch)
        }
        found, flops, _ = _walked(branch, own, holders, size)
        inner += flops
        fronts[number] = _Front(frozenset([number]), found.groups, found.rows)
    of = {leaf: number for number, branch in enumerate(branches) for leaf in leaves(branch)}
    between = {group: {of[leaf] for leaf in own} for group, own in holders.items()}
    _, top, path = _walked(above(grid.tree, branches), fronts, between, size)
    across = sum(len(own.groups) for own in fronts.values())
    up = 8.0 * sum(own.rows * (size * len(own.groups) + _SIDES) for own in fronts.values())
    weights = 8.0 * _SIDES * nodes * len(grid)
    down = 8.0 * _SIDES * size * across
    messages = 2 * (_TASKS * len(branches) + _MERGING * (2 * len(branches) - 1))
    return Counts(len(grid), len(branches), inner, top, path, up + weights, down, messages)


def _walked(
    tree: Tree, fronts: dict[int, _Front], holders: dict[int, set[int]], size: int
) -> tuple[_Front, float, float]:
    """The front at the root of a tree, and the flops on the way there: all, and one path."""
    if isinstance(tree, int):
        parts, flops, path = [fronts[tree]], 0.0, 0.0
    else:
        branches = [_walked(branch, fronts, holders, size) for branch in tree]
        parts = [front for front, _, _ in branches]
        flops = sum(more for _, more, _ in branches)
        path = max(longest for _, _, longest in branches)
    inside = frozenset().union(*(own.inside for own in parts))
    groups = frozenset().union(*(own.groups for own in parts))
    done = {group for group in groups if holders[group] <= inside}
    if len(parts) == 1 and not done:
        return parts[0], flops, path
    rows, columns = sum(own.rows for own in parts), size * len(groups) + _SIDES
    merging = 2.0 * columns**2 * max(rows - columns / 3, rows / 3)
    left = min(rows, columns) - size * len(done)
    return _Front(inside, groups - done, max(0, left)), flops + merging, path + merging


def predicted(counts: Counts, constants: Constants, workers: int) -> dict[str, float]:
    """Seconds of each part of a solve by so many workers; 0 workers: whoever asked does it all."""
    c = constants
    share = c.work * counts.patches / counts.districts + counts.inner / counts.districts / c.rate
    turns = counts.districts if not workers else ceil(counts.districts / workers)
    parts = {
        "districts": turns * share,
        "alone": c.alone * counts.patches,
        "top": (max(counts.path, counts.top / workers) if workers else counts.top) / c.rate,
    }
    if workers:
        travelling = counts.up + counts.down + c.sent * counts.patches
        parts["messages"] = c.latency * counts.messages + travelling / c.bandwidth
    return parts
