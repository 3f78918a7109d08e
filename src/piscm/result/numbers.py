"""Numbers of a solution that carry more than their value."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from piscm.compile.blocks import Block
from piscm.network.model import Model
from piscm.problem.place import Leg
from piscm.problem.problem import Problem
from piscm.result.arguments import checked_points

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class UnknownValue:
    """An identified parameter and its standard error.

    The error is infinite if the data do not determine the parameter, and NaN if they leave no
    degrees of freedom to estimate their noise (give ``Observations(..., noise=...)``).
    """

    value: float
    stderr: float

    def __str__(self) -> str:
        bar = "(no error bar)" if np.isnan(self.stderr) else f"± {self.stderr:.1e}"
        return f"{self.value:.8g} {bar}"


class Residual(float):
    """The fitted residual as a number; called with points, the residual of the equations there.

    The number is the root of the weighted sum of mean squares of all blocks (the paper's E); for
    `Auto` and `Windows`, equations and conditions are scaled to the units of the fields.
    """

    _problem: Problem
    _blocks: Sequence[Block]
    _model: Model

    def __new__(
        cls, value: float, problem: Problem, blocks: Sequence[Block], model: Model
    ) -> "Residual":
        made = super().__new__(cls, value)
        made._problem, made._blocks, made._model = problem, blocks, model
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return Residual, (float(self), self._problem, self._blocks, self._model)

    def __call__(self, points: ArrayLike) -> Floats:
        """The residual of the equations at points of shape (N, n), in the domain's order.

        Returns
        -------
        ndarray, shape (N,) for one equation, (equations, N) for several
        """
        return self.near(checked_points(self._problem, points))

    def near(self, array: Floats) -> Floats:
        """The same where points may lie a little outside, as in pictures whose edge is cut off."""
        blocks = [block for block in self._blocks if block.kind == "equations"]
        if self._problem.in_regions:
            return self._by_region(array, blocks)
        values = np.stack([self._model.residual(block, (Leg(array),)) for block in blocks])
        return values[0] if len(blocks) == 1 else values

    def _by_region(self, points: Floats, blocks: Sequence[Block]) -> Floats:
        """The equations of the region in which each point lies."""
        which, regions = self._problem.region_of(points), np.array(self._problem.in_regions)
        values = np.empty((len(blocks) // len(np.unique(regions)), len(points)))
        for region in np.unique(which):
            here = np.flatnonzero(which == region)
            for row, number in zip(values, np.flatnonzero(regions == region), strict=True):
                row[here] = self._model.residual(blocks[int(number)], (Leg(points[here]),))
        return values[0] if len(values) == 1 else values
