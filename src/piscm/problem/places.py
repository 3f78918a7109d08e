"""The places where something can be required to hold."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy

from piscm.problem.domain import Domain
from piscm.problem.errors import ProblemError
from piscm.problem.frozen import ReadOnly
from piscm.problem.numeric import Floats
from piscm.problem.place import Cut, Drawing, Kept, Leg, Legs, Place

# A value may miss the end of a domain by this fraction of its width: round-off, not a mistake.
_ROUND_OFF = 1e-9

Slice = Mapping[sympy.Symbol, float]
"""A face, edge or point: the coordinates that are fixed there, and their values."""


@dataclass(frozen=True)
class Interior(Place):
    """The whole domain."""

    def sample(self, domain: Domain, drawing: Drawing) -> Legs:
        def points(count: int) -> Floats:
            return domain.sample_inside(count, drawing.draw)

        return (Leg(drawing.crowd(points, drawing.interior)),)

    @property
    def key(self) -> Hashable:
        return "interior"

    def __str__(self) -> str:
        return "the interior"


@dataclass(frozen=True)
class Throughout(Place):
    """All values of the coordinates that no integral of a condition runs over.

    Points of the whole domain stand for them; if integrals run over all coordinates, one does.
    """

    bound: tuple[sympy.Symbol, ...]

    def sample(self, domain: Domain, drawing: Drawing) -> Legs:
        if set(self.bound) >= set(domain.coordinates):
            return (Leg(domain.sample_inside(1, drawing.draw)[:1]),)
        return (Leg(domain.sample_inside(drawing.boundary, drawing.draw)),)

    @property
    def key(self) -> Hashable:
        return ("throughout", self.bound)

    def __str__(self) -> str:
        return "everything"


@dataclass(frozen=True)
class WholeBoundary(Place):
    """The whole boundary."""

    def sample(self, domain: Domain, drawing: Drawing) -> Legs:
        points, normals = domain.sample_boundary(drawing.boundary, drawing.draw)
        return (Leg(points, normals=normals),)

    def has_normals(self, domain: Domain) -> bool:
        return True

    @property
    def key(self) -> Hashable:
        return "boundary"

    def __str__(self) -> str:
        return "the boundary"

    def against_marching(self, coordinate: sympy.Symbol, domain: Domain) -> str:
        return "holds at its upper end too"

    @property
    def document(self) -> Any:
        return "boundary"


@dataclass(frozen=True)
class Slices(Place):
    """Faces, edges and points, each given by its fixed coordinates."""

    parts: tuple[Slice, ...]

    def sample(self, domain: Domain, drawing: Drawing) -> Legs:
        share, extra = divmod(drawing.boundary, len(self.parts))
        arrays = []
        for number, part in enumerate(self.parts):

            def points(count: int, part: Slice = part) -> Floats:
                return domain.sample_slice(part, count, drawing.draw)

            arrays.append(drawing.crowd(points, max(1, share + (number < extra))))
        return (Leg(np.concatenate(arrays), normals=self._normals(domain, arrays)),)

    def _normals(self, domain: Domain, arrays: Sequence[Floats]) -> Floats | None:
        if not self.has_normals(domain):
            return None
        pairs = zip(self.parts, arrays, strict=True)
        return np.concatenate([np.tile(face_normal(p, domain), (len(a), 1)) for p, a in pairs])

    def has_normals(self, domain: Domain) -> bool:
        return all(_is_face(part, domain) for part in self.parts)

    @property
    def key(self) -> Hashable:
        return tuple(tuple(sorted((str(c), v) for c, v in part.items())) for part in self.parts)

    def __hash__(self) -> int:
        return hash(self.key)

    def __str__(self) -> str:
        return " and ".join(
            ", ".join(f"{coordinate} = {value:g}" for coordinate, value in part.items())
            for part in self.parts
        )

    def fitted_to(self, domain: Domain) -> "Slices":
        return Slices(tuple(ReadOnly(_snapped(part, domain)) for part in self.parts))

    def check(self, domain: Domain, what: str) -> None:
        box = domain.bounding_box
        for part in self.parts:
            for coordinate, value in part.items():
                inside = np.array(box.lower)
                inside[domain.axis(coordinate)] = value
                if not box.contains(inside):
                    low, high = domain.span(coordinate)
                    raise ProblemError(
                        f"{what} lies outside the domain: {coordinate} runs from {low:g} to "
                        f"{high:g}."
                    )

            if len(part) == domain.dimension:
                point = np.array([part[coordinate] for coordinate in domain.coordinates])
                if not domain.contains(point[None])[0]:
                    raise ProblemError(f"{what} lies outside the domain {domain}.")

    def within(self, cut: Cut) -> Sequence[Kept]:
        first = [part for part in self.parts if part.get(cut.coordinate) == cut.origin]
        others = [part for part in self.parts if _in_part(part, cut)]
        kept = []
        if first:
            moved = tuple(ReadOnly({**part, cut.coordinate: cut.entrance}) for part in first)
            kept.append(Kept(Slices(moved), continued=cut.entrance != cut.origin))
        if others:
            kept.append(Kept(Slices(tuple(others))))
        return kept

    def values_of(self, coordinate: sympy.Symbol) -> set[float]:
        return {part[coordinate] for part in self.parts if coordinate in part}

    @property
    def document(self) -> Any:
        return [{symbol.name: value for symbol, value in part.items()} for part in self.parts]


def _snapped(part: Slice, domain: Domain) -> Slice:
    """0.1 + 0.2 is meant to be the end of a domain at 0.3."""
    snapped = dict(part)
    for coordinate, value in part.items():
        if coordinate in domain.coordinates:
            low, high = domain.span(coordinate)
            for end in (low, high):
                if abs(value - end) <= _ROUND_OFF * (high - low):
                    snapped[coordinate] = end
    return snapped


def _is_face(part: Slice, domain: Domain) -> bool:
    ((coordinate, value), *others) = part.items()
    if others or coordinate not in domain.coordinates or not domain.is_product_along(coordinate):
        return False
    return value in domain.span(coordinate)


def face_normal(face: Slice, domain: Domain) -> Floats:
    """The outward normal of a face ``{x: 0}``."""
    ((coordinate, value),) = face.items()
    normal = np.zeros(domain.dimension)
    normal[domain.axis(coordinate)] = -1.0 if value == domain.span(coordinate)[0] else 1.0
    return normal


def _in_part(part: Slice, cut: Cut) -> bool:
    if cut.coordinate not in part:
        return True
    value = part[cut.coordinate]
    return value != cut.origin and bool(cut.reaches(np.array([value]))[0])


@dataclass(frozen=True)
class PeriodicPair(Place):
    """The two ends of a coordinate: a row is the value at the upper end minus that at the lower."""

    along: sympy.Symbol

    def sample(self, domain: Domain, drawing: Drawing) -> Legs:
        start, end = domain.span(self.along)
        low = domain.sample_slice({self.along: start}, drawing.boundary, drawing.draw)
        high = low.copy()
        high[:, domain.axis(self.along)] = end
        return (Leg(high), Leg(low, sign=-1.0))

    @property
    def key(self) -> Hashable:
        return ("periodic", self.along)

    def __str__(self) -> str:
        return f"both ends of {self.along}"

    def check(self, domain: Domain, what: str) -> None:
        domain.axis(self.along)
        if not domain.is_product_along(self.along):
            raise ProblemError(f"{what}: the ends of {self.along} in {domain} are not faces.")

    def against_marching(self, coordinate: sympy.Symbol, domain: Domain) -> str:
        return "ties its two ends" if coordinate == self.along else ""


@dataclass(frozen=True, eq=False)
class Observed(Place):
    """Points of measurements; no others can be drawn."""

    points: Floats

    def sample(self, domain: Domain, drawing: Drawing) -> Legs:
        return (Leg(self.points),)

    @property
    def key(self) -> Hashable:
        return self  # every set of observations has its own points

    def __str__(self) -> str:
        return f"{len(self.points)} points"

    def within(self, cut: Cut) -> Sequence[Kept]:
        inside = cut.holds(self.points)
        return [Kept(Observed(self.points[inside]), rows=inside)] if inside.any() else []

    @property
    def resampled(self) -> bool:
        return False


@dataclass(frozen=True, eq=False)
class WeightedSums(Place):
    """Fixed points with fixed weights: each row is a weighted sum of an expression over them.

    Attributes
    ----------
    points : ndarray, shape (points, coordinates)
    weights : ndarray, shape (rows, points)
        For example those of a quadrature rule, for the integral of the expression.
    """

    points: Floats
    weights: Floats

    def sample(self, domain: Domain, drawing: Drawing) -> Legs:
        return (Leg(self.points, sums=self.weights),)

    @property
    def key(self) -> Hashable:
        return self

    def __str__(self) -> str:
        return f"weighted sums over {len(self.points)} points"

    def check(self, domain: Domain, what: str) -> None:
        points, weights = np.shape(self.points), np.shape(self.weights)
        if len(points) != 2 or len(weights) != 2 or weights[1] != points[0]:
            raise ProblemError(
                f"{what} has points of shape {points} and weights of shape {weights}; they must be "
                "(points, coordinates) and (rows, points)."
            )
        if points[1] != domain.dimension or not domain.contains(self.points).all():
            raise ProblemError(f"{what} has points outside the domain {domain}.")

    def against_marching(self, coordinate: sympy.Symbol, domain: Domain) -> str:
        at = self.points[:, domain.axis(coordinate)]
        for row in self.weights:
            if len(np.unique(at[row != 0.0])) > 1:
                return "sums over several values of it"
        return ""

    def within(self, cut: Cut) -> Sequence[Kept]:
        outside = ~cut.holds(self.points)
        rows = ~(self.weights[:, outside] != 0.0).any(axis=1)
        if not rows.any():
            return []
        used = (self.weights[rows] != 0.0).any(axis=0)
        return [Kept(WeightedSums(self.points[used], self.weights[rows][:, used]), rows=rows)]

    @property
    def resampled(self) -> bool:
        return False
