"""Pieces of boundaries, given by exact parametrizations."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from piscm.problem.numeric import Floats


class Spot(NamedTuple):
    """Points of a piece, outward normals of its primitive, and length or area by parameters."""

    points: Floats
    normals: Floats
    stretch: Floats


class Piece(ABC):
    """A smooth piece of the boundary of a primitive.

    Attributes
    ----------
    names : tuple of str
        The names of the parts that it belongs to.
    parameters : int
        The number of parameters, each from 0 to 1.
    even : bool
        Whether uniform parameters give uniform points.
    panels : int
        Panels into which a rule of quadrature divides each parameter.
    """

    even: ClassVar[bool] = True
    panels: ClassVar[int] = 1
    names: tuple[str, ...]

    @property
    @abstractmethod
    def parameters(self) -> int: ...

    @abstractmethod
    def at(self, unit: Floats) -> Spot:
        """The spot at each row of `unit`, shape (points, parameters)."""

    def rule(self, order: int) -> Spot | None:
        """Points whose stretches are weights of quadrature, if the piece has a rule of its own."""
        return None


@dataclass(frozen=True, eq=False)
class End(Piece):
    """An end of an interval, a single point."""

    names: tuple[str, ...]
    point: Floats
    normal: Floats

    parameters = 0

    def at(self, unit: Floats) -> Spot:
        count = len(unit)
        ones = np.ones((count, 1))
        return Spot(self.point * ones, self.normal * ones, np.ones(count))


@dataclass(frozen=True, eq=False)
class Segment(Piece):
    """A straight line; its outward normal points to the right."""

    names: tuple[str, ...]
    start: Floats
    end: Floats

    parameters = 1

    def at(self, unit: Floats) -> Spot:
        along = self.end - self.start
        length = float(np.hypot(*along))
        normal = np.array([along[1], -along[0]]) / length
        # Both ends exactly, where start + 1*(end - start) would round.
        points = (1 - unit) * self.start + unit * self.end
        return Spot(points, np.tile(normal, (len(unit), 1)), np.full(len(unit), length))


@dataclass(frozen=True, eq=False)
class EllipticArc(Piece):
    """A closed ellipse: its center, and two perpendicular half axes as rows of a matrix."""

    names: tuple[str, ...]
    center: Floats
    axes: Floats

    parameters = 1
    even = False
    panels = 4

    def at(self, unit: Floats) -> Spot:
        angle = 2 * np.pi * unit[:, 0]
        cos, sin = np.cos(angle)[:, None], np.sin(angle)[:, None]
        first, second = self.axes
        tangent = -sin * first + cos * second
        speed = np.linalg.norm(tangent, axis=1)
        # A quarter turn to the right of the tangent, if the axes turn to the left.
        turned = np.stack([tangent[:, 1], -tangent[:, 0]], axis=1) / speed[:, None]
        handed = np.sign(first[0] * second[1] - first[1] * second[0])
        return Spot(self.center + cos * first + sin * second, handed * turned, 2 * np.pi * speed)


@dataclass(frozen=True, eq=False)
class Sphere(Piece):
    """The surface of a ball in any number of dimensions."""

    panels = 4

    names: tuple[str, ...]
    center: Floats
    radius: float

    @property
    def parameters(self) -> int:
        dimension = len(self.center)
        return dimension - 1 if dimension <= 3 else dimension

    @property
    def area(self) -> float:
        """Its length, area or higher-dimensional measure."""
        from scipy.special import gamma

        dimension = len(self.center)
        unit = 2 * np.pi ** (dimension / 2) / gamma(dimension / 2)
        return float(unit * self.radius ** (dimension - 1))

    def at(self, unit: Floats) -> Spot:
        outward = directions(unit, len(self.center))
        area = np.full(len(unit), self.area)
        return Spot(self.center + self.radius * outward, outward, area)


def directions(unit: Floats, dimension: int) -> Floats:
    """Uniform directions from uniform numbers."""
    if dimension == 2:
        angle = 2 * np.pi * unit[:, 0]
        return np.stack([np.cos(angle), np.sin(angle)], axis=1)
    if dimension == 3:
        # Slices of equal height of a sphere have equal areas (Archimedes).
        height, angle = 2 * unit[:, 0] - 1, 2 * np.pi * unit[:, 1]
        across = np.sqrt(np.maximum(0.0, 1 - height**2))
        return np.stack([across * np.cos(angle), across * np.sin(angle), height], axis=1)
    from scipy.special import ndtri

    drawn = ndtri(np.clip(unit, 1e-16, 1 - 1e-16))
    return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True))


@dataclass(frozen=True, eq=False)
class Face(Piece):
    """A face of a brick: one coordinate is fixed."""

    names: tuple[str, ...]
    lower: Floats
    upper: Floats
    axis: int
    side: int

    @property
    def parameters(self) -> int:
        return len(self.lower) - 1

    def at(self, unit: Floats) -> Spot:
        free = [i for i in range(len(self.lower)) if i != self.axis]
        points = np.empty((len(unit), len(self.lower)))
        width = self.upper[free] - self.lower[free]
        points[:, free] = self.lower[free] + unit * width
        points[:, self.axis] = self.lower[self.axis] if self.side < 0 else self.upper[self.axis]
        normals = np.zeros_like(points)
        normals[:, self.axis] = self.side
        return Spot(points, normals, np.full(len(unit), float(np.prod(width))))
