"""Several places of different kinds together, such as two parts of a boundary."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sympy

from piscm.problem.domain import Domain
from piscm.problem.place import Cut, Drawing, Kept, Leg, Legs, Place


@dataclass(frozen=True)
class Several(Place):
    """Places that share the points of one condition, as several faces do."""

    places: tuple[Place, ...]

    def sample(self, domain: Domain, drawing: Drawing) -> Legs:
        share, extra = divmod(drawing.boundary, len(self.places))
        legs = [
            leg
            for number, own in enumerate(self.places)
            for leg in own.sample(
                domain, replace(drawing, boundary=max(1, share + (number < extra)))
            )
        ]
        normals = [leg.normals for leg in legs if leg.normals is not None]
        return (
            Leg(
                np.concatenate([leg.points for leg in legs]),
                normals=np.concatenate(normals) if len(normals) == len(legs) else None,
            ),
        )

    @property
    def key(self) -> Hashable:
        return ("several", *(own.key for own in self.places))

    def __str__(self) -> str:
        return " and ".join(map(str, self.places))

    def check(self, domain: Domain, what: str) -> None:
        for own in self.places:
            own.check(domain, what)

    def fitted_to(self, domain: Domain) -> "Several":
        return Several(tuple(own.fitted_to(domain) for own in self.places))

    def has_normals(self, domain: Domain) -> bool:
        return all(own.has_normals(domain) for own in self.places)

    def within(self, cut: Cut) -> Sequence[Kept]:
        return [kept for own in self.places for kept in own.within(cut)]

    def values_of(self, coordinate: sympy.Symbol) -> set[float]:
        return {value for own in self.places for value in own.values_of(coordinate)}

    def against_marching(self, coordinate: sympy.Symbol, domain: Domain) -> str:
        reasons = (own.against_marching(coordinate, domain) for own in self.places)
        return next(filter(None, reasons), "")

    @property
    def document(self) -> Any:
        made = [own.document for own in self.places]
        return [part for own in made for part in (own if isinstance(own, list) else [own])]
