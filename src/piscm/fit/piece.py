"""What every window has in common, and the network of one window with its residuals."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import sympy
from numpy.typing import NDArray

from piscm.assemble.assembly import Assembly
from piscm.assemble.row_scaling import RowScaling, row_scaling
from piscm.assemble.sampling import Sampling
from piscm.assemble.sites import Site, draw_points
from piscm.assemble.thinning import spread_part
from piscm.assemble.windows import Part
from piscm.fit.inherit import factor_of, worth_keeping
from piscm.fit.one_network import OneNetwork
from piscm.network.network import Network
from piscm.network.start import Start
from piscm.problem.place import Legs
from piscm.problem.problem import Problem
from piscm.result.status import Status

Floats = NDArray[np.float64]

SCALING_POINTS = 200
"""Number of points of each block for measuring the size of its rows."""


@dataclass(frozen=True)
class Task:
    """What stays the same from window to window.

    Attributes
    ----------
    whole : Part
    coordinate : sympy.Symbol or None
        The one along which windows follow each other, if any.
    start : Start
    weights : mapping from the kind of a block to its weight
    scaling : RowScaling
        On the whole domain; the measure of all residuals.
    equal : bool
        Whether rows are scaled to count equally, or weighted as in the paper.
    """

    whole: Part
    coordinate: sympy.Symbol | None
    start: Start
    weights: Mapping[str, float]
    scaling: RowScaling
    equal: bool = True

    @property
    def problem(self) -> Problem:
        return self.whole.problem


def task_for(
    problem: Problem,
    coordinate: sympy.Symbol | None,
    start: Start,
    weights: Mapping[str, float],
    rng: np.random.Generator,
) -> Task:
    """The task, with the row scaling measured on the whole domain."""
    whole = Part.whole(problem)
    few = Sampling(SCALING_POINTS, SCALING_POINTS)
    points = draw_points(problem.domain, whole.blocks, few, rng)
    scaling = row_scaling(problem, whole.blocks, points, start, rng)
    return Task(whole, coordinate, start, weights, scaling)


@dataclass(frozen=True)
class Piece:
    """The network of one window.

    Attributes
    ----------
    low, high : float
        The ends of the window.
    assembly : Assembly
        What must hold there, and at which points.
    fit : OneNetwork
    size : float
        The residual of the empty network: the size of the solution sought.
    fitted, held_out : float
        The residual relative to that size, at the fitted points and at validation points. Rows are
        scaled by a typical node of the whole domain; by one of a short window they would seem
        small.
    estimate : float
        The estimated relative error of the fields, infinite if there is none.
    tried : tuple of str
        What was tried before, in words.
    """

    low: float
    high: float
    assembly: Assembly
    fit: OneNetwork
    size: float
    fitted: float
    held_out: float
    estimate: float = np.inf
    tried: tuple[str, ...] = ()

    @property
    def network(self) -> Network:
        return self.fit.network

    @property
    def status(self) -> Status:
        return self.fit.status

    @property
    def error(self) -> float:
        """The larger of the two residuals."""
        larger = np.maximum(self.fitted, self.held_out)  # NaN if either is
        return float(larger) if np.isfinite(larger) else float("inf")

    @property
    def misfit(self) -> float:
        """The residual of the observations relative to their size."""
        missed = total = 0.0
        for block, legs in zip(self.assembly.part.blocks, self.assembly.points, strict=True):
            if block.observed and block.data is not None:
                missed += float(np.sum(self.network.residual(block, legs) ** 2)) / legs[0].rows
                total += float(np.mean(block.data**2))
        return float(np.sqrt(missed / total)) if total > 0 else 0.0

    @property
    def field_sizes(self) -> Floats:
        """The root mean square of each field, at the points of the equations."""
        network, points = self.network, self.assembly.points
        sizes = []
        for item in network.problem.fields:
            own = points[network.problem.equation_at_home(item)][0].points
            sizes.append(np.sqrt(np.mean(network.value(network.compile(item), own) ** 2)))
        return np.array(sizes)

    def worth_keeping(self, share: float) -> list[int]:
        """The nodes without which the squared residual would rise by more than a share of it."""
        refined, factor = self.fit.refined, self.fit.growth.factor
        if factor is None or len(factor.lengths) != refined.state.weights.size:
            factor = factor_of(refined.columns.at(refined.system.linearize(refined.state)))
        return worth_keeping(factor, refined.state.weights, share * refined.state.energy)

    def some_points(self, per_node: int) -> dict[tuple[str, Hashable], Legs]:
        """The fitted points of every block, thinned to so many inside for each node."""
        points, blocks = self.assembly.points, self.assembly.part.blocks
        step = max(1.0, points.rows[0] / max(1, per_node * len(self.network.nodes)))

        def thinned(_: int, site: Site) -> Site:
            if step == 1.0 or not site.resampled:
                return site
            count = max(1, int(site.rows / step))
            return site.some(spread_part(site.legs[0], count))

        keys = (block.key for block in blocks)
        return dict(zip(keys, points.changed(thinned), strict=True))

    def mirrored(self, sum_of_ends: float) -> "Piece":
        """The same piece where the coordinate runs the other way."""
        return replace(self, low=sum_of_ends - self.high, high=sum_of_ends - self.low)

    def ended(self, status: Status) -> "Piece":
        """The same piece with another status."""
        return replace(self, fit=self.fit.ended(status))

    def without_columns(self) -> "Piece":
        """The same piece without the columns of its nodes, which are large."""
        return replace(self, fit=self.fit.without_columns())


def best_of(pieces: Sequence[Piece]) -> Piece:
    """The most accurate piece."""
    return min(pieces, key=lambda piece: piece.error)
