"""The lines along which integrals over one coordinate run."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray

from piscm.compile.numeric_code import function_of
from piscm.compile.quadrature import POINTS
from piscm.problem.domain import Domain
from piscm.problem.errors import ProblemError
from piscm.problem.numeric import Floats

_ROUND_OFF = 1e-9


@dataclass(frozen=True)
class Lines:
    """Pieces of lines parallel to an axis; a row has one, several, or none.

    Attributes
    ----------
    rows : ndarray, shape (lines, coordinates)
        The point where the integral stands.
    owner : ndarray of int
        The number of its row, in ascending order.
    low, high : ndarray
        Both ends.
    """

    rows: Floats
    owner: NDArray[np.intp]
    low: Floats
    high: Floats

    def __len__(self) -> int:
        return len(self.owner)

    @property
    def alike(self) -> bool:
        """Whether all have the same ends."""
        return not np.ptp(self.low) and not np.ptp(self.high)

    def affordable(self, points: int) -> int:
        """How many panels each may have if all together have so many points."""
        return max(1, points // (POINTS * max(1, len(self))))

    def some(self, count: int) -> "Lines":
        """At most about so many of them."""
        here = np.unique(np.linspace(0, len(self) - 1, count).astype(np.intp))
        return self._chosen(here)

    def cut(self, axis: int) -> "Lines":
        """Each of them up to its row's own place, and from there on."""
        here = np.clip(
            self.rows[:, axis], np.minimum(self.low, self.high), np.maximum(self.low, self.high)
        )
        low = np.stack([self.low, here], axis=1).ravel()
        high = np.stack([here, self.high], axis=1).ravel()
        twice = replace(self, rows=np.repeat(self.rows, 2, axis=0), owner=np.repeat(self.owner, 2))
        cut = replace(twice, low=low, high=high)
        return cut._chosen(np.flatnonzero(low != high))

    def _chosen(self, here: NDArray[np.intp]) -> "Lines":
        return Lines(self.rows[here], self.owner[here], self.low[here], self.high[here])


def along(over: Any, rows: Floats, domain: Domain, where: str) -> tuple[sympy.Symbol, Lines]:
    """The coordinate that an integral runs over, and its lines."""
    if isinstance(over, sympy.Symbol):
        owner, low, high = domain.chords(over, rows)
        return over, Lines(rows[owner], owner, low, high)
    coordinate, *limits = over
    values = function_of(domain.coordinates, limits, where)(*rows.T)
    low, high = np.array([np.broadcast_to(own, (len(rows),)) for own in values], dtype=float)
    start, end = domain.span(coordinate)
    off = _ROUND_OFF * (end - start)
    if (
        not (np.minimum(low, high) >= start - off).all()
        or (np.maximum(low, high) > end + off).any()
    ):
        raise ProblemError(
            f"{where}: an integral along {coordinate} from {limits[0]} to {limits[1]} leaves the "
            f"domain, where it runs from {start:g} to {end:g}."
        )
    return coordinate, Lines(rows, np.arange(len(rows)), low, high)
