"""The boundary of another domain than the problem's own: that of a hole, a curve inside."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray

from piscm.problem.boundary_part import LOOK, BoundaryPart, drawn_where
from piscm.problem.domain import Domain, UnitPoints
from piscm.problem.errors import ProblemError
from piscm.problem.numeric import Floats
from piscm.problem.outward import outward
from piscm.problem.place import Drawing, Leg, Legs, Place


@dataclass(frozen=True, eq=False)
class OtherBoundary(Place):
    """What a domain has, inside or on its boundary, of a part of another one's boundary.

    On the boundary normals point out of the domain, on a curve inside out of the other one. If that
    has fewer coordinates, as a disk beside a disk in time, it is the same for all values of the
    rest.

    Attributes
    ----------
    part : BoundaryPart
    holds : callable, optional
        Only points for which it is true.
    """

    part: BoundaryPart
    holds: Callable[[Floats], NDArray[np.bool_]] | None = None

    def drawn(self, domain: Domain, count: int, draw: UnitPoints) -> tuple[Floats, Floats]:
        """About `count` points and their normals."""
        own = self._cut_to(domain)
        axes = [domain.axis(symbol) for symbol in own.domain.coordinates]

        def holds(points: Floats) -> NDArray[np.bool_]:
            kept = domain.contains(points)
            if own.where is not None:
                kept &= own.predicate(points[:, axes])
            return kept if self.holds is None else kept & self.holds(points)

        few = domain.dimension == 1
        found = drawn_where(lambda many: _raised(own, domain, many, draw), holds, count, few)
        if found is None:
            box = own.domain.bounding_box
            spans = (f"{s} from {low:g} to {high:g}" for s, (low, high) in box.bounds.items())
            raise ProblemError(f"No point of it lies in {domain}: it has {', '.join(spans)}.")
        points, normals = found
        return points, outward(domain, points, normals)

    def _cut_to(self, domain: Domain) -> BoundaryPart:
        """The part, without what a window leaves out."""
        part, other = self.part, self.part.domain
        for symbol in other.coordinates:
            (low, high), (start, end) = domain.span(symbol), other.span(symbol)
            inside = start <= low and high <= end and (low, high) != (start, end)
            if inside and other.is_product_along(symbol) and part.is_along(symbol, other):
                other = other.cut(symbol, low, high)
        return BoundaryPart(other, part.name, part.face, part.where)

    def sample(self, domain: Domain, drawing: Drawing) -> Legs:
        points, normals = self.drawn(domain, drawing.boundary, drawing.draw)
        return (Leg(points, normals=normals),)

    @property
    def key(self) -> Hashable:
        return ("other", id(self.part.domain), self.part.key)

    def __str__(self) -> str:
        return f"{self.part} of {self.part.domain}"

    def check(self, domain: Domain, what: str) -> None:
        own = self.part.domain.coordinates
        foreign = [str(symbol) for symbol in own if symbol not in domain.coordinates]
        if foreign:
            raise ProblemError(
                f"{what}: {self} has the coordinates {', '.join(map(str, own))}, and the domain "
                f"has no {', '.join(foreign)}."
            )
        rng = np.random.default_rng(0)
        try:
            self.drawn(domain, 1, lambda count, dimension: rng.random((LOOK, dimension)))
        except ProblemError as error:
            raise ProblemError(f"{what}: {error}") from None

    def has_normals(self, domain: Domain) -> bool:
        return True

    def against_marching(self, coordinate: sympy.Symbol, domain: Domain) -> str:
        other = self.part.domain
        if coordinate not in other.coordinates:
            return ""
        (low, high), (start, end) = domain.span(coordinate), other.span(coordinate)
        if not (start <= low and high <= end):
            return "holds on a part of its range"
        return self.part.against_marching(coordinate, other)

    @property
    def document(self) -> Any:
        own = self.part.document
        return {**({} if own == "boundary" else own), "of": self.part.domain.document}


def _raised(
    part: BoundaryPart, domain: Domain, count: int, draw: UnitPoints
) -> tuple[Floats, Floats]:
    """About `count` points of a part anywhere, with values of the coordinates that it lacks."""
    box, other = domain.bounding_box, part.domain
    axes = [domain.axis(symbol) for symbol in other.coordinates]
    rest = [axis for axis in range(domain.dimension) if axis not in axes]
    drawn: list[Floats] = []

    def joint(many: int, dimension: int) -> Floats:
        """Numbers for all coordinates together, so that their pairs are evenly spread."""
        unit = draw(many, dimension + len(rest))
        drawn.append(unit[:, dimension:])
        return unit[:, :dimension]

    found, across = part.anywhere(other, count, joint if rest else draw)
    points, normals = (np.zeros((len(found), domain.dimension)) for _ in range(2))
    points[:, axes], normals[:, axes] = found, across
    if rest:
        unit = np.concatenate(drawn) if drawn else draw(count, len(rest))
        many = max(len(unit), len(points))  # an end of an interval is one point, for all values
        points, normals = (np.resize(own, (many, domain.dimension)) for own in (points, normals))
        points[:, rest] = box.lower[rest] + np.resize(unit, (many, len(rest))) * box.width[rest]
    return points, normals
