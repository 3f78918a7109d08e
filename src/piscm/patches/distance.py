"""How far two solutions in patches are from each other, and the error that this tells."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from piscm.network.model import Model

Floats = NDArray[np.float64]

# The distance to a worse solution is about the error of that; the error of the better one is
# smaller in proportion to the residuals, but while nothing confirms it, it is not believed to be
# smaller than by the first factor, and is taken for the second times as large.
BELIEVED, SURE = 0.25, 2.0
# The distance of two solutions of the same kind is taken times this. (Where their errors are
# independent and alike, it is that many times one of them; so there is a reserve of two.)
_ALIKE = np.sqrt(2.0)


@dataclass(frozen=True)
class Distance:
    """How far a solution is from another one.

    Attributes
    ----------
    each : tuple of float
        The root mean square of the difference of each field.
    size : float
        The root mean square of all fields of the first one.
    ratio : float
        The residual of the first one relative to that of the other.
    in_cells : float
        How many times larger the difference is if thin cells count as much as wide ones: what is
        wrong in a layer, however thin, must not pass for a solution.
    """

    each: tuple[float, ...]
    size: float
    ratio: float = 1.0
    in_cells: float = 1.0

    def relative(self, errors: tuple[float, ...]) -> float:
        """Errors of the fields, all of them relative to the fields."""
        return float(np.linalg.norm(errors)) / self.size if self.size > 0 else np.inf

    def widened(self, errors: tuple[float, ...], more: float) -> tuple[float, ...]:
        """Errors of the fields, with another one that is relative to all of them."""
        return tuple(float(np.hypot(own, more * self.size)) for own in errors)

    @property
    def unconfirmed(self) -> tuple[float, ...]:
        """The errors of the fields, as far as this distance alone can tell."""
        factor = SURE * max(BELIEVED, self.ratio)
        return tuple(factor * own for own in self.each)

    def confirmed(self, twins: Sequence["Distance"]) -> tuple[float, ...]:
        """The errors of the fields, where solutions of the same kind are known as well.

        All count, the largest one: what other nodes and points of the same number change, and
        what more of them changed, in proportion to the residuals. Which of those of the same kind
        was lucky, residuals tell only in part: by their root.
        """
        known = [tuple(self.ratio * own for own in self.each)]
        known += [tuple(_ALIKE * np.sqrt(twin.ratio) * own for own in twin.each) for twin in twins]
        return tuple(float(max(own)) for own in zip(*known, strict=True))


def distance(
    mine: Model,
    other: Model,
    points: Floats,
    ratio: float = 1.0,
    volumes: Floats | None = None,
) -> Distance:
    """How far two solutions are from each other at some points.

    Parameters
    ----------
    volumes : ndarray, shape (points,), optional
        Of the cell of each point, where points are as many in each; their mean is 1.
    """
    missed, size, in_cells = [], 0.0, 0.0
    for item in mine.problem.fields:
        values, others = (own.value(own.compile(item), points) for own in (mine, other))
        squares = (values - others) ** 2
        in_cells += float(np.mean(squares))
        weights = 1.0 if volumes is None else volumes
        missed.append(float(np.sqrt(np.mean(weights * squares))))
        size += float(np.mean(weights * values**2))
    total = float(np.linalg.norm(missed))
    larger = 1.0 if volumes is None or not total > 0 else max(1.0, np.sqrt(in_cells) / total)
    return Distance(tuple(missed), float(np.sqrt(size)), ratio, float(larger))
