"""One window: points, weights that speak equally loud, growth, refinement."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.row_scaling import equalizing, loudness
from piscm.assemble.sampling import Sampling, block_points
from piscm.assemble.state import State
from piscm.assemble.system import System
from piscm.assemble.windows import (
    observed_inside,
    steepness,
    window_blocks,
    window_box,
    with_values_of,
)
from piscm.compile.blocks import Block
from piscm.construct.machine import Growth, Report, grow
from piscm.construct.methods import Method
from piscm.fit.piece import LISTENERS, STOPPED, Piece, Points, Task
from piscm.fit.refine import Emphasis, as_grown, refine
from piscm.fit.slabs import correct_on_all, most_points, some_points
from piscm.linalg.bounded import Bounds
from piscm.network.activations import Activation, activation_named
from piscm.network.model import Network
from piscm.network.nodes import Nodes
from piscm.network.start import Start
from piscm.result.status import Status

Floats = NDArray[np.float64]
Hopeless = Callable[[Floats, float], bool]
"""``hopeless(residuals, tolerance)`` says that growth will not get there."""

# Points follow the steepness of the window before where it is so many times its mean somewhere.
_STEEP = 4.0
# An equation that is met so much better than the data are is met well enough.
_BELOW_NOISE = 0.01
_NO_TIME = 1e-3  # seconds; a limit must be positive
# The residual is looked at between the points at so many times as many fresh ones.
_BETWEEN = 2
# Points are added where the residual there is larger than the fitted one by this factor ...
_PARTED = 2.0
# ... until there are so many times as many.
_MORE = 1.5


def solve_piece(
    task: Task,
    low: float,
    high: float,
    before: Network | None,
    methods: Sequence[Method],
    sampling: Sampling,
    rng: np.random.Generator,
    report: Report,
    *,
    hopeless: Hopeless | None = None,
    stages: Sequence[int] = (),
    points_per_node: float = 0.0,
) -> Piece:
    """Grow a network on a window; `tolerance` is relative to the size of what is sought.

    Of several methods the one that is best after the first stage (a number of nodes) goes on. After
    each stage the residual is looked at between the points, and points are added, half of them
    where it is large: as many as the nodes ask for, and more where it parts from the fitted one.
    """
    most = methods[0].max_nodes
    fit = Fit(task, low, high, before, sampling, most_points(most * len(task.problem.fields)), rng)
    limits = [*(nodes for nodes in stages if nodes < most), most]
    trials: list[tuple[Method, Piece]] = []
    for method in methods:
        alone = len(methods) == 1
        piece = fit.grown(method, limits[0], None, report, hopeless if alone else None)
        trials.append((method, piece))
        if piece.growth.status in STOPPED:
            return _stopped(trials)
    method, piece = min(trials, key=lambda trial: trial[1].error)
    for limit in limits[1:]:
        ended = piece.growth.status in (*STOPPED, Status.HOPELESS)
        parted = piece.held_out > max(_PARTED * piece.fitted, method.tolerance)
        full = piece.growth.status in (Status.NODE_LIMIT, Status.FINISHED)
        enough = piece.error <= max(method.tolerance, _BELOW_NOISE * piece.misfit)
        if ended or enough or not (full or parted):
            break
        wanted = points_per_node * limit
        if parted:
            wanted = max(wanted, _MORE * len(piece.points[0][0]))
        fit.add_points(piece, wanted)
        piece = fit.grown(method, limit, piece.growth, report, hopeless)
    return fit.on_all_points(piece, method)


def _stopped(trials: Sequence[tuple[Method, Piece]]) -> Piece:
    """The best of what there is, as stopped on the way."""
    status = trials[-1][1].growth.status
    best = min((piece for _, piece in trials), key=lambda piece: piece.error)
    return replace(best, growth=replace(best.growth, status=status))


class Fit:
    """The blocks of a window at their points, which can become more."""

    def __init__(
        self,
        task: Task,
        low: float,
        high: float,
        before: Network | None,
        sampling: Sampling,
        most: int,
        rng: np.random.Generator,
    ) -> None:
        self._most = most
        self._began = time.perf_counter()
        self._task, self._low, self._high, self._before = task, low, high, before
        self._problem, self._blocks = task.problem, list(task.blocks)
        self._handed: list[int] = []
        if task.coordinate is not None:
            box = window_box(task.problem, task.coordinate, low, high)
            self._problem = task.problem.within(box)
            self._blocks, self._handed = window_blocks(
                task.problem, task.blocks, task.coordinate, low, high
            )
        fitted, pool, self._node_rng, self._rng = rng.spawn(4)
        self._density = None
        if task.coordinate is not None and before is not None:
            density = steepness(task.problem, task.coordinate, before)
            look = density(self._problem.domain.interior(LISTENERS, Sampling().draw(pool)))
            if look.max() > _STEEP * look.mean():
                self._density = density
        points = block_points(self._problem, self._blocks, sampling, fitted, self._density)
        if task.coordinate is not None:
            axis = task.problem.domain.axis(task.coordinate)
            self._blocks, self._handed, points = observed_inside(
                self._blocks, self._handed, points, task.problem.domain, axis, low, high
            )
        # Data are weighed anew as the noise is found out, on the points that growth has.
        many = len(points[0][0]) > most
        self._all = points if many and not task.problem.observations else None
        self._points = some_points(self._blocks, points, most) if many else points
        self._look_elsewhere()
        # The typical node is a wave whatever the network has: residuals mean the same for all.
        tied = self._tied(self._points)
        waves = activation_named("sin")
        plain = System(self._problem, tied, self._points, task.weights, waves, task.start)
        self._loud = loudness(plain, tied, pool)

    def _tied(self, points: Points) -> list[Block]:
        return with_values_of(self._blocks, self._handed, points, self._before)

    def _system(
        self, blocks: Sequence[Block], points: Points, activation: Activation, more: Emphasis
    ) -> System:
        task = self._task
        factors = equalizing(self._loud, blocks, points)
        emphasis = {
            index: (factor if task.equal else 1.0) * more.get(index, np.ones(1))
            for index, factor in factors.items()
        }
        return System(self._problem, blocks, points, task.weights, activation, task.start, emphasis)

    def grown(
        self,
        method: Method,
        limit: int,
        before: Growth | None,
        report: Report,
        hopeless: Hopeless | None,
    ) -> Piece:
        """Growth up to a number of nodes, refined, at the points there are."""
        blocks, points = self._tied(self._points), list(self._points)

        def make_system(more: Emphasis) -> System:
            return self._system(blocks, points, activation_named(method.activation), more)

        system = make_system({})
        scale = self._size(method, points)
        # Growth weighs rows by the nodes of this window; the shorter it is, the louder they are.
        shorter = min(self._task.loud[id(b.compiled)] / self._loud[i] for i, b in enumerate(blocks))
        tolerance = method.tolerance * scale * min(1.0, shorter)
        seconds = method.max_seconds
        if seconds is not None:  # the window's, of which a part may be over
            seconds = max(_NO_TIME, seconds - (time.perf_counter() - self._began))
        method = replace(method, tolerance=tolerance, max_nodes=limit, max_seconds=seconds)

        def stop(residuals: Floats) -> bool:
            return hopeless is not None and hopeless(residuals, tolerance)

        growth = grow(system, method, self._node_rng, report, before, stop)
        refined = as_grown(system, growth.nodes, growth.rows, growth.state)
        if growth.status not in STOPPED:
            try:
                refined = refine(make_system, blocks, refined, method)
            except KeyboardInterrupt:
                growth = replace(growth, status=Status.INTERRUPTED)
        network = self._network(method, growth.nodes, refined.state)
        return Piece(
            self._low,
            self._high,
            blocks,
            points,
            refined,
            network,
            replace(growth, state=refined.state, rows=growth.rows.first(0)),  # rows are large
            scale,
            fitted=self._norm(network, points) / scale,
            held_out=self._norm(network, self._fresh) / scale,
        )

    def _size(self, method: Method, points: Points) -> float:
        """The residual of no network at all, of zero fields or of the user's start."""
        nothing = self._network(method, Nodes.none(self._problem.domain.dimension))
        zero = replace(nothing, start=Start(self._problem))
        # A start must not change what the tolerance means, but zero fields may be singular, or meet
        # everything but the data.
        data = [b.data for b in self._blocks if b.kind == "observations" and b.data is not None]
        sizes = [self._norm(zero, points), self._norm(nothing, points)]
        sizes += [float(np.sqrt(np.mean(values**2))) for values in data]
        return next((size for size in sizes if 0 < size < np.inf), 1.0)

    def on_all_points(self, piece: Piece, method: Method) -> Piece:
        """The piece corrected on all points, where growth had only some of them."""
        if self._all is None or piece.growth.status in STOPPED:
            return piece
        extra = len(some_points(self._blocks, self._all, self._most)[0][0])
        points = [
            tuple(np.concatenate([a, b[extra:]]) for a, b in zip(every, own, strict=True))
            if block.kind == "equations"
            else every
            for every, own, block in zip(self._all, self._points, self._blocks, strict=True)
        ]
        shared: dict[int, tuple[Floats, ...]] = {}  # blocks at one place share their points
        points = [
            shared.setdefault(id(every), own) for every, own in zip(self._all, points, strict=True)
        ]
        blocks = self._tied(points)
        factors = equalizing(self._loud, blocks, points)

        def make_system(
            some: Sequence[Block], places: Any, parts: Emphasis, which: Sequence[int]
        ) -> System:
            emphasis = {n: parts[n] * factors[i] for n, i in enumerate(which)}
            activation = activation_named(method.activation)
            task = self._task
            return System(
                self._problem, some, places, task.weights, activation, task.start, emphasis
            )

        state = piece.refined.state
        bounds = Bounds(self._problem)
        corrected = correct_on_all(
            make_system,
            blocks,
            points,
            piece.growth.nodes,
            state.weights,
            state.unknowns,
            bounds,
            method,
        )
        network = replace(piece.network, weights=corrected.weights, unknowns=corrected.unknowns)
        return replace(
            piece,
            network=network,
            fitted=self._norm(network, points) / piece.scale,
            held_out=self._norm(network, self._fresh) / piece.scale,
        )

    def _network(self, method: Method, nodes: Nodes, state: State | None = None) -> Network:
        weights = np.zeros((0, len(self._problem.fields))) if state is None else state.weights
        guesses = np.array(list(self._problem.unknowns.values()))
        unknowns = guesses if state is None else state.unknowns
        start = self._task.start
        return Network(self._problem, start, method.activation, nodes, weights, unknowns)

    def _norm(self, network: Network, points: Points) -> float:
        """The residual at some points, in the units of the fields.

        Data may be noisy, and are left out where conditions are there to be met.
        """
        total = 0.0
        for block, own in zip(self._tied(points), points, strict=True):
            if block.kind == "observations" and self._problem.conditions:
                continue
            weight = self._task.weights[block.kind] * block.weight
            square = float(np.mean(network.residual(block, own) ** 2))
            total += weight * square / self._task.loud[id(block.compiled)] ** 2
        return float(np.sqrt(total))

    def add_points(self, piece: Piece, wanted: float) -> None:
        """More points, half of them where the residual between them is large.

        `wanted` is the number of points of the equations, up to what growth can work with; those of
        the conditions grow likewise.
        """
        share = max(0.0, min(wanted, self._most) / len(self._points[0][0]) - 1.0)
        squares: dict[int, Floats] = {}
        for index, (block, fresh) in enumerate(zip(self._fresh_blocks, self._fresh, strict=True)):
            residual = piece.network.residual(block, fresh) / self._loud[index]
            key = id(self._points[index])  # blocks at one place share their points
            squares[key] = squares.get(key, 0.0) + residual**2
        grown: dict[int, tuple[Floats, ...]] = {}
        for own, fresh in zip(self._points, self._fresh, strict=True):
            if id(own) in grown or len(fresh[0]) <= len(own[0]):  # observations, single points
                continue
            chance = squares[id(own)]
            total = float(chance.sum())
            even = np.full(len(chance), 1.0 / len(chance))
            chance = even if not 0.0 < total < np.inf else 0.5 * even + 0.5 * chance / total
            count = min(int(np.ceil(share * len(own[0]))), len(chance))
            chosen = self._rng.choice(len(chance), count, replace=False, p=chance)
            grown[id(own)] = tuple(
                np.concatenate([old, new[chosen]]) for old, new in zip(own, fresh, strict=True)
            )
        self._points = [grown.get(id(own), own) for own in self._points]
        self._look_elsewhere()

    def _look_elsewhere(self) -> None:
        """Fresh points, to look at the residual between those that are fitted."""
        inside = max(len(own[0]) for own in self._points)
        pairs = zip(self._points, self._blocks, strict=True)
        faces = [len(own[0]) for own, block in pairs if block.kind == "conditions"]
        many = Sampling(_BETWEEN * inside, _BETWEEN * max(faces, default=1))
        fresh = block_points(self._problem, self._blocks, many, self._rng, self._density)
        # Observations have no other points than their own.
        self._fresh = [
            own if block.kind == "observations" else new
            for own, new, block in zip(self._points, fresh, self._blocks, strict=True)
        ]
        self._fresh_blocks = self._tied(self._fresh)
