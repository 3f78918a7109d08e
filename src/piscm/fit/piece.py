"""What is asked of every window, and what the network of one is worth."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import sympy
from numpy.typing import NDArray

from piscm.assemble.row_scaling import loudness
from piscm.assemble.sampling import Sampling, block_points
from piscm.assemble.system import System
from piscm.compile.blocks import Block
from piscm.construct.machine import Growth
from piscm.fit.refine import Refined
from piscm.network.activations import activation_named
from piscm.network.model import Network
from piscm.network.start import Start
from piscm.problem.problem import Problem
from piscm.result.status import Status

Floats = NDArray[np.float64]
Points = list[tuple[Floats, ...]]

STOPPED = (Status.INTERRUPTED, Status.TIME_LIMIT)
"""A run that ended so wants to stop at once."""

LISTENERS = 200
"""Points of each block for measuring how loud it is."""


@dataclass(frozen=True)
class Task:
    """What stays the same from window to window."""

    problem: Problem
    blocks: Sequence[Block]
    coordinate: sympy.Symbol | None
    start: Start
    weights: Mapping[str, float]
    loud: Mapping[int, float]  # by the id of what a block is compiled to, on the whole domain
    equal: bool = True  # whether rows of every kind count alike, or as the paper has it


@dataclass(frozen=True)
class Piece:
    """The network of one window.

    Attributes
    ----------
    low, high : float
        Where the window begins and ends.
    blocks, points : what must hold there, and where it was asked for
    refined : Refined
    network : Network
    growth : Growth
    scale : float
        The residual before the first node: the size of what is sought.
    fitted, held_out : float
        The residual, relative to that scale, at the points that were fitted and at fresh ones. Rows
        are measured by a typical node of the whole domain: in a short window they would seem small.
    """

    low: float
    high: float
    blocks: Sequence[Block]
    points: Points
    refined: Refined
    network: Network
    growth: Growth
    scale: float
    fitted: float
    held_out: float

    @property
    def error(self) -> float:
        """The larger of the two residuals."""
        larger = np.maximum(self.fitted, self.held_out)  # NaN where one of them is
        return float(larger) if np.isfinite(larger) else float("inf")

    def without_rows(self) -> "Piece":
        """The same without the columns of its nodes, which are large."""
        none = self.refined.rows.take([])
        refined, growth = replace(self.refined, rows=none), replace(self.growth, rows=none)
        return replace(self, refined=refined, growth=growth)

    @property
    def misfit(self) -> float:
        """What is missed of the observations, as a share of them."""
        missed = total = 0.0
        for block, own in zip(self.blocks, self.points, strict=True):
            if block.kind == "observations" and block.data is not None:
                missed += float(np.sum(self.network.residual(block, own) ** 2)) / len(own[0])
                total += float(np.mean(block.data**2))
        return float(np.sqrt(missed / total)) if total > 0 else 0.0


def task_for(
    problem: Problem,
    blocks: Sequence[Block],
    coordinate: sympy.Symbol | None,
    start: Start,
    weights: Mapping[str, float],
    rng: np.random.Generator,
) -> Task:
    """The task, with how loud every block is on the whole domain."""
    points = block_points(problem, blocks, Sampling(LISTENERS, LISTENERS), rng)
    waves = activation_named("sin")
    loud = loudness(System(problem, blocks, points, weights, waves, start), blocks, rng)
    by_id = {id(blocks[index].compiled): value for index, value in loud.items()}
    return Task(problem, blocks, coordinate, start, weights, by_id)
