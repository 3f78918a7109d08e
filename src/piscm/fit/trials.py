"""Trial fits of one network on a whole domain, and how they are judged."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.assembly import Assembly
from piscm.assemble.columns import Columns
from piscm.assemble.grading import Face, GradedScaling, graded
from piscm.assemble.row_scaling import RowScaling
from piscm.assemble.sampling import Sampling, half_by
from piscm.assemble.sites import Points, draw_points
from piscm.assemble.state import State
from piscm.assemble.system import System
from piscm.construct.machine import Growth
from piscm.fit.members import FINEST, Member
from piscm.fit.one_network import OneNetwork
from piscm.fit.one_shot import Guide, fit_weights
from piscm.fit.piece import Piece, Task
from piscm.fit.refine import Refined
from piscm.network.network import Network
from piscm.network.nodes import Nodes, concatenate, seen_by
from piscm.network.start import Start
from piscm.problem.box import Box
from piscm.result.history import HISTORY, as_history
from piscm.result.status import Status

Floats = NDArray[np.float64]

# Points of the equations per node, even and graded; with fewer the held-out residual parts from the
# fitted one, the sooner the steeper nodes are.
_PER_NODE, _GRADED_PER_NODE = 2, 4


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
        for block, legs in zip(self.assembly.part.blocks, points, strict=True):
            squares = network.residual(block, legs) ** 2
            if isinstance(scaling, GradedScaling):
                squares = squares * scaling.factors(block, legs)
            weight = self.weights[block.kind] * block.weight
            total += weight * float(np.mean(squares)) / scaling.named(block) ** 2
        return float(np.sqrt(total))


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

    @property
    def count(self) -> int:
        return len(self.network.nodes)

    @property
    def error(self) -> float:
        larger = max(self.fitted, self.held_out)
        return larger if np.isfinite(larger) else np.inf

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
        found = float(np.sqrt(missed / size)) * self.held_out / other.held_out
        return replace(self, estimate=min(self.estimate, found))

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


class Laboratory:
    """Makes trials; those with as many nodes share their points and their random numbers."""

    def __init__(self, task: Task, sampling: Sampling | None, rng: np.random.Generator) -> None:
        self._task, self._sampling = task, sampling
        self._nodes_key, self._points_key = (int(key) for key in rng.integers(2**62, size=2))
        self._levels: dict[tuple[int, float | None, tuple[Face, ...]], Level] = {}
        self._systems: dict[tuple[int, str], System] = {}

    @property
    def box(self) -> Box:
        return self._task.problem.domain.bounding_box

    def level(
        self, count: int, nearest: float | None = None, faces: tuple[Face, ...] = ()
    ) -> Level:
        """The points for a number of nodes; only those of one number are kept."""
        key = (count, nearest, faces)
        if key not in self._levels:
            if any(old[0] != count for old in self._levels):
                self._levels.clear()
                self._systems.clear()
            rng = np.random.default_rng([self._points_key, count])
            self._levels[key] = self._drawn(count, nearest, faces, rng)
        return self._levels[key]

    def _drawn(
        self,
        count: int,
        nearest: float | None,
        faces: tuple[Face, ...],
        rng: np.random.Generator,
    ) -> Level:
        task, sampling = self._task, self._sampling or self._spread(count, nearest)
        blocks, domain = task.whole.blocks, task.problem.domain
        points = draw_points(domain, blocks, sampling, rng)
        fresh = draw_points(domain, blocks, sampling.elsewhere, rng)
        scaling: RowScaling = task.scaling
        if nearest is not None:
            points = graded(points, self.box, nearest, rng, faces)
            fresh = graded(fresh, self.box, FINEST, rng)
            unknowns = np.array(list(task.problem.unknowns.values()))
            scaling = GradedScaling.on(scaling, self.box, task.start, unknowns)
        assembly = Assembly(task.whole, points, task.weights, task.start, scaling)
        return Level(assembly, fresh, task.weights)

    def _spread(self, count: int, nearest: float | None) -> Sampling:
        """Faces of two or more dimensions need points like the interior; on a line fewer do."""
        problem = self._task.problem
        per_node = _PER_NODE if nearest is None else _GRADED_PER_NODE
        interior = per_node * (count + len(problem.amplitudes))
        boundary = interior // 4
        if problem.domain.dimension > 2:
            each = 1.5 * interior / max(1, len(problem.conditions))
            boundary = int(np.clip(each, boundary, interior // 2))
        return Sampling(interior, max(1, boundary))

    def prepare(self, members: Iterable[Member], count: int) -> None:
        """Whatever trials share is made before several of them are made side by side."""
        for member in members:
            self._system(self.level(count, member.nearest, member.faces), member.activation)

    def _system(self, level: Level, activation: str) -> System:
        own = (id(level), activation)
        if own not in self._systems:
            self._systems[own] = level.assembly.system(activation)
        return self._systems[own]

    def trial(
        self, member: Member, count: int, guide: Trial | None, grown: bool, iterations: int
    ) -> Trial:
        """A fit of `count` nodes, starting from a guide; `grown` keeps the nodes of the guide."""
        began = time.perf_counter()
        level = self.level(count, member.nearest, member.faces)
        system = self._system(level, member.activation)
        nodes, residuals = self._nodes(member, count, guide if grown else None)
        columns = system.evaluate(nodes)
        start = None
        if guide is not None and not system.is_linear:
            start = self._guide(level, guide)
        state, _ = fit_weights(system, columns, start, iterations)
        problem = self._task.problem
        network = Network(
            problem, self._task.start, member.activation, nodes, state.weights, state.unknowns
        )
        size = level.size or np.finfo(float).tiny
        fitted = level.norm(network, level.assembly.points) / size
        held_out = level.norm(network, level.fresh) / size
        residuals = np.concatenate([residuals, np.full(count - len(residuals), state.norm)])
        seconds = time.perf_counter() - began
        return Trial(
            member, level, network, system, columns, state, fitted, held_out, residuals, seconds
        )

    def near_faces(self, trial: Trial) -> Trial:
        """The same trial, judged at points graded towards the faces as well."""
        if trial.member.nearest is not None:
            return trial
        level = self.level(trial.count, FINEST)
        size = level.size or trial.level.size  # points near faces may see no source
        held_out = level.norm(trial.network, level.fresh) / size
        return replace(trial, held_out=float(np.fmax(held_out, trial.held_out)))

    def _nodes(self, member: Member, count: int, before: Trial | None) -> tuple[Nodes, Floats]:
        rng = np.random.default_rng([self._nodes_key, count])
        if before is None:
            return member.draw(count, self.box, rng), np.zeros(0)
        centers = _residual_weighted(before, rng)
        new = member.draw(count - before.count, self.box, rng, centers)
        return concatenate([before.network.nodes, new]), before.residuals

    def _guide(self, level: Level, guide: Trial) -> Guide:
        if guide.level is level:
            return Guide.of(guide.system, guide.columns, guide.state)
        system = level.assembly.system(guide.member.activation)
        columns = system.evaluate(guide.network.nodes)
        state = system.state_with(columns, guide.network.weights, guide.network.unknowns)
        return Guide.of(system, columns, state)


def _residual_weighted(before: Trial, rng: np.random.Generator) -> Floats:
    """Points between the fitted ones, drawn half by the squared residual of the equations there."""
    level = before.level
    blocks = level.assembly.part.blocks
    inside = [i for i, block in enumerate(blocks) if block.kind == "equations"]
    found: dict[int, Floats] = {}
    for i in inside:
        own = before.network.residual(blocks[i], level.fresh[i]) ** 2
        site = level.fresh.of_block[i]
        found[site] = found[site] + own if site in found else own
    squares = np.concatenate(list(found.values()))
    points = np.concatenate([_stretched(before, site) for site in found])
    return np.asarray(points[rng.choice(len(points), len(points), p=half_by(squares))])


def _stretched(before: Trial, site: int) -> Floats:
    """The points of the equations at a site, as nodes see them."""
    level, problem = before.level, before.network.problem
    points = level.fresh.sites[site].legs[0].points
    if not problem.in_regions:
        return points
    number = level.fresh.of_block.index(site)
    item = next(own for own in problem.fields if problem.equation_at_home(own) == number)
    return seen_by(item, problem, points)
