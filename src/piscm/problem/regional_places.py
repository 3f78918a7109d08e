"""Places in a mosaic: in one of its regions, on its outer boundary, between two of them."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import sympy

from piscm.problem.boundary_part import BoundaryPart
from piscm.problem.domain import Domain
from piscm.problem.mosaic import Mosaic
from piscm.problem.other_boundary import OtherBoundary
from piscm.problem.place import Cut, Drawing, Kept, Leg, Legs, Place


def _mosaic(domain: Domain) -> Mosaic:
    assert isinstance(domain, Mosaic)  # these places are made for mosaics only
    return domain


@dataclass(frozen=True)
class InRegion(Place):
    """A place inside one region.

    Attributes
    ----------
    base : Place
        As seen by the region alone.
    number : int
        That of the region.
    name : str
    """

    base: Place
    number: int
    name: str

    def _own(self, domain: Domain) -> Domain:
        return _mosaic(domain).members[self.number]

    def sample(self, domain: Domain, drawing: Drawing) -> Legs:
        return self.base.sample(self._own(domain), drawing)

    @property
    def key(self) -> Hashable:
        return ("region", self.number, self.base.key)

    def __str__(self) -> str:
        return f"{self.base} in {self.name}"

    def check(self, domain: Domain, what: str) -> None:
        self.base.check(self._own(domain), what)

    def has_normals(self, domain: Domain) -> bool:
        return self.base.has_normals(self._own(domain))

    def within(self, cut: Cut) -> Sequence[Kept]:
        return [
            Kept(InRegion(kept.place, self.number, self.name), kept.continued, kept.rows)
            for kept in self.base.within(cut)
        ]

    def values_of(self, coordinate: sympy.Symbol) -> set[float]:
        return self.base.values_of(coordinate)

    def against_marching(self, coordinate: sympy.Symbol, domain: Domain) -> str:
        return self.base.against_marching(coordinate, self._own(domain))

    @property
    def resampled(self) -> bool:
        return self.base.resampled


@dataclass(frozen=True)
class OuterPart(Place):
    """What belongs to the boundary of a region, or to a part of it, and to no other region."""

    part: BoundaryPart | OtherBoundary | None
    number: int
    name: str

    def sample(self, domain: Domain, drawing: Drawing) -> Legs:
        mosaic = _mosaic(domain)
        member = mosaic.members[self.number]
        outer = mosaic.outer(self.number, self.part)
        points, normals = outer.drawn(member, drawing.boundary, drawing.draw)
        return (Leg(points, normals=normals),)

    @property
    def key(self) -> Hashable:
        return ("outer", self.number, None if self.part is None else self.part.key)

    def __str__(self) -> str:
        return f"{self.part or 'the boundary'} of {self.name}"

    def has_normals(self, domain: Domain) -> bool:
        return True

    def against_marching(self, coordinate: sympy.Symbol, domain: Domain) -> str:
        if self.part is None:
            return "holds at its upper end too"
        return self.part.against_marching(coordinate, _mosaic(domain).members[self.number])


@dataclass(frozen=True)
class Interface(Place):
    """Where two regions meet; normals point out of the first."""

    first: int
    second: int
    names: tuple[str, str]

    def sample(self, domain: Domain, drawing: Drawing) -> Legs:
        part = _mosaic(domain).interface(self.first, self.second)
        points, normals = part.drawn(part.domain, drawing.boundary, drawing.draw)
        return (Leg(points, normals=normals),)

    @property
    def key(self) -> Hashable:
        return ("interface", self.first, self.second)

    def __str__(self) -> str:
        return f"the interface of {self.names[0]} and {self.names[1]}"

    def has_normals(self, domain: Domain) -> bool:
        return True

    def against_marching(self, coordinate: sympy.Symbol, domain: Domain) -> str:
        if _mosaic(domain).is_product_along(coordinate):
            return ""
        return "lies across it"

    @property
    def document(self) -> Any:
        return None  # found anew from the regions
