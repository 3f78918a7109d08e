"""Spans of lines through combinations, from those of the shapes they are made of.

Shapes that know their own spans exactly, as surfaces of triangles do, need no scan of levels.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from piscm.problem.numeric import Floats
from piscm.shapes.sections import Spans

if TYPE_CHECKING:
    from piscm.shapes.shape import Shape


class Ends(NamedTuple):
    """Ends of spans, in order along each line: low, high, low, high, ...

    `owner` is the number of the primitive on whose boundary an end lies.
    """

    line: NDArray[np.intp]
    at: Floats
    owner: NDArray[np.intp]


def ends_of(spans: Spans, owner: int = 0) -> Ends:
    """Both ends of every span, of one owner."""
    line = np.repeat(spans.line, 2)
    at = np.stack([spans.low, spans.high], axis=1).ravel()
    return Ends(line, at, np.full(len(line), owner, dtype=np.intp))


def spans_between(ends: Ends) -> Spans:
    """The spans that have these ends."""
    return Spans(ends.line[::2], ends.at[::2], ends.at[1::2])


def combined_ends(how: str, first: Ends, second: Ends) -> Ends:
    """Where lines enter and leave the union, difference or intersection of two shapes."""
    line = np.concatenate([first.line, second.line])
    at = np.concatenate([first.at, second.at])
    owner = np.concatenate([first.owner, second.owner])
    of_first = np.arange(len(line)) < len(first.line)
    order = np.lexsort((at, line))
    line, at, owner, of_first = line[order], at[order], owner[order], of_first[order]
    # Every line ends outside of both, so counts run on from one line to the next.
    in_first = np.cumsum(of_first) % 2 == 1
    in_second = np.cumsum(~of_first) % 2 == 1
    if how == "union":
        inside = in_first | in_second
    else:
        inside = in_first & (in_second if how == "intersection" else ~in_second)
    changed = np.diff(inside, prepend=False)
    # Where two boundaries coincide, one end is passed at once by the next: nothing lies between.
    kept = np.flatnonzero(changed)
    low, high = kept[::2], kept[1::2]
    wide = at[high] > at[low]
    both = np.stack([low[wide], high[wide]], axis=1).ravel()
    return Ends(line[both], at[both], owner[both])


def scanned_ends(shape: "Shape", axis: int, starts: Floats, spans: Spans) -> Ends:
    """The ends of spans that were found by levels; an owner is whose level is nearest to zero."""
    ends = ends_of(spans)
    points = starts[ends.line]
    points[:, axis] = ends.at
    if not len(points) or len(shape.primitives) == 1:
        return ends
    distance = np.abs([leaf.level(points) for leaf in shape.primitives])
    return ends._replace(owner=distance.argmin(axis=0).astype(np.intp))
