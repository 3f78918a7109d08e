"""The protocol of a domain, as the rest of the library sees it; `Box` implements it."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from types import MethodType
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy
from numpy.typing import ArrayLike, NDArray

from piscm.problem.errors import ProblemError
from piscm.problem.numeric import Floats
from piscm.problem.symbols import lookalike

if TYPE_CHECKING:
    from piscm.problem.boundary_part import BoundaryPart
    from piscm.problem.box import Box
    from piscm.problem.predicate import Where

UnitPoints = Callable[[int, int], Floats]
"""``draw(count, dimension)`` returns about `count` points of the unit cube, one per row."""


class Domain(ABC):
    """A part of space (and time) that can be sampled, queried and cut.

    Points are arrays of shape (points, coordinates), in the order of `coordinates`. All random
    numbers come from the function `draw`, so a seed determines the points.
    """

    @property
    @abstractmethod
    def coordinates(self) -> tuple[sympy.Symbol, ...]:
        """The coordinates, in the order of the columns of an array of points."""

    @property
    @abstractmethod
    def bounding_box(self) -> "Box":
        """The smallest box around the domain."""

    @abstractmethod
    def contains(self, points: ArrayLike) -> NDArray[np.bool_]:
        """Which points lie inside or on the boundary, up to round-off."""

    def inside(self, points: Floats) -> NDArray[np.bool_]:
        """Which points lie inside; on the boundary either answer will do, whichever is cheaper."""
        return self.contains(points)

    @abstractmethod
    def sample_inside(self, count: int, draw: UnitPoints) -> Floats:
        """About `count` points in the interior."""

    @abstractmethod
    def sample_slice(
        self, fixed: Mapping[sympy.Symbol, float], count: int, draw: UnitPoints
    ) -> Floats:
        """About `count` points where some coordinates have given values: a face, edge or point."""

    @abstractmethod
    def sample_boundary(
        self, count: int, draw: UnitPoints, part: str | None = None
    ) -> tuple[Floats, Floats]:
        """About `count` points on the boundary, or on a named part of it, and outward normals."""

    @abstractmethod
    def cut(self, coordinate: sympy.Symbol, low: float, high: float) -> "Domain":
        """The part between two values of a coordinate."""

    def boundary(
        self,
        part: "str | Mapping[sympy.Symbol, Any] | None" = None,
        *,
        where: "Where | None" = None,
    ) -> "BoundaryPart":
        """The boundary or a part of it, as the place of a condition or the range of an integral.

        Parameters
        ----------
        part : str or mapping, optional
            The name of a part, or a face such as ``{x: 0}``.
        where : sympy condition or callable, optional
            ``(x < 0.1) & (y > 0)`` keeps the points that satisfy it; a function is given points of
            shape (points, coordinates) and returns booleans.
        """
        from piscm.problem.boundary_part import BoundaryPart

        return BoundaryPart.written(self, part, where)

    def has_boundary_of(self, other: "Domain") -> bool:
        """Whether another domain's boundary is its own: it is this one, perhaps written anew."""
        if other is self or other.coordinates != self.coordinates:
            return other is self
        try:
            return bool(other.document == self.document)
        except ProblemError:  # not all domains can be written down
            return False

    def quadrature(self, order: int) -> tuple[Floats, Floats]:
        """Points and weights whose weighted sums are integrals over the domain.

        `order` is the number of points along a line; smooth integrands converge fast in it.
        """
        raise ProblemError(f"Integrals over {self} are not known.")

    @property
    def uncertainty(self) -> float:
        """The part of its volume that is not certain: integrals over it are no better."""
        return 0.0

    def boundary_quadrature(
        self, order: int, part: str | None = None, where: "Where | None" = None
    ) -> tuple[Floats, Floats, Floats]:
        """The same over the boundary or a part of it: points, weights and outward normals."""
        raise ProblemError(f"Integrals over the boundary of {self} are not known.")

    def face_quadrature(
        self, face: Mapping[sympy.Symbol, float], order: int
    ) -> tuple[Floats, Floats]:
        """The same over a face ``{x: 0}``: points and weights."""
        raise ProblemError(f"Integrals over faces of {self} are not known.")

    def chords(
        self, coordinate: sympy.Symbol, points: Floats
    ) -> tuple[NDArray[np.intp], Floats, Floats]:
        """What of the lines along a coordinate, each through a point, lies in the domain.

        A line may have several spans, or none: the number of the line and both ends of each.
        """
        if not self.is_product_along(coordinate):
            raise ProblemError(
                f"How far lines along {coordinate} run in {self} is not known; integrate over a "
                "domain."
            )
        low, high = self.span(coordinate)
        count = len(points)
        return np.arange(count), np.full(count, low), np.full(count, high)

    def is_part_along(self, part: str, coordinate: sympy.Symbol) -> bool:
        """Whether a part of the boundary is the same at every value of a coordinate."""
        return False

    def is_product_along(self, coordinate: sympy.Symbol) -> bool:
        """Whether every section across a coordinate is the same, so that its ends are faces.

        Only then can windows follow each other along it, or its ends be tied.
        """
        return False

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of parts of the boundary that `sample_boundary` knows."""
        return ()

    @property
    def document(self) -> Any:
        """The domain as plain data, for files."""
        raise ProblemError(f"A problem on {self} cannot be written to a file yet.")

    @property
    def dimension(self) -> int:
        """The number of coordinates."""
        return len(self.coordinates)

    def axis(self, coordinate: sympy.Symbol) -> int:
        """The column of a coordinate in an array of points."""
        if coordinate not in self.coordinates:
            own = ", ".join(str(symbol) for symbol in self.coordinates)
            raise ProblemError(
                f"{coordinate} is not a coordinate of the domain ({own})."
                f"{lookalike(coordinate, self.coordinates)}"
            )
        return self.coordinates.index(coordinate)

    def span(self, coordinate: sympy.Symbol) -> tuple[float, float]:
        """The smallest and the largest value of a coordinate."""
        box, axis = self.bounding_box, self.axis(coordinate)
        return float(box.lower[axis]), float(box.upper[axis])


def called(given: Any) -> Any:
    """What was given for a place; ``disk.boundary`` without parentheses is the whole boundary."""
    forgotten = isinstance(given, MethodType) and given.__func__ is Domain.boundary
    return given() if forgotten else given
