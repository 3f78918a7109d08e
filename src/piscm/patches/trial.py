"""A solution in patches, and what it and others tell of its error."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.sampling import Sampling
from piscm.compile.blocks import Block
from piscm.network.patchwork import Patchwork
from piscm.patches.coupled import Coupled
from piscm.patches.cutting import Cutting
from piscm.patches.distance import Distance, distance
from piscm.patches.grid import Grid
from piscm.patches.levels import Level
from piscm.patches.looking import residuals
from piscm.patches.solved import Solved
from piscm.problem.place import Legs

Floats = NDArray[np.float64]

LEAST, EACH = 1000, 24
"""Fresh points: in all at least, and for each patch."""
# A residual that falls to this fraction from one level to another is due to the patches.
_FALLS = 0.9
# A residual this many times as large near faces or corners as elsewhere shows what is missed there.
_LAYER = 4.0
# Errors due to a corner are up to this many times the residual near it (41 was seen).
_CORNER = 100.0


@dataclass(frozen=True)
class Trial:
    """A solution in patches.

    Attributes
    ----------
    level : Level
    coupled : Coupled
    model : Patchwork
    solved : Solved
    fitted, held_out, close : float
        The residual relative to that of zero fields: at the fitted points, at fresh ones, and at
        points near the faces of a box or the re-entrant corners of a shape.
    amplification : ndarray, shape (fields,)
        The size of each field in answer to random rows of size 1.
    seconds : float
    size : float
        The residual of zero fields, or of the start if that is not finite.
    factor : float
        On the usual scale of nodes.
    singular : bool
        Whether there are places where gradients may be infinite.
    rival : Distance or None
        To the best of the worse trials of another level or scale.
    twins : tuple of Distance
        To other trials of its own level and scale.
    """

    level: Level
    coupled: Coupled
    model: Patchwork
    solved: Solved
    fitted: float
    held_out: float
    close: float
    amplification: Floats
    seconds: float
    size: float
    factor: float = 1.0
    singular: bool = False
    rival: Distance | None = None
    twins: tuple[Distance, ...] = ()

    @property
    def by_field(self) -> tuple[float, ...]:
        """The estimated error of each field in its units; none if there is no other trial."""
        if self.rival is None:
            return ()
        known = self.rival.confirmed(self.twins) if self.twins else self.rival.unconfirmed
        return self.rival.widened(known, self.unmet)

    @property
    def unmet(self) -> float:
        """The residual, relative, where other patches leave as much of it: no fields may meet it.

        Solutions may then agree, and be those of no problem; only noise of data is left as it is.
        """
        if self.rival is None or self.model.problem.observations:
            return 0.0
        return self.error * max(0.0, (self.rival.ratio - _FALLS) / (1.0 - _FALLS))

    @property
    def estimate(self) -> float:
        """The estimated relative error, as much of it as there is in the thinnest cells.

        Infinite if there is no other trial.
        """
        if self.rival is None:
            return np.inf
        in_cells = max(own.in_cells for own in (self.rival, *self.twins))
        return in_cells * self.rival.relative(self.by_field)

    @property
    def hoped(self) -> float:
        """The relative error if it fell as the residual did; infinite if nothing is known."""
        rival = self.rival
        if rival is None:
            return np.inf
        return rival.in_cells * rival.ratio * rival.relative(rival.each)

    def hidden(self, tolerance: float) -> float:
        """The relative error that may hide near faces or corners, where all trials miss the same.

        0 if the residual is no larger there than elsewhere, or at faces than is asked for. At a
        corner where the gradient is infinite no residual is small enough: the least one is that of
        another function.
        """
        if self.close <= _LAYER * self.error:
            return 0.0
        if self.singular:
            return _CORNER * self.close
        return 0.0 if self.close <= _LAYER * tolerance else self.close

    def is_like(self, other: "Trial") -> bool:
        """Whether only nodes and points differ."""
        return (self.level, self.factor) == (other.level, other.factor)

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks of the problem, without those of the traces."""
        return self.cutting.common.blocks[: len(self.cutting.points.of_block)]

    @property
    def error(self) -> float:
        """The largest relative residual."""
        larger = max(self.fitted, self.held_out)
        return larger if np.isfinite(larger) else np.inf

    @property
    def cutting(self) -> Cutting:
        """The problem in patches."""
        return self.coupled.cutting

    @property
    def trivial(self) -> bool:
        """Whether no nodes at all satisfy everything."""
        return self.size == 0.0

    def residuals(self, asked: Sequence[tuple[Block, Legs]]) -> list[Floats]:
        """The unweighted rows of blocks at points, found by whoever works on the patches."""
        numbers = {id(block): number for number, block in enumerate(self.blocks)}
        return residuals(
            self.coupled, self.solved, [(numbers[id(block)], legs) for block, legs in asked]
        )()

    def among(self, others: Sequence["Trial"]) -> "Trial":
        """The same with its error estimated by its distances to others.

        Of other levels or scales the best one counts, whatever worse ones say.
        """
        worse = [own for own in others if own.model is not self.model and self.error <= own.error]
        worse = [own for own in worse if np.isfinite(own.error)]
        different = [own for own in worse if not self.is_like(own)]
        nearest = min(different, key=lambda own: own.error, default=None)
        alike = [own for own in worse if self.is_like(own)]
        twins = [self._to(own) for own in alike]
        return replace(
            self,
            # What one of the same kind leaves there, another one does not by chance alone.
            close=max([self.close, *(own.close * self._ratio(own) for own in alike)]),
            rival=None if nearest is None else self._to(nearest),
            twins=tuple(own for own in twins if own is not None),
        )

    def _ratio(self, other: "Trial") -> float:
        """The residual relative to that of another one."""
        return self.error / other.error if other.error > 0 else 1.0

    def _to(self, other: "Trial") -> Distance | None:
        """The distance to another one; None if there are no fields."""
        grid = self.cutting.grid
        points = looks(grid, 5)
        found = distance(self.model, other.model, points, self._ratio(other), grid.volumes(points))
        return found if found.size > 0 else None


def looks(grid: Grid, key: int) -> Floats:
    """Points all over the domain."""
    count = max(LEAST, EACH * len(grid))
    draw = Sampling().unit_points(np.random.default_rng(key))
    return grid.moved(grid.domain.sample_inside(count, draw))
