"""Products of shapes in different coordinates: a cross section and time or parameters."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
import sympy
from numpy.typing import ArrayLike, NDArray

from piscm.problem.box import Box
from piscm.problem.domain import Domain, UnitPoints
from piscm.problem.errors import ProblemError
from piscm.problem.numeric import Floats, as_points
from piscm.problem.predicate import Predicate, Where
from piscm.shapes.brick import Brick
from piscm.shapes.primitive import Primitive
from piscm.shapes.shape import Shape

SIDE = "side"


class Product(Shape):
    """All pairs of points of a cross section and of a brick: time, parameters, a height.

    Its parts are those of the cross section, and ``"side"``, the whole boundary of the cross
    section; the ends are ``on={t: 0}``.

    Attributes
    ----------
    section : Shape
    brick : Brick
    """

    section: Shape
    brick: Brick

    def __init__(self, section: Shape, brick: Brick) -> None:
        self._set(
            _coordinates=(*section.coordinates, *brick.coordinates), section=section, brick=brick
        )

    def __repr__(self) -> str:
        return f"{self.section} * {self.brick}"

    @property
    def primitives(self) -> tuple[Primitive, ...]:
        return (*self.section.primitives, self.brick)

    @property
    def _split(self) -> int:
        return self.section.dimension

    @cached_property
    def bounding_box(self) -> Box:
        return Box({**self.section.bounding_box.bounds, **self.brick.bounding_box.bounds})

    def level(self, points: Floats) -> Floats:
        split = self._split
        section, brick = points[:, :split], points[:, split:]
        return np.maximum(self.section.level(section), self.brick.level(brick))

    def inside(self, points: Floats) -> NDArray[np.bool_]:
        section, brick = points[:, : self._split], points[:, self._split :]
        return np.asarray(self.section.inside(section) & self.brick.inside(brick))

    def contains(self, points: ArrayLike) -> NDArray[np.bool_]:
        points = as_points(points, self.dimension)
        split = self._split
        inside = self.section.contains(points[..., :split])
        return np.asarray(inside & self.brick.bounding_box.contains(points[..., split:]))

    def marks(self, axis: int) -> Floats:
        split = self._split
        return self.section.marks(axis) if axis < split else self.brick.marks(axis - split)

    # --- samples ----------------------------------------------------------------------------

    @cached_property
    def filling(self) -> float:
        return self.section.filling

    @cached_property
    def _known_inside(self) -> Floats:
        known = self.section._known_inside
        center = np.tile(self.brick.bounding_box.center, (len(known), 1))
        return np.hstack([known, center])

    def sample_slice(
        self, fixed: Mapping[sympy.Symbol, float], count: int, draw: UnitPoints
    ) -> Floats:
        of_section = {s: v for s, v in fixed.items() if s in self.section.coordinates}
        of_brick = {s: v for s, v in fixed.items() if s in self.brick.coordinates}
        if not of_section:
            return self._above_section(of_brick, count, draw)
        found: Floats = self._paired(
            count,
            draw,
            self.section.dimension - len(of_section),
            lambda many, own: self.section.sample_slice(of_section, many, own),
            of_brick,
        )
        return found

    def _above_section(
        self, fixed: Mapping[sympy.Symbol, float], count: int, draw: UnitPoints
    ) -> Floats:
        """Points of the whole section at some values of the others."""
        box = self.bounding_box
        free = [i for i, symbol in enumerate(self.coordinates) if symbol not in fixed]
        unit = draw(int(np.ceil(count / self.filling)), len(free))
        points = np.empty((len(unit), self.dimension))
        for symbol, value in fixed.items():
            points[:, self.axis(symbol)] = value
        points[:, free] = box.lower[free] + unit * box.width[free]
        inside = points[self.section.inside(points[:, : self._split])]
        return inside if len(inside) else self._known_inside[:1].copy()

    def _paired(
        self,
        count: int,
        draw: UnitPoints,
        across: int,
        sample: Any,
        fixed: Mapping[sympy.Symbol, float],
    ) -> Any:
        """Points of a part of the section, drawn by `sample`, each with a point of the brick.

        All their random numbers are drawn together, so that the pairs are evenly spread.
        """
        free = self.brick.dimension - len(fixed)
        unit = draw(count, across + free) if across + free else np.zeros((1, 0))
        for_brick = unit[:, across:]
        own = sample(len(unit), lambda many, dimension: _cycled(unit[:, :dimension], many))
        points = own[0] if isinstance(own, tuple) else own
        at = self.brick.bounding_box.sample_slice(
            fixed, len(points), lambda many, dimension: _cycled(for_brick, many)
        )
        at = _cycled(at, len(points))
        joined = np.hstack([points, at])
        if not isinstance(own, tuple):
            return joined
        return joined, np.hstack([own[1], np.zeros_like(at)])

    def sample_boundary(
        self, count: int, draw: UnitPoints, part: str | None = None
    ) -> tuple[Floats, Floats]:
        if part is not None:
            inner = None if part == SIDE else part
            return self._sample_side(count, draw, inner)
        # As many points for each face as a box would have: areas would mix units.
        faces = 2 * self.dimension
        side = max(1, round(count * 2 * self.section.dimension / faces))
        points, normals = map(list, zip(self._sample_side(side, draw, None), strict=True))
        share = max(1, round((count - side) / (2 * self.brick.dimension)))
        for symbol in self.brick.coordinates:
            for end, outward in zip(self.span(symbol), (-1.0, 1.0), strict=True):
                face = self._above_section({symbol: end}, share, draw)
                points.append(face)
                normals.append(np.zeros_like(face))
                normals[-1][:, self.axis(symbol)] = outward
        return np.concatenate(points), np.concatenate(normals)

    def _sample_side(self, count: int, draw: UnitPoints, part: str | None) -> tuple[Floats, Floats]:
        across = max(1, self.section.dimension - 1)
        found: tuple[Floats, Floats] = self._paired(
            count,
            draw,
            across,
            lambda many, own: self.section.sample_boundary(many, own, part),
            {},
        )
        return found

    @cached_property
    def parts(self) -> tuple[str, ...]:
        return (SIDE, *self.section.parts)

    def is_part_along(self, part: str, coordinate: sympy.Symbol) -> bool:
        return coordinate in self.brick.coordinates

    # --- windows ----------------------------------------------------------------------------

    def is_product_along(self, coordinate: sympy.Symbol) -> bool:
        return coordinate in self.brick.coordinates or self.section.is_product_along(coordinate)

    def cut(self, coordinate: sympy.Symbol, low: float, high: float) -> "Product":
        if coordinate not in self.brick.coordinates:
            return Product(_as_shape(self.section.cut(coordinate, low, high)), self.brick)
        return Product(self.section, self.brick.cut(coordinate, low, high))

    # --- integrals --------------------------------------------------------------------------

    def chords(
        self, coordinate: sympy.Symbol, points: Floats
    ) -> tuple[NDArray[np.intp], Floats, Floats]:
        if coordinate in self.brick.coordinates:
            return Domain.chords(self, coordinate, points)
        return self.section.chords(coordinate, points[:, : self.section.dimension])

    @property
    def uncertainty(self) -> float:
        return self.section.uncertainty

    def quadrature(self, order: int) -> tuple[Floats, Floats]:
        return _tensor(self.section.quadrature(order), self.brick.quadrature(order))

    def boundary_quadrature(
        self, order: int, part: str | None = None, where: Where | None = None
    ) -> tuple[Floats, Floats, Floats]:
        if part is None:
            raise ProblemError(
                f"The whole boundary of {self} has sides and ends of different units; integrate "
                'over domain.boundary("side"), or over an end of it.'
            )
        if where is not None and not Predicate(where, self.coordinates).symbols <= set(
            self.section.coordinates
        ):
            raise ProblemError(
                f"Integrals where {where} are not known: it may hold the coordinates of "
                f"{self.section} only."
            )
        inner = None if part == SIDE else part
        *side, outward = self.section.boundary_quadrature(order, inner, where)
        brick = self.brick.quadrature(order)
        points, weights = _tensor((side[0], side[1]), brick)
        normals, _ = _tensor((outward, side[1]), (np.zeros_like(brick[0]), brick[1]))
        return points, weights, normals

    def face_quadrature(
        self, face: Mapping[sympy.Symbol, float], order: int
    ) -> tuple[Floats, Floats]:
        ((coordinate, _),) = face.items()
        if coordinate in self.section.coordinates:
            return _tensor(self.section.face_quadrature(face, order), self.brick.quadrature(order))
        return _tensor(
            self.section.quadrature(order), self.brick.bounding_box.face_quadrature(face, order)
        )

    @property
    def document(self) -> Any:
        return {"shape": "product", "of": [self.section.document, self.brick.document]}


def product(first: Domain, second: Domain) -> Domain:
    """The product of two domains, at least one of which is made of ranges."""
    for symbol in first.coordinates:
        if symbol.name in {other.name for other in second.coordinates}:
            raise ProblemError(f"{first} * {second}: both have the coordinate {symbol}.")
    one, other = _as_shape(first), _as_shape(second)
    if isinstance(one, Product):
        return product(one.section, product(one.brick, other))
    if isinstance(other, Brick):
        if isinstance(one, Brick) and one.name is None and other.name is None:
            return Box({**one.bounding_box.bounds, **other.bounding_box.bounds})
        return Product(one, other)
    if isinstance(one, Brick):
        raise ProblemError(f"{first} * {second}: write the cross section first, then the interval.")
    raise ProblemError(
        f"{first} * {second}: one of the two must be an Interval or a Box (time, parameters)."
    )


def _as_shape(domain: Domain) -> Shape:
    if isinstance(domain, Box):
        return Brick(domain)
    if not isinstance(domain, Shape):
        raise ProblemError(f"{domain} cannot be a factor of a product.")
    return domain


def _cycled(rows: Floats, count: int) -> Floats:
    """As many rows as asked for, from the beginning again if there are too few."""
    return rows[np.arange(count) % len(rows)]


def _tensor(first: tuple[Floats, Floats], second: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """All pairs of points, and products of their weights."""
    (a, v), (b, w) = first, second
    points = np.hstack([np.repeat(a, len(b), axis=0), np.tile(b, (len(a), 1))])
    return points, np.repeat(v, len(w)) * np.tile(w, len(v))
