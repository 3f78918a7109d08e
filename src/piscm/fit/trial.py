"""One trial: a network whose weights were fitted all at once, the points of it, how it was made."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.assembly import Assembly
from piscm.assemble.columns import Columns
from piscm.assemble.grading import GradedScaling
from piscm.assemble.rows import rows_of
from piscm.assemble.sites import Points
from piscm.assemble.state import State
from piscm.assemble.system import System
from piscm.construct.machine import Growth
from piscm.fit.members import Member
from piscm.fit.one_network import OneNetwork
from piscm.fit.piece import Piece
from piscm.fit.refine import Refined
from piscm.network.network import Network
from piscm.network.nodes import Nodes
from piscm.network.start import Start
from piscm.result.history import HISTORY, as_history
from piscm.result.status import Status

Floats = NDArray[np.float64]

# An estimate is not too small if the error, seen from a better trial, is at most so much larger.
_RIGHT = 3.0
# Nodes that fit better are not taken if the residual elsewhere is so many times as large.
_BEHIND = 4.0


@dataclass(frozen=True)
class Level:
    """The points of all trials with one number of nodes."""

    assembly: Assembly
    fresh: Points
    weights: Mapping[str, float]

    @cached_property
    def size(self) -> float:
        """The residual of zero fields, or of the user's start if that is not finite or zero."""
        problem = self.assembly.part.problem
        none = Nodes.none(problem.domain.dimension)
        unknowns = np.array(list(problem.unknowns.values()))
        empty = np.zeros((0, len(problem.fields)))
        sizes = [
            self.norm(Network(problem, start, "sin", none, empty, unknowns), self.assembly.points)
            for start in (Start(problem), self.assembly.start)
        ]
        return next((size for size in sizes if 0 < size < np.inf), 0.0)

    def norm(self, network: Network, points: Points) -> float:
        """The residual at some points, in the units of the fields."""
        scaling, total = self.assembly.scaling, 0.0
        assert scaling is not None
        blocks = self.assembly.part.blocks
        for block, legs, rows in zip(blocks, points, rows_of(network, blocks, points), strict=True):
            squares = rows**2
            if isinstance(scaling, GradedScaling):
                squares = squares * scaling.factors(block, legs)
            weight = self.weights[block.kind] * block.weight
            total += weight * float(np.mean(squares)) / scaling.named(block) ** 2
        return float(np.sqrt(total))


class Answer(NamedTuple):
    """What a trial has found: the rest of it can be made anew."""

    weights: Floats
    unknowns: Floats
    fitted: float
    held_out: float
    seconds: float


@dataclass(frozen=True)
class Trial:
    """A fit of all nodes at once.

    Attributes
    ----------
    member : Member
    level : Level
    network : Network
    system, columns, state
        What its weights minimize.
    fitted, held_out : float
        The residual relative to that of zero fields, at its own points and at others.
    estimate : float
        The estimated relative error of the fields, from the distance to a less accurate trial.
    confirmed : bool
        Whether the estimate of that trial, made in the same way, was not too small.
    residuals : ndarray, shape (nodes,)
        For each node the residual of the first trial that had it.
    seconds : float
    """

    member: Member
    level: Level
    network: Network
    system: System
    columns: Columns
    state: State
    fitted: float
    held_out: float
    residuals: Floats
    seconds: float
    estimate: float = np.inf
    confirmed: bool = False

    @property
    def count(self) -> int:
        return len(self.network.nodes)

    @property
    def error(self) -> float:
        larger = max(self.fitted, self.held_out)
        return larger if np.isfinite(larger) else np.inf

    def promises_more(self, other: "Trial") -> bool:
        """Whether finer nodes are better than others, as many, or will be with more of them.

        Between the last points and a corner they do worse at first, and a few fresh points there
        make most of the residual. So what is fitted counts as well, if that elsewhere is not far
        behind.
        """
        if not self.error < _BEHIND * other.error:
            return False
        return self.error < other.error or (self.fitted * self.error < other.fitted * other.error)

    def beside(self, other: "Trial") -> "Trial":
        """The same with its error estimated from another trial.

        The difference is about the error of the worse one; its own error is smaller in proportion
        to the residuals.
        """
        if not other.held_out > self.held_out or not np.isfinite(other.held_out):
            return self
        problem = self.network.problem
        missed = size = 0.0
        for item in problem.fields:
            points = self.level.fresh[problem.equation_at_home(item)][0].points
            mine = self.network.value(self.network.compile(item), points)
            theirs = other.network.value(other.network.compile(item), points)
            missed += float(np.mean((mine - theirs) ** 2))
            size += float(np.mean(mine**2))
        if not size > 0:
            return self
        distance = float(np.sqrt(missed / size))
        found = distance * self.held_out / other.held_out
        if not found < self.estimate:
            return self
        return replace(self, estimate=found, confirmed=distance <= _RIGHT * other.estimate < np.inf)

    @property
    def answer(self) -> "Answer":
        """What somebody else needs to know of it."""
        found = (self.fitted, self.held_out, self.seconds)
        return Answer(self.state.weights, self.state.unknowns, *found)

    def piece(self, status: Status) -> Piece:
        """The trial as the network of the only window."""
        history = np.zeros(self.count, dtype=HISTORY)
        history["residual"], history["rank"] = self.residuals, np.nan
        history["seconds"] = self.seconds / max(1, self.count)
        nodes, columns = self.network.nodes, self.columns
        growth = Growth(nodes, columns.take([]), self.state, as_history(history), status)
        refined = Refined(nodes, self.system, columns, self.state)
        fit = OneNetwork(self.network, growth, refined, self.state.norm)
        size = self.level.size or np.finfo(float).tiny
        return Piece(0.0, 1.0, self.level.assembly, fit, size, self.fitted, self.held_out)


@dataclass(frozen=True)
class Making:
    """How trials are made: number of nodes, where they begin, Gauss–Newton steps at most.

    `grown` keeps the nodes of the guide.
    """

    count: int
    guide: Trial | None
    grown: bool
    iterations: int

    @property
    def without_guide(self) -> "Making":
        """The same for a guide that is told otherwise."""
        return replace(self, guide=None)

    def guided(self, guide: Trial) -> "Making":
        """The same with a guide."""
        return replace(self, guide=guide)
