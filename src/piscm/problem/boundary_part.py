"""A part of the boundary: by name, as a face, by a condition on the coordinates."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray

from piscm.problem.domain import Domain, UnitPoints
from piscm.problem.errors import ProblemError, brief
from piscm.problem.frozen import ReadOnly
from piscm.problem.numeric import Floats, finite_number
from piscm.problem.place import Cut, Drawing, Kept, Leg, Legs, Place
from piscm.problem.places import Slice, Slices, face_normal
from piscm.problem.predicate import Predicate, Where

# Points of the boundary are drawn until enough satisfy a condition, at most this many times as
# many as are wanted.
_MOST_TRIES = 4096
LOOK = 4096
"""Points that tell whether there are any."""


@dataclass(frozen=True, eq=False)
class BoundaryPart(Place):
    """A part of the boundary, made by ``domain.boundary(...)``.

    Attributes
    ----------
    domain : Domain
        The one whose boundary it belongs to.
    name : str or None
        A part that the domain knows by name; None for the whole boundary.
    face : mapping or None
        A face instead, as ``{x: 0}``.
    where : sympy condition or callable, optional
        Only points that satisfy it.
    """

    domain: Domain
    name: str | None = None
    face: Slice | None = None
    where: Where | None = None

    @classmethod
    def written(cls, domain: Domain, part: Any, where: Any) -> "BoundaryPart":
        """The part that a user asked a domain for."""
        name, face = part, None
        if isinstance(part, Mapping):
            name, face = None, _checked_face(part)
        elif not isinstance(part, str | None):
            raise ProblemError(
                f"boundary({brief(part)}): give the name of a part, or a face such as {{x: 0}}."
            )
        made = cls(domain, name, face, where)
        made.check(domain, "The boundary")
        return made

    @property
    def predicate(self) -> Predicate:
        """The condition on its points."""
        return Predicate(self.where, self.domain.coordinates)

    def drawn(self, domain: Domain, count: int, draw: UnitPoints) -> tuple[Floats, Floats]:
        """About `count` points and their normals."""
        if self.where is None:
            return self.anywhere(domain, count, draw)
        found = drawn_where(
            lambda many: self.anywhere(domain, many, draw),
            self.predicate,
            count,
            few=domain.dimension == 1,
            # A box has its points face by face, and the last face needs its share.
            spread=domain is domain.bounding_box,
        )
        if found is None:
            raise ProblemError(f"No point of the boundary of {domain} satisfies {self}.")
        return found

    def anywhere(self, domain: Domain, count: int, draw: UnitPoints) -> tuple[Floats, Floats]:
        """The same, whether they satisfy the condition or not."""
        if self.face is None:
            return domain.sample_boundary(count, draw, self.name)
        points = domain.sample_slice(self.face, count, draw)
        return points, np.tile(face_normal(self.face, domain), (len(points), 1))

    def sample(self, domain: Domain, drawing: Drawing) -> Legs:
        points, normals = self.drawn(domain, drawing.boundary, drawing.draw)
        return (Leg(points, normals=normals),)

    @property
    def coordinates(self) -> tuple[sympy.Symbol, ...]:
        return self.domain.coordinates

    def quadrature(self, order: int) -> tuple[Floats, Floats, Floats]:
        """Points, weights and outward normals whose sums are integrals over it."""
        if self.face is None:
            return self.domain.boundary_quadrature(order, self.name, self.where)
        if self.where is not None:
            raise ProblemError(f"Integrals over {self} are not known; integrate over the face.")
        (face,) = Slices((self.face,)).fitted_to(self.domain).parts
        points, weights = self.domain.face_quadrature(face, order)
        return points, weights, np.tile(face_normal(face, self.domain), (len(points), 1))

    @property
    def key(self) -> Hashable:
        face = None if self.face is None else Slices((self.face,)).key
        return ("part", self.name, face, self.where)

    def __str__(self) -> str:
        parts = [self.name or ("the boundary" if self.face is None else str(Slices((self.face,))))]
        if self.where is not None:
            parts.append(f"where {self.where}")
        return " ".join(parts)

    def fitted_to(self, domain: Domain) -> Place:
        from piscm.problem.other_boundary import OtherBoundary

        if not domain.has_boundary_of(self.domain):
            return OtherBoundary(self._snapped_to(self.domain))
        return self._snapped_to(domain)

    def _snapped_to(self, domain: Domain) -> "BoundaryPart":
        if self.face is None:
            return self
        (face,) = Slices((self.face,)).fitted_to(domain).parts
        return BoundaryPart(self.domain, None, face, self.where)

    def check(self, domain: Domain, what: str) -> None:
        if self.name is not None and self.name not in domain.parts:
            known = ", ".join(domain.parts) or "none"
            raise ProblemError(
                f"{what}: the domain has no part of its boundary named {self.name!r} (known: "
                f"{known})."
            )
        if self.face is not None:
            face = Slices((self.face,)).fitted_to(domain)
            face.check(domain, what)
            if not face.has_normals(domain):
                raise ProblemError(f"{what}: {face} is not a face of {domain}.")
        if self.where is not None:
            rng = np.random.default_rng(0)
            fitted = self._snapped_to(domain)
            fitted.drawn(domain, 1, lambda count, dimension: rng.random((LOOK, dimension)))

    def has_normals(self, domain: Domain) -> bool:
        return True

    def against_marching(self, coordinate: sympy.Symbol, domain: Domain) -> str:
        if self.where is not None:
            moving = Predicate(self.where, domain.coordinates).symbols
            if coordinate in moving:
                return f"holds where {self.where}, which windows do not cut"
        if self.is_along(coordinate, domain):
            return ""
        if self.face is not None:
            return "holds on a part of its ends"
        return "holds on a part of the boundary, which windows do not cut"

    def is_along(self, coordinate: sympy.Symbol, domain: Domain) -> bool:
        """Whether it is the same at every value of a coordinate, where its condition holds."""
        if self.face is not None:
            return coordinate not in self.face
        return self.name is not None and domain.is_part_along(self.name, coordinate)

    def within(self, cut: Cut) -> Sequence[Kept]:
        return [Kept(self)]

    @property
    def document(self) -> Any:
        document: dict[str, Any] = {}
        if callable(self.where):
            raise ProblemError(f"A condition on {self} cannot be written to a file.")
        if self.where is not None:
            document["where"] = str(self.where)
        if self.name is not None:
            document["part"] = self.name
        if self.face is not None:
            document["face"] = {symbol.name: value for symbol, value in self.face.items()}
        return document or "boundary"


def drawn_where(
    sample: Callable[[int], tuple[Floats, Floats]],
    holds: Callable[[Floats], NDArray[np.bool_]],
    count: int,
    few: bool = False,
    spread: bool = True,
) -> tuple[Floats, Floats] | None:
    """About `count` of the points of `sample`, with normals, that satisfy a condition.

    None if there are none. `few` says that `sample` has a few points only; `spread` takes them from
    all of those found, not the first.
    """
    wanted = count
    if few:
        points, normals = sample(count)
        _, first = np.unique(points, axis=0, return_index=True)
        chosen = first[holds(points[first])]
        return (points[chosen], normals[chosen]) if len(chosen) else None
    while wanted <= _MOST_TRIES * count:
        points, normals = sample(wanted)
        inside = holds(points)
        found = int(np.count_nonzero(inside))
        if found >= count or (found and 2 * wanted > _MOST_TRIES * count):
            chosen = np.flatnonzero(inside)
            if spread and found > count:
                chosen = chosen[np.linspace(0, found - 1, count).round().astype(int)]
            return points[chosen[:count]], normals[chosen[:count]]
        # By the share that was found, and a little more; none at all asks for many more.
        wanted = max(2 * wanted, int(1.2 * wanted * count / found)) if found else 8 * wanted
    return None


def _checked_face(part: Mapping[Any, Any]) -> Slice:
    if len(part) != 1:
        raise ProblemError(f"boundary({brief(part)}): a face has one coordinate, as {{x: 0}}.")
    ((coordinate, value),) = part.items()
    if not isinstance(coordinate, sympy.Symbol):
        raise ProblemError(f"boundary({brief(part)}): {brief(coordinate)} is not a coordinate.")
    return ReadOnly({coordinate: finite_number(value, f"The face {coordinate}")})
