"""The interface of a place: it draws its own points and knows what a window keeps of it.

A place provides *legs*: arrays of points, each with the rule by which values become rows. Usually a
row is the value at one point. A periodic pair has two legs, and a row is the difference between two
points. With `sums` a row is a weighted sum over many points, such as an integral.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray

from piscm.problem.domain import Domain, UnitPoints
from piscm.problem.errors import ProblemError
from piscm.problem.numeric import Floats


@dataclass(frozen=True)
class Leg:
    """Points, and how values of an expression there become rows.

    Attributes
    ----------
    points : ndarray, shape (points, coordinates)
    sign : float
        A row is this times the value at its point, summed over the legs of the place.
    sums : ndarray or sparse matrix, shape (rows, points), optional
        Each row is instead this combination of the values at all points.
    normals : ndarray, shape (points, coordinates), optional
        Outward normals, where the points lie on the boundary.
    """

    points: Floats
    sign: float = 1.0
    sums: Any = None
    normals: Floats | None = None

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.points) if self.sums is None else int(self.sums.shape[0])


Legs = tuple[Leg, ...]


def combined(legs: Sequence[Leg], values: Sequence[Floats]) -> Floats:
    """Rows from values at the points of each leg, shape (..., points)."""
    total: Floats = np.zeros(())
    for leg, own in zip(legs, values, strict=True):
        total = total + leg.sign * (own if leg.sums is None else own @ leg.sums.T)
    return total


@dataclass(frozen=True)
class Drawing:
    """How many points a place draws, and how.

    Attributes
    ----------
    interior, boundary : int
        Number of points inside, and of each condition.
    draw : UnitPoints
    crowd : callable
        ``crowd(points, count)`` selects `count` of the points drawn by ``points(many)``, with the
        desired density if there is one.
    finer : bool
        Whether integrals are taken with more points than in a fit: what is held at one rule of
        quadrature alone shows at another.
    """

    interior: int
    boundary: int
    draw: UnitPoints
    crowd: Callable[[Callable[[int], Floats], int], Floats]
    finer: bool = False


@dataclass(frozen=True)
class Cut:
    """A part of a domain: `low` to `high` along a coordinate that runs from `start` to `end`.

    Parts follow each other upward from `start` or, if `backward`, downward from `end`.
    """

    coordinate: sympy.Symbol
    axis: int
    start: float
    end: float
    low: float
    high: float
    backward: bool = False

    @property
    def origin(self) -> float:
        """Where the first part begins."""
        return self.end if self.backward else self.start

    @property
    def entrance(self) -> float:
        """Where this part begins."""
        return self.high if self.backward else self.low

    def holds(self, points: Floats) -> NDArray[np.bool_]:
        """Which points lie in it; points on a cut belong to the earlier part only."""
        return self.reaches(points[:, self.axis])

    def reaches(self, at: Floats) -> NDArray[np.bool_]:
        """The same for values of the coordinate."""
        if self.backward:
            after = (at >= self.low) | (self.low <= self.start)
            return np.asarray(after & ((at < self.high) | (self.high >= self.end)))
        after = (at > self.low) | (self.low <= self.start)
        return np.asarray(after & ((at <= self.high) | (self.high >= self.end)))


@dataclass(frozen=True)
class Kept:
    """What a part of the domain keeps of a place.

    `continued` says that it takes over the values at the end of the previous part; `rows` are the
    rows kept, if not all of them.
    """

    place: "Place"
    continued: bool = False
    rows: NDArray[np.bool_] | None = None


class Place(ABC):
    """Where the rows of a block hold."""

    @abstractmethod
    def sample(self, domain: Domain, drawing: Drawing) -> Legs:
        """Points, newly drawn each time."""

    @property
    @abstractmethod
    def key(self) -> Hashable:
        """Places of one problem with the same key share their points."""

    @abstractmethod
    def __str__(self) -> str:
        """In readable form: ``x = 0, y = 1``."""

    def check(self, domain: Domain, what: str) -> None:  # noqa: B027  (most places fit anywhere)
        """Raise `ProblemError` if the place is not in the domain; `what` names what is there."""

    def fitted_to(self, domain: Domain) -> "Place":
        """The same place, without the round-off of what was written."""
        return self

    @property
    def coordinates(self) -> tuple[sympy.Symbol, ...]:
        """The coordinates that an integral over it runs over."""
        raise ProblemError(f"There is no integral over {self}; use domain.boundary(...).")

    def has_normals(self, domain: Domain) -> bool:
        """Whether its points come with outward normals."""
        return False

    def within(self, cut: Cut) -> Sequence[Kept]:
        """What a part of the domain keeps; by default all of it."""
        return [Kept(self)]

    def values_of(self, coordinate: sympy.Symbol) -> set[float]:
        """The values at which the place fixes a coordinate; empty if it is free."""
        return set()

    def against_marching(self, coordinate: sympy.Symbol, domain: Domain) -> str:
        """Why the place prevents marching along a coordinate; empty if it does not."""
        return ""

    @property
    def resampled(self) -> bool:
        """Whether fresh points can be drawn there."""
        return True

    @property
    def document(self) -> Any:
        """As plain data for a problem file."""
        raise ProblemError(f"A condition on {self} cannot be written to a file.")
