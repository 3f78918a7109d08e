"""Lines through a closed surface of triangles: where they enter and leave it, exactly.

A line along the first axis is found in two steps, each in one coordinate: the plane through it cuts
triangles into directed segments, and the line cuts these. Vertices count as above or below, and a
point on an edge is worked out in the same order for both of its triangles, so that no line slips
through between two of them.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from piscm.problem.numeric import Floats
from piscm.shapes.sections import Spans

# Comparisons of planes with vertices, or of lines with segments, that are made at once.
_AT_ONCE = 4_000_000

Whole = NDArray[np.intp]


class Segments(NamedTuple):
    """What planes across the third axis cut out: the number of the plane, and both ends (x, y)."""

    plane: Whole
    start: Floats
    end: Floats

    def between(self, first: int, last: int) -> "Segments":
        """Some that follow each other."""
        own = slice(first, last)
        return Segments(self.plane[own], self.start[own], self.end[own])


class Surface:
    """Triangles that see one axis as the first: `x` along lines, `z` across planes.

    `vertices` has shape (vertices, 3), `faces` (triangles, 3); from outside they turn left.
    """

    def __init__(self, vertices: Floats, faces: Whole, axis: int = 0) -> None:
        order = [axis, *(i for i in range(3) if i != axis)]
        self.order = order
        self.vertices = np.asarray(vertices, dtype=float)[:, order]
        # Two coordinates that change places turn all triangles round.
        self.faces = np.asarray(faces)[:, ::-1] if axis == 1 else np.asarray(faces)

    def sections(self, levels: Floats) -> Segments:
        """The cuts by planes at given values of the third coordinate."""
        corners = self.vertices[:, 2][self.faces]
        low, high = corners.min(axis=1), corners.max(axis=1)
        step = max(1, _AT_ONCE // max(1, len(self.faces)))
        found = []
        for first in range(0, len(levels), step):
            own = levels[first : first + step, None]
            plane, face = np.nonzero((low <= own) & (high > own))
            found.append(self._cut(plane + first, face, levels))
        if not found:
            return Segments(np.zeros(0, dtype=np.intp), np.zeros((0, 2)), np.zeros((0, 2)))
        return Segments(*(np.concatenate(own) for own in zip(*found, strict=True)))

    def _cut(self, plane: Whole, face: Whole, levels: Floats) -> Segments:
        """Each triangle from where its outline rises through the plane to where it sinks."""
        corners = self.faces[face]
        above = self.vertices[corners, 2] > levels[plane, None]
        following = np.roll(above, -1, axis=1)
        rising = (~above & following).argmax(axis=1)
        sinking = (above & ~following).argmax(axis=1)
        rows = np.arange(len(face))
        ends = [
            self._on_edge(corners[rows, own], corners[rows, (own + 1) % 3], levels[plane])
            for own in (rising, sinking)
        ]
        return Segments(plane, *ends)

    def _on_edge(self, one: Whole, other: Whole, levels: Floats) -> Floats:
        first, second = np.minimum(one, other), np.maximum(one, other)
        a, b = self.vertices[first], self.vertices[second]
        share = (levels - a[:, 2]) / (b[:, 2] - a[:, 2])
        return np.asarray(a[:, :2] + share[:, None] * (b - a)[:, :2])

    def spans(self, starts: Floats) -> Spans:
        """What of lines along the axis lies inside, through points of shape (lines, 3)."""
        across = np.asarray(starts, dtype=float)[:, self.order]
        levels, which = np.unique(across[:, 2], return_inverse=True)
        cut = self.sections(levels)
        lines = np.argsort(which, kind="stable")  # those of one plane follow each other
        ends = np.searchsorted(which[lines], np.arange(len(levels) + 1))
        many = np.diff(ends)[cut.plane]  # lines that each segment is held against
        parts = [(lines[:0], np.zeros(0), lines[:0])]
        cuts = np.searchsorted(np.cumsum(many), np.arange(_AT_ONCE, many.sum(), _AT_ONCE))
        for low, high in pairwise([0, *cuts.tolist(), len(many)]):
            own = np.repeat(np.arange(low, high), many[low:high])
            within = np.arange(len(own)) - np.repeat(
                np.cumsum(many[low:high]) - many[low:high], many[low:high]
            )
            parts.append(_crossed(cut, own, lines[ends[cut.plane[own]] + within], across[:, 1]))
        line, at, sign = (np.concatenate(own) for own in zip(*parts, strict=True))
        return _where_wound(line, at, sign)


def _crossed(
    cut: Segments, segment: Whole, line: Whole, values: Floats
) -> tuple[Whole, Floats, Whole]:
    """Lines, places and directions of crossings: 1 where a line enters, -1 where it leaves."""
    y0, y1, value = cut.start[segment, 1], cut.end[segment, 1], values[line]
    crossed = (y0 > value) != (y1 > value)
    segment, line, value = segment[crossed], line[crossed], value[crossed]
    start, end = cut.start[segment], cut.end[segment]
    share = (value - start[:, 1]) / (end[:, 1] - start[:, 1])
    at = start[:, 0] + share * (end[:, 0] - start[:, 0])
    return line, at, np.where(end[:, 1] > start[:, 1], 1, -1)


def _where_wound(line: Whole, at: Floats, sign: Whole) -> Spans:
    """Where the surface winds around a line: bodies that overlap are one."""
    order = np.lexsort((-sign, at, line))
    line, at = line[order], at[order]
    wound = np.cumsum(sign[order])  # 0 again at the end of every line
    before = np.concatenate([[0], wound[:-1]])
    low, high = (wound > 0) & (before <= 0), (wound <= 0) & (before > 0)
    return Spans(line[low], at[low], at[high])
