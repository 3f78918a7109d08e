r"""Singular functions that belong to a shape: at its re-entrant corners, and in its holes.

Where two straight sides meet at an inner angle omega above pi, the gradient of a solution is
infinite like :math:`r^{\pi/\omega-1}`. Outside of a round hole solutions go on into the hole as
far as its middle, where they have poles: a smooth network must resolve them from outside, the poles
themselves are a handful of functions.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import sympy

from piscm.problem.errors import ProblemError
from piscm.problem.numeric import Floats
from piscm.problem.polar_power import polar_power
from piscm.shapes.ball import Ball
from piscm.shapes.combination import Combination
from piscm.shapes.ellipse import Ellipse
from piscm.shapes.pieces import Face, Segment
from piscm.shapes.shape import Shape

# Corners that are re-entrant by less than this angle are taken for straight.
_STRAIGHT = 0.05
# Powers of a corner's series that are not smooth: those below this.
_SMOOTH = 3.0
# Poles of a hole: their number, and how much larger than it the shape must be to need any.
_POLES, _SMALL = 12, 0.45


class Corner(NamedTuple):
    """A corner: where it is, the direction of its middle, and its inner angle."""

    point: Floats
    middle: float
    angle: float


def corners(shape: Shape) -> list[Corner]:
    """The re-entrant corners between straight sides of a shape in the plane."""
    runs = [run for run in shape.outline.runs if isinstance(run.piece, Segment | Face)]
    ends = []
    for run in runs:
        low, high = run.at(np.array([run.low])), run.at(np.array([run.high]))
        ends.append((low.points[0], high.points[0], low.normals[0]))
    tolerance = 1e-9 * shape.size
    found = []
    for i, (start, end, normal) in enumerate(ends):
        for j, (other_start, other_end, other) in enumerate(ends):
            for at, away in ((start, end), (end, start)):
                for there, gone in ((other_start, other_end), (other_end, other_start)):
                    if i < j and np.abs(at - there).max() < tolerance:
                        found.append(_corner(shape, at, away - at, gone - there, normal, other))
    return [own for own in found if own is not None and own.angle > np.pi + _STRAIGHT]


def _corner(
    shape: Shape, at: Floats, one: Floats, two: Floats, normal: Floats, other: Floats
) -> Corner | None:
    first, second = np.arctan2(one[1], one[0]), np.arctan2(two[1], two[0])
    inward = normal + other
    if not np.hypot(*inward) > 1e-9:
        return None
    middle = float(np.arctan2(-inward[1], -inward[0]))
    half = abs(_turn(first - middle))
    if abs(abs(_turn(second - middle)) - half) > 1e-6:
        return None  # normals of sides that meet at a corner are symmetric about its middle
    return Corner(at, middle, 2.0 * half)


def _turn(angle: float) -> float:
    """An angle between -pi and pi."""
    return float((angle + np.pi) % (2 * np.pi) - np.pi)


def singular_functions(shape: Shape) -> tuple[sympy.Expr, ...]:
    """What is hard for a smooth network in solutions on a shape: at its corners, in its holes.

    Parameters
    ----------
    shape : Shape
        In the plane.
    """
    if not isinstance(shape, Shape):
        raise ProblemError(f"singular_functions needs a shape, not a {type(shape).__name__}.")
    return tuple(_functions(shape))


def has_singular_functions(shape: Shape) -> bool:
    """Whether there are any, which is known long before all of them are."""
    return next(_functions(shape), None) is not None


def _functions(shape: Shape) -> Iterator[sympy.Expr]:
    if shape.dimension == 2:
        yield from _of_corners(shape)
        yield from _of_holes(shape)


def _of_corners(shape: Shape) -> Iterator[sympy.Expr]:
    x, y = shape.coordinates
    for corner in corners(shape):
        cos, sin = np.cos(corner.middle), np.sin(corner.middle)
        a, b = x - float(corner.point[0]), y - float(corner.point[1])
        along, across = float(cos) * a + float(sin) * b, -float(sin) * a + float(cos) * b
        first = sympy.nsimplify(corner.angle / np.pi, rational=True, tolerance=1e-9)
        for number in range(1, 1 + int(_SMOOTH * first)):
            power = number / first
            if power.is_Integer or power > _SMOOTH:
                continue
            # Even and odd about the middle: fields and fluxes given on the sides.
            own = [polar_power(along, across, power, phase) for phase in (0, sympy.pi / 2)]
            yield from own
            # Terms without derivatives, such as those of an eigenvalue, add powers higher by two.
            if power + 2 < _SMOOTH:
                yield from ((a**2 + b**2) * function for function in own)


def _of_holes(shape: Shape) -> Iterator[sympy.Expr]:
    x, y = shape.coordinates
    for center, radius in holes(shape):
        if radius > _SMALL * float(shape.bounding_box.width.min()):
            continue
        a, b = (x - float(center[0])) / radius, (y - float(center[1])) / radius
        yield sympy.log(a**2 + b**2) / 2
        for number in range(1, 1 + _POLES):
            yield polar_power(a, b, sympy.Integer(-number), 0)
            yield polar_power(a, b, sympy.Integer(-number), sympy.pi / 2)


def holes(shape: Shape) -> list[tuple[Floats, float]]:
    """The round holes of a shape, each with its middle and its smaller radius."""
    found = []
    for leaf in _removed(shape):
        box = leaf.bounding_box
        center = (box.lower + box.upper) / 2
        inside = shape.contains(center[None])[0]
        if isinstance(leaf, Ball | Ellipse) and not inside:
            found.append((center, float(box.width.min()) / 2))
    return found


def _removed(shape: Shape, removed: bool = False) -> Iterator[Shape]:
    """The primitives that are taken away from a shape."""
    if isinstance(shape, Combination):
        yield from _removed(shape.first, removed)
        yield from _removed(shape.second, removed != (shape.how == "difference"))
    elif removed:
        yield shape
