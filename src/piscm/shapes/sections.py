"""Sections of a shape by lines, found from membership alone, and quadrature built on them.

Along a line a shape is a few spans: membership is scanned, and every change is bisected down to
round-off. For the integral over an area the lines are those at Gauss points across panels; panels
end wherever the pattern of spans changes (a corner, a tangent, a crossing of two boundaries). In
the plane these are known, in space they are found in the same way. Inside a panel the ends of spans
are smooth except for square roots where a line becomes a tangent, and these are removed by
y = c - h cos(theta).
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from piscm.problem.numeric import Floats

if TYPE_CHECKING:
    from piscm.shapes.shape import Shape

# Cells of a scan; what is thinner than a cell may be missed, unless a mark points it out.
_CELLS, _LINES = 64, 64
_NEAR = 1e-4
_APART = 1e-9
# Where levels are small, cells are split again and again, so that thin gaps are seen.
_SPLIT, _REFINEMENTS, _MOST = 4, 9, 24
_BISECTIONS = 52


class Spans(NamedTuple):
    """Intervals of lines that lie inside: the number of the line, and both ends."""

    line: NDArray[np.intp]
    low: Floats
    high: Floats

    def with_others(self, others: "Spans") -> "Spans":
        """These and those of other lines, in order."""
        line, low, high = (
            np.concatenate([one, other]) for one, other in zip(self, others, strict=True)
        )
        order = np.argsort(line, kind="stable")
        return Spans(line[order], low[order], high[order])


def bisected(differs: Callable[[Floats], NDArray[np.bool_]], low: Floats, high: Floats) -> Floats:
    """Where something changes between `low` and `high`; `differs(at)` compares with `low`."""
    low, high = low.copy(), high.copy()
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        beyond = differs(middle)
        high = np.where(beyond, middle, high)
        low = np.where(beyond, low, middle)
    return (low + high) / 2


def grid(low: float, high: float, marks: Floats, cells: int) -> Floats:
    """An even grid with marks added, ends included."""
    inner = marks[(marks > low) & (marks < high)]
    points = np.unique(np.concatenate([np.linspace(low, high, cells + 1), inner]))
    apart = np.diff(points, prepend=-np.inf) > 1e-13 * (high - low)
    return np.asarray(points[apart])


def spans_on_lines(shape: "Shape", axis: int, starts: Floats, margin: float = 0.0) -> Spans:
    """The spans of lines along an axis through given points, shape (lines, coordinates).

    Points up to `margin` away count as inside.
    """

    def level(lines: NDArray[np.intp], values: Floats) -> Floats:
        points = starts[lines]
        points[:, axis] = values
        return shape.level(points) - margin

    low, high = shape.span(shape.coordinates[axis])
    edges = grid(low, high, shape.marks(axis), _CELLS)
    # Midpoints, so that both sides of a mark are seen, the marks themselves, and just off the ends.
    off = _APART * (high - low)
    middles = (edges[1:] + edges[:-1]) / 2
    first = np.sort(np.concatenate([[low + off], middles, edges[1:-1], [high - off]]))
    line = np.repeat(np.arange(len(starts)), len(first))
    at = np.tile(first, len(starts))
    line, at, levels = scanned(level, line, at, level(line, at))
    # A line starts and ends outside: at the ends of the box.
    ends = np.arange(len(starts))
    line = np.concatenate([line, ends, ends])
    at = np.concatenate([at, np.full(len(ends), low), np.full(len(ends), high)])
    inside = np.concatenate([levels <= 0, np.zeros(2 * len(ends), dtype=bool)])
    order = np.lexsort((at, line))
    line, at, inside = line[order], at[order], inside[order]
    change = np.flatnonzero((inside[1:] != inside[:-1]) & (line[1:] == line[:-1]))
    before, own = inside[change], line[change]

    def differs(values: Floats) -> NDArray[np.bool_]:
        return np.asarray((level(own, values) <= 0) != before)

    found = bisected(differs, at[change], at[change + 1])
    return Spans(own[::2], found[::2], found[1::2])


def scanned(
    level: Callable[[NDArray[np.intp], Floats], Floats],
    line: NDArray[np.intp],
    at: Floats,
    levels: Floats,
) -> tuple[NDArray[np.intp], Floats, Floats]:
    """The scan refined where a level so small could hide two changes between neighbors.

    A level changes no faster than the distance, so from one point to the next it cannot reach zero
    and return unless both levels together are smaller than the gap.
    """
    for _ in range(_REFINEMENTS):
        same = (line[1:] == line[:-1]) & ((levels[1:] <= 0) == (levels[:-1] <= 0))
        gap = at[1:] - at[:-1]
        close = np.flatnonzero(same & (np.abs(levels[1:]) + np.abs(levels[:-1]) < gap))
        if not len(close) or len(close) > _MOST * (line[-1] + 1):  # a line along a boundary
            break
        share = np.arange(1, _SPLIT) / _SPLIT
        more = (at[close, None] + gap[close, None] * share).ravel()
        own = np.repeat(line[close], _SPLIT - 1)
        place = np.repeat(close + 1, _SPLIT - 1)
        levels = np.insert(levels, place, level(own, more))
        line, at = np.insert(line, place, own), np.insert(at, place, more)
    return line, at, levels


def gauss(order: int) -> tuple[Floats, Floats]:
    """Gauss-Legendre points and weights on 0 to 1."""
    points, weights = np.polynomial.legendre.leggauss(order)
    return (points + 1) / 2, weights / 2


def line_rule(shape: "Shape", order: int) -> tuple[Floats, Floats]:
    """Quadrature over a shape in one dimension."""
    spans = spans_on_lines(shape, 0, np.zeros((1, 1)))
    points, weights, _ = on_spans(spans, order)
    return points[:, None], weights


def on_spans(spans: Spans, order: int) -> tuple[Floats, Floats, NDArray[np.intp]]:
    """Gauss points on every span: positions, weights and the line of each."""
    unit, share = gauss(order)
    length = (spans.high - spans.low)[:, None]
    points = spans.low[:, None] + length * unit
    return points.ravel(), (length * share).ravel(), np.repeat(spans.line, order)


def area_rule(shape: "Shape", order: int) -> tuple[Floats, Floats]:
    """Quadrature over a shape in two or more dimensions, by lines along its first coordinate."""
    if shape.traced:  # many panels, none of them wide
        order = order // 2 + 2
    starts, shares = _lines(shape, order)
    spans = _spans(shape, starts)
    positions, weights, line = on_spans(spans, order)
    points = starts[line]
    points[:, 0] = positions
    return points, weights * shares[line]


def _spans(shape: "Shape", starts: Floats) -> Spans:
    if not shape.traced:
        return spans_on_lines(shape, 0, starts)
    ends = shape.line_ends(0, starts)
    return Spans(ends.line[::2], ends.at[::2], ends.at[1::2])


def _lines(shape: "Shape", order: int) -> tuple[Floats, Floats]:
    """Points on lines along the first coordinate, and the weight of each line.

    The last coordinate comes first; the panels of each one depend on those before it.
    """
    starts, shares = np.zeros((1, shape.dimension)), np.ones(1)
    for axis in range(shape.dimension - 1, 0, -1):
        made, weights = [], []
        for start, share in zip(starts, shares, strict=True):
            values, own = on_panels(_panels(shape, axis, start), order)
            more = np.tile(start, (len(values), 1))
            more[:, axis] = values
            made.append(more)
            weights.append(share * own)
        starts, shares = np.concatenate(made), np.concatenate(weights)
    return starts, shares


def on_panels(edges: Floats, order: int) -> tuple[Floats, Floats]:
    """Gauss points on panels, with square roots at their ends removed."""
    unit, share = gauss(order)
    angle = np.pi * unit
    middle, half = (edges[1:] + edges[:-1]) / 2, (edges[1:] - edges[:-1]) / 2
    points = middle[:, None] - half[:, None] * np.cos(angle)
    return points.ravel(), (half[:, None] * np.sin(angle) * np.pi * share).ravel()


def _panels(shape: "Shape", axis: int, start: Floats) -> Floats:
    """The ends of panels along a coordinate across which the pattern of spans does not change.

    `start` has the values of the coordinates after it. In space patterns are compared for the
    second coordinate; for later ones, those of whole planes, the panels end at the marks.
    """
    low, high = shape.span(shape.coordinates[axis])
    marks = shape.breaks(axis, start)
    if shape.dimension == 2:  # all changes are at marks and at corners, which are known
        marks = np.concatenate([marks, shape.outline.corners[:, axis]])
    edges = grid(low, high, marks, 1)
    edges = edges[np.diff(edges, prepend=-np.inf) > _APART * (high - low)]
    if axis > 1 or shape.dimension == 2:
        return edges
    looks = (_LINES // 4,) if shape.traced else (_LINES, 1)
    for cells in looks:  # a second look at what lies between those found
        edges = np.union1d(edges, _changes(shape, start, grid(low, high, edges, cells)))
        edges = edges[np.diff(edges, prepend=-np.inf) > _APART * (high - low)]
    return edges


def _changes(shape: "Shape", start: Floats, cells: Floats) -> Floats:
    """Where the pattern of spans changes within cells, seen from their ends and middles."""
    width = np.diff(cells)[:, None]
    seen = (cells[:-1, None] + width * np.array([_NEAR, 0.5, 1 - _NEAR])).ravel()
    patterns = _patterns(shape, start, seen)
    changes = [i for i in range(len(seen) - 1) if i % 3 < 2 and patterns[i] != patterns[i + 1]]
    if not changes:
        return np.zeros(0)
    first = np.array(changes)
    before = [patterns[i] for i in changes]

    def differs(values: Floats) -> NDArray[np.bool_]:
        now = _patterns(shape, start, values)
        return np.array([a != b for a, b in zip(now, before, strict=True)])

    return bisected(differs, seen[first], seen[first + 1])


def _patterns(shape: "Shape", start: Floats, values: Floats) -> list[tuple[int, ...]]:
    """Which primitives bound the spans of lines at values of the second coordinate, in order."""
    starts = np.tile(start, (len(values), 1))
    starts[:, 1] = values
    line, _, owner = shape.line_ends(0, starts)
    return [tuple(owner[line == number]) for number in range(len(values))]
