"""Several regions side by side, as one domain."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import sympy
from numpy.typing import ArrayLike, NDArray

from piscm.problem.boundary_part import BoundaryPart
from piscm.problem.box import Box
from piscm.problem.domain import Domain, UnitPoints
from piscm.problem.errors import ProblemError
from piscm.problem.frozen import Frozen
from piscm.problem.numeric import Floats
from piscm.problem.other_boundary import OtherBoundary
from piscm.problem.predicate import Where

# Points that tell whether regions overlap, and where they meet.
_LOOK = 2048


class Mosaic(Frozen, Domain):
    """Regions that share no more than parts of their boundaries.

    Attributes
    ----------
    members : tuple of Domain
    names : tuple of str
    """

    members: tuple[Domain, ...]
    names: tuple[str, ...]

    def __init__(self, members: Sequence[Domain], names: Sequence[str]) -> None:
        first = members[0]
        for own, name in zip(members, names, strict=True):
            if own.coordinates != first.coordinates:
                raise ProblemError(
                    f"Region {name} has the coordinates {_list(own.coordinates)}, and {names[0]} "
                    f"{_list(first.coordinates)}: all must have the same, in the same order."
                )
        self._set(members=tuple(members), names=tuple(names))

    def __repr__(self) -> str:
        pairs = zip(self.names, self.members, strict=True)
        return f"regions {', '.join(f'{name}: {own}' for name, own in pairs)}"

    # --- what regions are to each other -------------------------------------------------------

    def check(self) -> None:
        """Raise `ProblemError` if two regions overlap, or one of them touches no other."""
        for one, other in combinations(range(len(self.members)), 2):
            for first, second in ((one, other), (other, one)):
                inside = self.members[first].sample_inside(_LOOK, _even)
                both = inside[self.members[second].contains(inside)]
                if len(both):
                    at = ", ".join(f"{value:.3g}" for value in both[len(both) // 2])
                    raise ProblemError(
                        f"The regions {self.names[one]} and {self.names[other]} overlap, for "
                        f"instance at ({at}); cut one out of the other, as plate - disk."
                    )
        touching = {number for pair in self.interfaces for number in pair}
        for number, name in enumerate(self.names):
            if number not in touching:
                raise ProblemError(
                    f"The region {name} has no boundary in common with another one: are there "
                    "gaps between them? Solve separate problems where regions do not touch."
                )

    @cached_property
    def interfaces(self) -> tuple[tuple[int, int], ...]:
        """The pairs of regions that have a part of their boundaries in common."""
        return tuple(
            (one, other)
            for one, other in combinations(range(len(self.members)), 2)
            if self.has_points(one, self.interface(one, other))
        )

    def interface(self, one: int, other: int) -> BoundaryPart:
        """The part of a region's boundary that belongs to another region as well."""
        return BoundaryPart(self.members[one], where=self.members[other].contains)

    def outer(
        self, number: int, part: BoundaryPart | OtherBoundary | None = None
    ) -> BoundaryPart | OtherBoundary:
        """The part of a region's boundary, or of a part of it, that belongs to no other region."""
        others = [own for i, own in enumerate(self.members) if i != number]
        conditions: list[Callable[[Floats], Any]] = [
            lambda points: ~np.any([own.contains(points) for own in others], axis=0)
        ]
        if isinstance(part, OtherBoundary):
            return OtherBoundary(part.part, conditions[0])
        name, face = None, None
        if part is not None:
            name, face = part.name, part.face
            if part.where is not None:
                conditions.append(part.predicate)

        def holds(points: Floats) -> NDArray[np.bool_]:
            return np.asarray(np.all([own(points) for own in conditions], axis=0))

        return BoundaryPart(self.members[number], name, face, holds)

    def has_points(self, number: int, part: BoundaryPart | OtherBoundary) -> bool:
        """Whether a region has any points of a part of a boundary."""
        try:
            part.drawn(self.members[number], 1, lambda count, dimension: _even(_LOOK, dimension))
        except ProblemError:
            return False
        return True

    def has_boundary_of(self, other: Domain) -> bool:
        """A region's boundary is its own, and so is that of the same regions put together anew."""
        theirs = other.members if isinstance(other, Mosaic) else (other,)
        return all(any(own.has_boundary_of(one) for own in self.members) for one in theirs)

    def region_of(self, points: Floats) -> NDArray[np.int_]:
        """The number of the first region that holds each point, -1 for none."""
        which = np.full(len(points), -1)
        for number, own in enumerate(self.members):
            left = np.flatnonzero(which < 0)
            which[left[own.contains(points[left])]] = number
        return which

    # --- the protocol of a domain -------------------------------------------------------------

    @property
    def coordinates(self) -> tuple[sympy.Symbol, ...]:
        return self.members[0].coordinates

    @cached_property
    def bounding_box(self) -> Box:
        boxes = [own.bounding_box for own in self.members]
        lower = np.min([box.lower for box in boxes], axis=0)
        upper = np.max([box.upper for box in boxes], axis=0)
        ends = zip(self.coordinates, lower, upper, strict=True)
        return Box({symbol: (low, high) for symbol, low, high in ends})

    def contains(self, points: ArrayLike) -> NDArray[np.bool_]:
        return np.asarray(np.any([own.contains(points) for own in self.members], axis=0))

    @cached_property
    def shares(self) -> Floats:
        """About how much of the volume each region has."""
        volumes = np.array([_volume(own) for own in self.members])
        return np.asarray(volumes / volumes.sum())

    def sample_inside(self, count: int, draw: UnitPoints) -> Floats:
        counts = np.maximum(1, np.round(count * self.shares).astype(int))
        pairs = zip(self.members, counts, strict=True)
        return np.concatenate([own.sample_inside(int(number), draw) for own, number in pairs])

    def sample_slice(
        self, fixed: Mapping[sympy.Symbol, float], count: int, draw: UnitPoints
    ) -> Floats:
        meeting = [own for own in self.members if meets(own, fixed)]
        if not meeting:
            raise ProblemError(f"{fixed} does not meet {self}.")
        each = max(1, count // len(meeting))
        return np.concatenate([own.sample_slice(fixed, each, draw) for own in meeting])

    def sample_boundary(
        self, count: int, draw: UnitPoints, part: str | None = None
    ) -> tuple[Floats, Floats]:
        parts = self._outer_parts(part)
        each = max(1, count // max(1, len(parts)))
        found = [own.drawn(self.members[number], each, draw) for number, own in parts]
        points, normals = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
        return points, normals

    def _outer_parts(self, name: str | None) -> list[tuple[int, BoundaryPart | OtherBoundary]]:
        """What regions have of a part, each with the number of the region."""
        own = [
            (number, self.outer(number, BoundaryPart(member, name)))
            for number, member in enumerate(self.members)
            if name is None or name in member.parts
        ]
        found = [(number, part) for number, part in own if self.has_points(number, part)]
        if not found:
            raise ProblemError(f"{self} has no part of its boundary named {name!r}.")
        return found

    def quadrature(self, order: int) -> tuple[Floats, Floats]:
        rules = [own.quadrature(order) for own in self.members]
        points, weights = (np.concatenate(arrays) for arrays in zip(*rules, strict=True))
        return points, weights

    def chords(
        self, coordinate: sympy.Symbol, points: Floats
    ) -> tuple[NDArray[np.intp], Floats, Floats]:
        found = []
        for own in self.members:
            line, low, high = own.chords(coordinate, points)
            middles = points[line]
            middles[:, self.axis(coordinate)] = (low + high) / 2
            met = own.contains(middles)  # a box takes every line for one that meets it
            found.append((line[met], low[met], high[met]))
        line, low, high = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
        order = np.lexsort((low, line))
        return line[order], low[order], high[order]

    def boundary_quadrature(
        self, order: int, part: str | None = None, where: Where | None = None
    ) -> tuple[Floats, Floats, Floats]:
        rules = []
        for number, _ in self._outer_parts(part):
            member = self.members[number]
            narrowed = self.outer(number, BoundaryPart(member, part, None, where))
            assert isinstance(narrowed, BoundaryPart)
            given = narrowed.where
            rules.append(member.boundary_quadrature(order, part, given))
        points, weights, normals = (np.concatenate(arrays) for arrays in zip(*rules, strict=True))
        return points, weights, normals

    def is_product_along(self, coordinate: sympy.Symbol) -> bool:
        span = self.span(coordinate)
        return all(
            own.is_product_along(coordinate) and own.span(coordinate) == span
            for own in self.members
        )

    def is_part_along(self, part: str, coordinate: sympy.Symbol) -> bool:
        own = [member for member in self.members if part in member.parts]
        return bool(own) and all(member.is_part_along(part, coordinate) for member in own)

    @property
    def parts(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for own in self.members for name in own.parts))

    def cut(self, coordinate: sympy.Symbol, low: float, high: float) -> "Mosaic":
        return Mosaic([own.cut(coordinate, low, high) for own in self.members], self.names)


def meets(domain: Domain, fixed: Mapping[sympy.Symbol, float]) -> bool:
    """Whether a domain has points where some coordinates have given values."""
    try:
        found = domain.sample_slice(fixed, _LOOK // 4, _even)
    except ProblemError:
        return False
    return bool(domain.contains(found).any())


def _volume(domain: Domain) -> float:
    """About the volume, from points of the bounding box."""
    box = domain.bounding_box
    unit = box.lower + _even(_LOOK, domain.dimension) * box.width
    return float(np.prod(box.width) * max(domain.contains(unit).mean(), 1 / _LOOK))


def _even(count: int, dimension: int) -> Floats:
    """Points of the unit cube, always the same."""
    return np.random.default_rng(0).random((count, dimension))


def _list(symbols: Sequence[sympy.Symbol]) -> str:
    return ", ".join(map(str, symbols))
