"""Boxes of any dimension, including intervals."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import sympy
from numpy.typing import ArrayLike, NDArray

from piscm.problem.domain import Domain, UnitPoints
from piscm.problem.errors import ProblemError, brief
from piscm.problem.frozen import Frozen
from piscm.problem.numeric import Floats, as_points, finite_number
from piscm.problem.predicate import Where
from piscm.problem.symbols import checked_name
from piscm.problem.written import Number

# A point may miss the domain by this fraction of its width: round-off, not a mistake.
_MARGIN = 1e-9
# Bounds beyond this, or widths below its inverse, overflow in squares and high derivatives.
_LARGEST = 1e60
# A range needs this many digits beyond those that its distance from zero takes away.
_RESOLVED = 1e-9


class Box(Frozen, Domain):
    """A box, given as ``{coordinate: (low, high)}``; its order is the order of coordinates.

    Parameters
    ----------
    bounds : mapping of sympy.Symbol to (low, high)
        Python, NumPy or SymPy numbers.

    Attributes
    ----------
    lower, upper, width : ndarray, shape (coordinates,)

    Examples
    --------
    >>> from piscm import coordinates
    >>> x, t = coordinates("x t")
    >>> Box({x: (-1, 1), t: (0, 5)})
    Box(x: [-1, 1], t: [0, 5])
    """

    lower: Floats
    upper: Floats
    _coordinates: tuple[sympy.Symbol, ...]

    def __init__(self, bounds: Mapping[sympy.Symbol, tuple[Number, Number]]) -> None:
        if not isinstance(bounds, Mapping) or not bounds:
            raise ProblemError("A Box needs bounds, as Box({x: (0, 1), t: (0, 5)}).")
        lower, upper = [], []
        for coordinate, interval in bounds.items():
            if not isinstance(coordinate, sympy.Symbol):
                raise ProblemError(
                    f"The box names {brief(coordinate)}, which is not a coordinate: "
                    "make it with coordinates(...)."
                )
            checked_name(coordinate.name)
            low, high = _interval(coordinate, interval)
            lower.append(low)
            upper.append(high)
        names = [coordinate.name for coordinate in bounds]
        if len(set(names)) < len(names):
            raise ProblemError("Two coordinates of the box have the same name.")
        self._set(_coordinates=tuple(bounds), lower=np.array(lower), upper=np.array(upper))

    def __repr__(self) -> str:
        parts = (f"{name}: [{low:g}, {high:g}]" for name, (low, high) in self.bounds.items())
        return f"Box({', '.join(parts)})"

    @property
    def coordinates(self) -> tuple[sympy.Symbol, ...]:
        return self._coordinates

    @property
    def bounds(self) -> dict[sympy.Symbol, tuple[float, float]]:
        """The bounds the box was created with."""
        return {coordinate: self.span(coordinate) for coordinate in self.coordinates}

    @property
    def width(self) -> Floats:
        width: Floats = self.upper - self.lower
        return width

    @property
    def center(self) -> Floats:
        center: Floats = (self.lower + self.upper) / 2
        return center

    @property
    def bounding_box(self) -> "Box":
        return self

    def is_product_along(self, coordinate: sympy.Symbol) -> bool:
        return True

    @property
    def document(self) -> Any:
        return {symbol.name: [low, high] for symbol, (low, high) in self.bounds.items()}

    def sample_inside(self, count: int, draw: UnitPoints) -> Floats:
        return self.sample_slice({}, count, draw)

    def sample_boundary(
        self, count: int, draw: UnitPoints, part: str | None = None
    ) -> tuple[Floats, Floats]:
        """Every face gets the same share of points: areas would mix units (meters with seconds)."""
        if part is not None:
            raise ProblemError(
                f"A box has no part of its boundary named {part!r}: use on={{x: 0}}."
            )
        faces = [(axis, side) for axis in range(self.dimension) for side in (-1, 1)]
        share = max(1, count // len(faces))
        extra = max(0, count - share * len(faces))
        points, normals = [], []
        for number, (axis, side) in enumerate(faces):
            edge = self.lower[axis] if side < 0 else self.upper[axis]
            fixed = {self.coordinates[axis]: float(edge)}
            face = self.sample_slice(fixed, share + (number < extra), draw)
            points.append(face)
            normals.append(np.zeros_like(face))
            normals[-1][:, axis] = side
        return np.concatenate(points), np.concatenate(normals)

    def sample_slice(
        self, fixed: Mapping[sympy.Symbol, float], count: int, draw: UnitPoints
    ) -> Floats:
        free = [i for i, coordinate in enumerate(self.coordinates) if coordinate not in fixed]
        unit = draw(count, len(free)) if free else np.zeros((1, 0))
        points = np.empty((len(unit), self.dimension))
        for coordinate, value in fixed.items():
            points[:, self.axis(coordinate)] = value
        points[:, free] = self.lower[free] + unit * self.width[free]
        return points

    def contains(self, points: ArrayLike) -> NDArray[np.bool_]:
        points = as_points(points, self.dimension)
        margin = _MARGIN * self.width
        inside = (points >= self.lower - margin) & (points <= self.upper + margin)
        return np.asarray(inside.all(axis=-1))

    def quadrature(self, order: int) -> tuple[Floats, Floats]:
        return _gauss(self.lower, self.upper, order)

    def boundary_quadrature(
        self, order: int, part: str | None = None, where: Where | None = None
    ) -> tuple[Floats, Floats, Floats]:
        if part is not None:
            raise ProblemError(f"A box has no part of its boundary named {part!r}.")
        if where is not None:
            raise ProblemError(
                f"Integrals where {where} are not known on a Box; write it as a Rectangle or Brick."
            )
        found = []
        for coordinate in self.coordinates:
            for side, edge in zip((-1.0, 1.0), self.span(coordinate), strict=True):
                points, weights = self.face_quadrature({coordinate: edge}, order)
                normals = np.zeros_like(points)
                normals[:, self.axis(coordinate)] = side
                found.append((points, weights, normals))
        points, weights, normals = (np.concatenate(own) for own in zip(*found, strict=True))
        return points, weights, normals

    def face_quadrature(
        self, face: Mapping[sympy.Symbol, float], order: int
    ) -> tuple[Floats, Floats]:
        ((coordinate, value),) = face.items()
        axis = self.axis(coordinate)
        across = [i for i in range(self.dimension) if i != axis]
        points, weights = _gauss(self.lower[across], self.upper[across], order)
        return np.insert(points, axis, value, axis=1), weights

    def cut(self, coordinate: sympy.Symbol, low: float, high: float) -> "Box":
        return Box({**self.bounds, coordinate: (low, high)})


def _gauss(lower: Floats, upper: Floats, order: int) -> tuple[Floats, Floats]:
    """Gauss-Legendre points of a box, and their weights."""
    points, weights = np.polynomial.legendre.leggauss(order)
    if not len(lower):
        return np.zeros((1, 0)), np.ones(1)
    axes = [
        (low + high) / 2 + (high - low) / 2 * points for low, high in zip(lower, upper, strict=True)
    ]
    mesh = np.meshgrid(*axes, indexing="ij")
    shares = np.meshgrid(*[weights] * len(axes), indexing="ij")
    scale = float(np.prod((upper - lower) / 2))
    each = np.prod([own.ravel() for own in shares], axis=0)
    return np.stack([own.ravel() for own in mesh], axis=1), np.asarray(scale * each)


def _interval(coordinate: sympy.Symbol, given: Any) -> tuple[float, float]:
    name = coordinate.name  # SymPy takes long to print a symbol, and a grid has many boxes
    # A set has no order, and the two characters of "01" are not meant as numbers.
    if not isinstance(given, tuple | list | np.ndarray | sympy.Tuple) or len(given) != 2:
        raise ProblemError(f"The bounds of {name} are {brief(given)}; give a pair (low, high).")
    low = finite_number(given[0], f"The lower bound of {name}")
    high = finite_number(given[1], f"The upper bound of {name}")
    if not low < high:
        raise ProblemError(f"The range of {name} is empty: {low:g} is not below {high:g}.")
    largest = max(abs(low), abs(high))
    if not largest < _LARGEST or not high - low > 1 / _LARGEST:
        raise ProblemError(
            f"The range of {name}, {low:g} to {high:g}, cannot be squared in floating-point "
            "numbers: choose other units."
        )
    if high - low < _RESOLVED * largest:
        raise ProblemError(
            f"The range of {name}, {low:g} to {high:g}, is too narrow for its distance from "
            "zero: floating-point numbers leave it too few digits. Measure it from its lower end."
        )
    return low, high
