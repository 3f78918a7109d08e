"""What all shapes have in common: sampling, queries, and the operators that combine them."""

from abc import abstractmethod
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy
from numpy.typing import ArrayLike, NDArray

from piscm.problem.box import Box
from piscm.problem.domain import Domain, UnitPoints
from piscm.problem.errors import ProblemError
from piscm.problem.frozen import Frozen
from piscm.problem.numeric import Floats, as_points
from piscm.problem.predicate import Predicate, Where
from piscm.problem.written import Number
from piscm.shapes.chords import Ends, scanned_ends, spans_between
from piscm.shapes.outline import Outline
from piscm.shapes.sections import Spans, area_rule, line_rule, spans_on_lines

if TYPE_CHECKING:
    from piscm.shapes.primitive import Primitive

# A point may miss a shape by this fraction of its width: round-off, not a mistake.
_MARGIN = 1e-9
# What levels may be off by: of the width, and of coordinates that are large compared with it.
_FUZZ, _FAR_FUZZ = 1e-12, 1e-14
# Fixed points that tell how much of its bounding box a shape fills; a thousandth still shows.
_LOOK = 16384


class Shape(Frozen, Domain):
    """A domain described by geometry; combine shapes with ``|``, ``-``, ``&`` and ``*``.

    ``|`` is the union, ``-`` the difference, ``&`` the intersection, and ``*`` the product with a
    shape in other coordinates, such as an `Interval` of time.
    """

    _coordinates: tuple[sympy.Symbol, ...]

    @property
    def coordinates(self) -> tuple[sympy.Symbol, ...]:
        return self._coordinates

    @property
    @abstractmethod
    def primitives(self) -> tuple["Primitive", ...]:
        """The primitives it is made of, in the order they were written."""

    @abstractmethod
    def level(self, points: Floats) -> Floats:
        """Negative inside, positive outside, zero on the boundary.

        In size about the distance to the boundary, and never more than that.
        """

    def inside(self, points: Floats) -> NDArray[np.bool_]:
        """Which points lie strictly inside; what the level says, where that is known sooner."""
        return np.asarray(self.level(points) < 0)

    @abstractmethod
    def marks(self, axis: int) -> Floats:
        """Values of a coordinate at which sections change: corners, tangents, centers."""

    @property
    def traced(self) -> bool:
        """Whether lines through it are known without a scan of its level."""
        return False

    def breaks(self, axis: int, start: Floats) -> Floats:
        """Values at which lines along the first coordinate meet corners or edges that they see.

        `start` has the coordinates after this one: those of the plane that is looked at.
        """
        return self.marks(axis)

    def line_ends(self, axis: int, starts: Floats) -> Ends:
        """Where lines along a coordinate, through points (lines, coordinates), enter and leave."""
        return scanned_ends(self, axis, starts, spans_on_lines(self, axis, starts))

    def chords(
        self, coordinate: sympy.Symbol, points: Floats
    ) -> tuple[NDArray[np.intp], Floats, Floats]:
        if self.is_product_along(coordinate):
            return Domain.chords(self, coordinate, points)
        axis = self.axis(coordinate)
        spans = self._spans(axis, points)
        missed = np.setdiff1d(np.arange(len(points)), spans.line)
        if len(missed):  # lines in a face, which round-off leaves outside
            center = self.bounding_box.center
            inward = points[missed] + _FUZZ * self.size * np.sign(center - points[missed])
            more = self._spans(axis, inward)
            spans = spans.with_others(more._replace(line=missed[more.line]))
        return spans.line, spans.low, spans.high

    def _spans(self, axis: int, points: Floats) -> Spans:
        if self.traced:
            return spans_between(self.line_ends(axis, points))
        return spans_on_lines(self, axis, points)

    @property
    def size(self) -> float:
        """The largest width."""
        return float(self.bounding_box.width.max())

    @cached_property
    def margin(self) -> float:
        """How far off a point counts as lying on the boundary."""
        return _MARGIN * self.size + self.fuzz

    @cached_property
    def fuzz(self) -> float:
        """The round-off of levels."""
        box = self.bounding_box
        far = float(np.abs([box.lower, box.upper]).max())
        return _FUZZ * self.size + _FAR_FUZZ * far

    def contains(self, points: ArrayLike) -> NDArray[np.bool_]:
        points = as_points(points, self.dimension)
        flat = points.reshape(-1, self.dimension)
        inside = np.zeros(len(flat), dtype=bool)
        near = self.bounding_box.contains(flat)  # and finite
        inside[near] = self.inside(flat[near])
        left = near & ~inside
        if left.any():
            inside[left] = self.level(flat[left]) <= self.margin
        return inside.reshape(points.shape[:-1])

    # --- samples ----------------------------------------------------------------------------

    def sample_inside(self, count: int, draw: UnitPoints) -> Floats:
        box = self.bounding_box
        many = int(np.ceil(count / self.filling))
        points = box.lower + draw(many, self.dimension) * box.width
        inside = points[self.inside(points)]
        return inside if len(inside) else self._known_inside[:1].copy()

    @cached_property
    def filling(self) -> float:
        """The share of its bounding box that it fills."""
        return len(self._known_inside) / _LOOK

    @cached_property
    def _known_inside(self) -> Floats:
        box = self.bounding_box
        points = box.lower + spread(_LOOK, self.dimension) * box.width
        inside = points[self.inside(points)]
        if not len(inside):
            raise ProblemError(f"{self} is empty, or too thin to find a point inside.")
        return inside

    def sample_slice(
        self, fixed: Mapping[sympy.Symbol, float], count: int, draw: UnitPoints
    ) -> Floats:
        free = [i for i, symbol in enumerate(self.coordinates) if symbol not in fixed]
        start = self.bounding_box.lower.copy()
        for symbol, value in fixed.items():
            start[self.axis(symbol)] = value
        if not free:
            return start[None]
        if len(free) == 1:
            return self._on_line(start, free[0], draw(count, 1)[:, 0])
        found = self._in_slice(start, free, draw, 4 * count)
        wanted = int(np.ceil(4 * count * count / max(1, len(found))))
        found = self._in_slice(start, free, draw, wanted)
        if not len(found):
            raise ProblemError(f"{_at(fixed)} does not meet {self}.")
        return found

    def _in_slice(self, start: Floats, free: list[int], draw: UnitPoints, count: int) -> Floats:
        box = self.bounding_box
        unit = draw(count, len(free))
        points = np.tile(start, (len(unit), 1))
        points[:, free] = box.lower[free] + unit * box.width[free]
        return points[self.level(points) <= self.margin]

    def _on_line(self, start: Floats, axis: int, unit: Floats) -> Floats:
        spans = spans_on_lines(self, axis, start[None], self.margin)
        lengths = spans.high - spans.low
        if not len(lengths) or lengths.sum() <= 0:
            raise ProblemError(
                f"The line through {tuple(start)} along {self.coordinates[axis]} does not meet "
                f"{self}."
            )
        ends = np.cumsum(lengths)
        at = unit * ends[-1]
        which = np.minimum(np.searchsorted(ends, at, side="right"), len(ends) - 1)
        points = np.tile(start, (len(unit), 1))
        points[:, axis] = spans.low[which] + at - (ends[which] - lengths[which])
        return points

    def sample_boundary(
        self, count: int, draw: UnitPoints, part: str | None = None
    ) -> tuple[Floats, Floats]:
        if part is not None and part not in self.parts:
            known = ", ".join(self.parts) or "none"
            raise ProblemError(f"{self} has no part of its boundary named {part!r} ({known}).")
        return self.outline.sample(count, draw, part)

    @cached_property
    def outline(self) -> Outline:
        """The boundary."""
        return Outline(self)

    @cached_property
    def parts(self) -> tuple[str, ...]:
        return self.outline.names

    # --- integrals --------------------------------------------------------------------------

    def quadrature(self, order: int) -> tuple[Floats, Floats]:
        if self.dimension == 1:
            return line_rule(self, order)
        return area_rule(self, order)

    def boundary_quadrature(
        self, order: int, part: str | None = None, where: Where | None = None
    ) -> tuple[Floats, Floats, Floats]:
        holds = None if where is None else Predicate(where, self.coordinates)
        return self.outline.rule(order, part, holds)

    # --- combinations -----------------------------------------------------------------------

    def buffer(self, distance: Number) -> "Shape":
        """Grown by a distance, or shrunk by a negative one, where that is known exactly."""
        raise ProblemError(
            f"{self} cannot be grown or shrunk by a distance exactly. Write a larger or smaller "
            "one yourself, or a Polygon with many corners in the plane."
        )

    def cut(self, coordinate: sympy.Symbol, low: float, high: float) -> Domain:
        raise ProblemError(f"{self} is not the same along {coordinate}, so it cannot be cut.")

    def __or__(self, other: Any) -> "Shape":
        return self._combined("union", self, other)

    def __and__(self, other: Any) -> "Shape":
        return self._combined("intersection", self, other)

    def __sub__(self, other: Any) -> "Shape":
        return self._combined("difference", self, other)

    def __ror__(self, other: Any) -> "Shape":
        return self._combined("union", other, self)

    def __rand__(self, other: Any) -> "Shape":
        return self._combined("intersection", other, self)

    def __rsub__(self, other: Any) -> "Shape":
        return self._combined("difference", other, self)

    def __mul__(self, other: Any) -> Domain:
        from piscm.shapes.product import product

        return product(self, other) if isinstance(other, Domain) else NotImplemented

    def __rmul__(self, other: Any) -> Domain:
        from piscm.shapes.product import product

        return product(other, self) if isinstance(other, Domain) else NotImplemented

    def _combined(self, how: str, first: Any, second: Any) -> "Shape":
        from piscm.shapes.combination import combined
        from piscm.shapes.geometry import is_geometry
        from piscm.shapes.polygon import Polygon

        first, second = (
            Polygon(self.coordinates, own) if is_geometry(own) else own for own in (first, second)
        )
        both = isinstance(first, Shape | Box) and isinstance(second, Shape | Box)
        return combined(how, first, second) if both else NotImplemented


def _at(fixed: Mapping[sympy.Symbol, float]) -> str:
    return ", ".join(f"{symbol} = {value:g}" for symbol, value in fixed.items())


def spread(count: int, dimension: int) -> Floats:
    """Evenly spread points of the unit cube, always the same: multiples of irrational steps."""
    ratio = 2.0
    for _ in range(64):  # the positive root of ratio**(dimension + 1) = ratio + 1
        ratio = (1 + ratio) ** (1 / (dimension + 1))
    steps = ratio ** -np.arange(1.0, dimension + 1)
    return np.asarray((0.5 + np.arange(1, count + 1)[:, None] * steps) % 1.0)
