"""One window: points, weights that speak equally loud, growth, refinement, and what it is worth."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import sympy
from numpy.typing import NDArray

from piscm.blocks import Block
from piscm.construct.machine import Growth, Report, grow
from piscm.construct.methods import Method
from piscm.construct.refine import Emphasis, Refined, as_grown, refine
from piscm.design import System
from piscm.evaluate import Network
from piscm.march.cut import window_blocks, window_box, with_values_of
from piscm.march.equalize import equalizing, loudness
from piscm.network.activations import activation_named
from piscm.problem.problem import Problem
from piscm.sampling import Sampling, block_points
from piscm.start import Start
from piscm.status import Status

Floats = NDArray[np.float64]
Points = list[tuple[Floats, ...]]
Hopeless = Callable[[Floats, float], bool]
"""``hopeless(residuals, tolerance)`` says that growth will not get there."""

# The residual is looked at between the points at so many times as many fresh ones.
_BETWEEN = 2
# Points are added where the residual there is larger than the fitted one by this factor ...
_PARTED = 2.0
# ... and so many, as a share of those that are there.
_MORE = 0.5


@dataclass(frozen=True)
class Task:
    """What stays the same from window to window."""

    problem: Problem
    blocks: Sequence[Block]
    coordinate: sympy.Symbol | None
    start: Start
    weights: Mapping[str, float]


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
        The residual, relative to that scale, at the points that were fitted and at fresh ones.
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
        return max(self.fitted, self.held_out)


def solve_piece(
    task: Task,
    low: float,
    high: float,
    before: Network | None,
    method: Method,
    sampling: Sampling,
    rng: np.random.Generator,
    report: Report,
    *,
    hopeless: Hopeless | None = None,
    stages: Sequence[int] = (),
) -> Piece:
    """Grow a network on a window; `method.tolerance` is relative to the size of what is sought.

    After each stage (a number of nodes) the residual is looked at between the points. Where it parts
    from the fitted one, points are added there before growth goes on.
    """
    window = _Window(task, low, high, before, method, sampling, rng)
    growth: Growth | None = None
    limits = [*(nodes for nodes in stages if nodes < method.max_nodes), method.max_nodes]
    for limit in limits:
        piece = window.grown(limit, growth, report, hopeless)
        growth = piece.growth
        ended = growth.status in (Status.INTERRUPTED, Status.TIME_LIMIT, Status.HOPELESS)
        parted = piece.held_out > max(_PARTED * piece.fitted, method.tolerance)
        full = growth.status in (Status.NODE_LIMIT, Status.FINISHED)
        if ended or limit == limits[-1] or not (full or parted):
            break
        if parted:
            window.add_points(piece)
    return piece


class _Window:
    """The blocks of a window at their points, which can become more."""

    def __init__(
        self,
        task: Task,
        low: float,
        high: float,
        before: Network | None,
        method: Method,
        sampling: Sampling,
        rng: np.random.Generator,
    ) -> None:
        self._task, self._low, self._high, self._before = task, low, high, before
        self._method, self._activation = method, activation_named(method.activation)
        self._problem, self._blocks, self._handed = task.problem, list(task.blocks), []
        if task.coordinate is not None:
            box = window_box(task.problem, task.coordinate, low, high)
            self._problem = task.problem.within(box)
            self._blocks, self._handed = window_blocks(
                task.problem, task.blocks, task.coordinate, low, high
            )
        fitted, fresh, pool, self._node_rng, self._more_rng = rng.spawn(5)
        self._points = block_points(self._problem, self._blocks, sampling, fitted)
        many = Sampling(_BETWEEN * sampling.interior, _BETWEEN * sampling.boundary)
        self._fresh = block_points(self._problem, self._blocks, many, fresh)
        self._fresh_blocks = self._tied(self._fresh)
        # The typical node is a wave whatever the network has: residuals mean the same for all.
        tied = self._tied(self._points)
        waves = activation_named("sin")
        plain = System(self._problem, tied, self._points, task.weights, waves, task.start)
        self._loud = loudness(plain, tied, pool)

    def _tied(self, points: Points) -> list[Block]:
        return with_values_of(self._blocks, self._handed, points, self._before)

    def _system(self, blocks: Sequence[Block], points: Points, more: Emphasis) -> System:
        emphasis = {
            index: factor * more.get(index, np.ones(1))
            for index, factor in equalizing(self._loud, blocks, points).items()
        }
        task = self._task
        return System(
            self._problem, blocks, points, task.weights, self._activation, task.start, emphasis
        )

    def grown(
        self, limit: int, before: Growth | None, report: Report, hopeless: Hopeless | None
    ) -> Piece:
        """Growth up to a number of nodes, refined, at the points there are."""
        blocks, points = self._tied(self._points), list(self._points)

        def make_system(more: Emphasis) -> System:
            return self._system(blocks, points, more)

        system = make_system({})
        scale = float(np.sqrt(system.start().energy)) or 1.0
        tolerance = self._method.tolerance * scale
        method = replace(self._method, tolerance=tolerance, max_nodes=limit)

        def stop(residuals: Floats) -> bool:
            return hopeless is not None and hopeless(residuals, tolerance)

        growth = grow(system, method, self._node_rng, report, before, stop)
        refined = as_grown(make_system, growth.nodes, growth.state)
        if growth.status not in (Status.INTERRUPTED, Status.TIME_LIMIT, Status.HOPELESS):
            refined = refine(make_system, blocks, refined, method)
        weights, unknowns = refined.state.weights, refined.state.unknowns
        network = Network(
            self._problem, self._task.start, method.activation, growth.nodes, weights, unknowns
        )
        return Piece(
            self._low,
            self._high,
            blocks,
            points,
            refined,
            network,
            replace(growth, state=refined.state),
            scale,
            fitted=float(np.sqrt(refined.state.energy)) / scale,
            held_out=self._held_out(network) / scale,
        )

    def _held_out(self, network: Network) -> float:
        """The residual between the points, weighed as the fitted one is."""
        total = 0.0
        for index, (block, points) in enumerate(zip(self._fresh_blocks, self._fresh, strict=True)):
            weight = self._task.weights[block.kind] * block.weight / self._loud[index] ** 2
            total += weight * float(np.mean(network.residual(block, points) ** 2))
        return float(np.sqrt(total))

    def add_points(self, piece: Piece) -> None:
        """More points where the residual between them is large, in proportion to its square."""
        added: dict[int, tuple[Floats, ...]] = {}
        for index, block in enumerate(self._fresh_blocks):
            own, fresh = self._points[index], self._fresh[index]
            if id(own) in added or len(fresh[0]) <= len(own[0]):  # observations, single points
                continue
            squares = piece.network.residual(block, fresh) ** 2
            for other, same in enumerate(self._points):  # blocks that share the points
                if same is own and other != index:
                    more = piece.network.residual(self._fresh_blocks[other], fresh) ** 2
                    squares = squares / self._loud[index] ** 2 + more / self._loud[other] ** 2
            chance = squares / squares.sum()
            count = min(int(_MORE * len(own[0])), np.count_nonzero(chance))
            chosen = self._more_rng.choice(len(chance), count, replace=False, p=chance)
            added[id(own)] = tuple(
                np.concatenate([old, new[chosen]]) for old, new in zip(own, fresh, strict=True)
            )
        self._points = [added.get(id(own), own) for own in self._points]
