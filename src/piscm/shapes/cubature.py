"""Cubature over the inside of a closed surface of triangles, with all points inside.

The body is cut by planes across its third coordinate, at Gauss points of panels that end where its
vertices are; each section is cut by lines in the same way, and every line has Gauss points where it
is inside. Between such ends all spans are linear, so that polynomials are integrated exactly.

A surface of many triangles has too many vertices for that. Its panels end where flat faces make
sections jump, and evenly between; then the weights are changed, by fractions that are polynomials
themselves, until all polynomials up to a degree have the integrals that the divergence theorem
gives. What is left is the error of the panels times the part of the integrand that is no such
polynomial.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from piscm.problem.errors import ProblemError
from piscm.problem.numeric import Floats
from piscm.shapes.crossings import Segments, Surface, Whole
from piscm.shapes.sections import gauss, grid

# Points of a panel beside those that its share of the width gives: sections change as squares.
_MORE = 2
# Ends of panels that are closer than this, relative to the width, are one.
_ONE = 1e-9
# Faces and edges whose normal is along the axis up to this make sections jump.
_FLAT = 1e-6
# The degree up to which polynomials are exact whatever the surface, and the largest change of a
# weight that is no sign of a surface which overlaps itself.
_DEGREE, _CHANGE = 6, 0.5
_EXACT = 1e-13
_AT_ONCE = 20_000
# Panels of combinations with other shapes, whose own changes come in addition.
_FEW = 8


class _Breaks(NamedTuple):
    """Values at which sections change, and how much they jump there."""

    values: Floats
    jumps: Floats


def solid_rule(surface: Surface, order: int) -> tuple[Floats, Floats]:
    """Points and weights for integrals over the inside.

    Raises `ProblemError` where lines and the divergence theorem disagree about the volume.
    """
    low, high = surface.vertices.min(axis=0), surface.vertices.max(axis=0)
    levels, shares = _panelled(_flat_faces(surface), low[2], high[2], order)
    starts, weights = [], []
    cut = surface.sections(levels)
    ends = np.searchsorted(cut.plane, np.arange(len(levels) + 1))
    for number, (level, share) in enumerate(zip(levels, shares, strict=True)):
        own = cut.between(ends[number], ends[number + 1])
        if not len(own.plane):
            continue
        breaks = _flat_edges(own)
        values, parts = _panelled(breaks, breaks.values.min(), breaks.values.max(), order)
        starts.append(np.column_stack([np.zeros(len(values)), values, np.full(len(values), level)]))
        weights.append(share * parts)
    lines, amounts = np.concatenate(starts), np.concatenate(weights)
    points, shares = _along(surface, lines, amounts, high[0] - low[0], order)
    shares = _corrected(surface, points, shares)
    back = np.empty_like(points)
    back[:, surface.order] = points
    return back, shares


def _along(
    surface: Surface, lines: Floats, amounts: Floats, width: float, order: int
) -> tuple[Floats, Floats]:
    """Gauss points where lines are inside: fewer of them where that is short."""
    back = np.empty_like(lines)
    back[:, surface.order] = lines
    spans = surface.spans(back)
    lengths = spans.high - spans.low
    counts = _counts(lengths / width, order)
    points, weights = [], []
    for count in np.unique(counts):
        own = counts == count
        unit, share = gauss(int(count))
        made = np.repeat(lines[spans.line[own]], count, axis=0)
        made[:, 0] = (spans.low[own, None] + lengths[own, None] * unit).ravel()
        points.append(made)
        weights.append(((amounts[spans.line] * lengths)[own, None] * share).ravel())
    return np.concatenate(points), np.concatenate(weights)


def _counts(fractions: Floats, order: int) -> Whole:
    return np.minimum(order, _MORE + np.ceil(order * fractions).astype(np.intp))


def _panelled(breaks: _Breaks, low: float, high: float, order: int) -> tuple[Floats, Floats]:
    """Gauss points between breaks, as many as the widths of the panels need."""
    edges = panel_ends(breaks.values, breaks.jumps, low, high, order)
    widths = np.diff(edges)
    points, weights = [], []
    for first, width, count in zip(
        edges[:-1], widths, _counts(widths / (high - low), order), strict=True
    ):
        unit, share = gauss(int(count))
        points.append(first + width * unit)
        weights.append(width * share)
    return np.concatenate(points), np.concatenate(weights)


def panel_ends(values: Floats, jumps: Floats, low: float, high: float, most: int) -> Floats:
    """The ends of at most about so many panels: all values, or the largest jumps and a grid."""
    near = _ONE * (high - low)
    order = np.argsort(values)
    values, jumps = values[order], jumps[order]
    groups = np.cumsum(np.diff(values, prepend=values[0]) > near)
    found = values[np.flatnonzero(np.diff(groups, prepend=-1))]
    if len(found) > most + 1:
        total = np.bincount(groups, weights=jumps)
        large = np.argsort(-total)[: most // 2]
        kept = found[large[total[large] > 0]]
        found = np.concatenate([kept, np.linspace(low, high, most - len(kept) + 1)])
    inner = found[(found > low + near) & (found < high - near)]
    return grid(low, high, inner, 1)


def breaks_of(surface: Surface, axis: int, start: Floats) -> Floats:
    """Where sections across the third axis change, or lines of that at `start`: a few of them."""
    if axis == 2:
        breaks = _flat_faces(surface)
    else:
        breaks = _flat_edges(surface.sections(np.asarray(start[2:3])))
    if not len(breaks.values):
        return np.zeros(0)
    low, high = float(breaks.values.min()), float(breaks.values.max())
    return panel_ends(breaks.values, breaks.jumps, low, high, _FEW)


def _flat_faces(surface: Surface) -> _Breaks:
    corners = surface.vertices[surface.faces]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]) / 2
    flat = np.abs(across[:, :2]).max(axis=1) < _FLAT * np.abs(across[:, 2])
    values = np.concatenate([surface.vertices[:, 2], corners[flat, 0, 2]])
    jumps = np.concatenate([np.zeros(len(surface.vertices)), np.abs(across[flat, 2])])
    return _Breaks(values, jumps)


def _flat_edges(cut: Segments) -> _Breaks:
    step = np.abs(cut.end - cut.start)
    flat = step[:, 1] < _FLAT * step[:, 0]
    values = np.concatenate([cut.start[:, 1], cut.start[flat, 1]])
    return _Breaks(values, np.concatenate([np.zeros(len(step)), step[flat, 0]]))


# --- polynomials --------------------------------------------------------------------------------


def _corrected(surface: Surface, points: Floats, weights: Floats) -> Floats:
    """The weights with which polynomials have their exact integrals."""
    exact = _moments(surface)
    gram, found = np.zeros((len(exact), len(exact))), np.zeros(len(exact))
    for part in _parts(len(points)):
        values = _polynomials(surface, points[part])
        weighted = values * weights[part, None]
        gram += values.T @ weighted
        found += weighted.sum(axis=0)
    if np.abs(exact - found).max() <= _EXACT * exact[0]:
        return weights
    factors = np.linalg.lstsq(gram, exact - found, rcond=1e-12)[0]
    change = np.concatenate(
        [_polynomials(surface, points[part]) @ factors for part in _parts(len(points))]
    )
    if np.abs(change).max() > _CHANGE:
        raise ProblemError(
            f"The surface of {len(surface.faces)} triangles overlaps itself, or its inside is too "
            f"thin for lines to see: they find the volume {found[0]:.6g}, and the surface says "
            f"{exact[0]:.6g}. Integrals over it are not known; trimesh.boolean.union makes one "
            "body of several."
        )
    return np.asarray(weights * (1 + change))


def _parts(count: int) -> Iterator[slice]:
    return (slice(first, first + _AT_ONCE) for first in range(0, count, _AT_ONCE))


def _stretched(surface: Surface, points: Floats) -> tuple[Floats, Floats]:
    """Points between -1 and 1, and half of the widths."""
    low, high = surface.vertices.min(axis=0), surface.vertices.max(axis=0)
    return (points - (low + high) / 2) / ((high - low) / 2), (high - low) / 2


def _powers() -> list[tuple[int, int, int]]:
    own = range(_DEGREE + 1)
    return [(i, j, k) for i in own for j in own for k in own if i + j + k <= _DEGREE]


def _legendre(values: Floats, degree: int) -> Floats:
    return np.asarray(np.polynomial.legendre.legvander(values, degree), dtype=float)


def _polynomials(surface: Surface, points: Floats) -> Floats:
    """Products of Legendre's polynomials, the first of which is 1: (points, polynomials)."""
    unit, _ = _stretched(surface, points)
    x, y, z = (_legendre(own, _DEGREE) for own in unit.T)
    i, j, k = np.array(_powers()).T
    return np.asarray(x[:, i] * y[:, j] * z[:, k])


def _moments(surface: Surface) -> Floats:
    """Their integrals, by the divergence theorem: over the surface, of antiderivatives along x."""
    first, share = gauss(_DEGREE)  # enough for the degree, one more for x, one for the triangle
    s, t = (own.ravel() for own in np.meshgrid(first, first))
    weights = np.outer(share, share).ravel() * (1 - s)
    unit = np.column_stack([s, t * (1 - s)])
    corners = surface.vertices[surface.faces]
    i, j, k = np.array(_powers()).T
    total = np.zeros(len(i))
    for part in _parts(len(corners) * len(unit)):
        own = corners[part.start // len(unit) : part.stop // len(unit)]
        a, b, c = own.transpose(1, 0, 2)
        across = np.cross(b - a, c - a)[:, 0]
        points = a[:, None] + unit[:, :1] * (b - a)[:, None] + unit[:, 1:] * (c - a)[:, None]
        at, half = _stretched(surface, points.reshape(-1, 3))
        amount = (across[:, None] * weights).ravel()
        x, y, z = (_legendre(values, _DEGREE + 1) for values in at.T)
        below = np.hstack([-np.ones((len(x), 1)), x])  # P(-1) stands for -1: the integral of 1
        rising = half[0] * (x[:, i + 1] - below[:, i]) / (2 * i + 1)
        total += amount @ (rising * y[:, j] * z[:, k])
    return total
