"""Trial fits of one network on a whole domain, at points that all with as many nodes share."""

import time
import uuid
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.assembly import Assembly
from piscm.assemble.columns import Columns
from piscm.assemble.grading import Face, GradedScaling, graded
from piscm.assemble.row_scaling import RowScaling
from piscm.assemble.sampling import Sampling, half_by
from piscm.assemble.sites import draw_points
from piscm.assemble.system import System
from piscm.fit.members import FINEST, Member
from piscm.fit.one_shot import Guide, fit_weights
from piscm.fit.piece import Task
from piscm.fit.trial import Answer, Level, Making, Trial
from piscm.network.network import Network
from piscm.network.nodes import Nodes, concatenate, seen_by
from piscm.problem.box import Box

Floats = NDArray[np.float64]

# Points of the equations per node, even and graded; with fewer the held-out residual parts from the
# fitted one, the sooner the steeper nodes are.
_PER_NODE, _GRADED_PER_NODE = 2, 4
# Points of all conditions on faces for each point inside: twice as many take a quarter more time
# for the same errors (five problems in three and five dimensions, five seeds).
_ON_FACES = 0.75
_SEES_NOTHING = float(np.finfo(float).tiny)  # the size of a problem at points that see no source


class Laboratory:
    """Makes trials; those with as many nodes share their points and their random numbers."""

    def __init__(self, task: Task, sampling: Sampling | None, rng: np.random.Generator) -> None:
        self._task, self._sampling = task, sampling
        self._nodes_key, self._points_key = (int(key) for key in rng.integers(2**62, size=2))
        self._levels: dict[tuple[int, float | None, tuple[Face, ...]], Level] = {}
        self._systems: dict[tuple[int, str], System] = {}
        self._near: tuple[Network, float] | None = None  # the last one judged near the faces
        self.token = uuid.uuid4().hex  # tells copies of one laboratory from those of others

    def __getstate__(self) -> dict[str, Any]:
        """Without what can be made anew."""
        return {**self.__dict__, "_levels": {}, "_systems": {}, "_near": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def work(self, count: int) -> float:
        """About how many operations a trial takes."""
        columns = float(count * len(self._task.problem.fields))
        return 4.0 * _PER_NODE * columns**3

    def ignores(self, making: Making) -> bool:
        """Whether the guide makes no difference."""
        return not making.grown and all(block.linear for block in self._task.whole.blocks)

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
        """A line has a quarter of the points inside; faces share three quarters of them."""
        problem = self._task.problem
        per_node = _PER_NODE if nearest is None else _GRADED_PER_NODE
        interior = per_node * (count + len(problem.amplitudes))
        boundary = interior // 4
        if problem.domain.dimension > 2:
            each = _ON_FACES * interior / max(1, len(problem.conditions))
            boundary = int(np.clip(each, interior // 8, interior // 2))
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

    def trial(self, member: Member, making: Making) -> Trial:
        """A fit of so many nodes, starting from the guide."""
        began = time.perf_counter()
        level, system, columns, network, residuals = self._drawn_by(member, making)
        guide, start = making.guide, None
        if guide is not None and not system.is_linear:
            start = self._guide(level, guide)
        state, _ = fit_weights(system, columns, start, making.iterations)
        network = replace(network, weights=state.weights, unknowns=state.unknowns)
        size = level.size or _SEES_NOTHING
        fitted = state.norm / size  # rows are weighted as `level.norm` does
        held_out = level.norm(network, level.fresh) / size
        residuals = np.concatenate([residuals, np.full(making.count - len(residuals), state.norm)])
        seconds = time.perf_counter() - began
        return Trial(
            member, level, network, system, columns, state, fitted, held_out, residuals, seconds
        )

    def made(self, member: Member, making: Making, answer: Answer) -> Trial:
        """The trial that somebody else made, with its own points and columns here."""
        level, system, columns, network, residuals = self._drawn_by(member, making)
        state = system.state_with(columns, answer.weights, answer.unknowns)
        network = replace(network, weights=answer.weights, unknowns=answer.unknowns)
        residuals = np.concatenate([residuals, np.full(making.count - len(residuals), state.norm)])
        found = (answer.fitted, answer.held_out, residuals, answer.seconds)
        return Trial(member, level, network, system, columns, state, *found)

    def again(self, member: Member, network: Network, residuals: Floats) -> Trial:
        """A trial of which only the network is known, as a guide for others."""
        level = self.level(len(network.nodes), member.nearest, member.faces)
        system = self._system(level, member.activation)
        columns = system.evaluate(network.nodes)
        state = system.state_with(columns, network.weights, network.unknowns)
        found = (np.nan, np.nan, residuals, 0.0)
        return Trial(member, level, network, system, columns, state, *found)

    def _drawn_by(
        self, member: Member, making: Making
    ) -> tuple[Level, System, Columns, Network, Floats]:
        """All of a trial but its weights; the residuals are those of nodes that it was given."""
        level = self.level(making.count, member.nearest, member.faces)
        system = self._system(level, member.activation)
        before = making.guide if making.grown else None
        nodes, residuals = self._nodes(member, making.count, before)
        problem, unknowns = self._task.problem, system.guesses
        none = np.zeros((len(nodes), system.fields))
        network = Network(problem, self._task.start, member.activation, nodes, none, unknowns)
        return level, system, system.evaluate(nodes), network, residuals

    def near_faces(self, trial: Trial) -> Trial:
        """The same trial, judged at points graded towards the faces as well."""
        if trial.member.nearest is not None:
            return trial
        if self._near is None or self._near[0] is not trial.network:
            found = self.error_near_faces(trial.network, trial.level.size)
            self._near = (trial.network, found)
        return replace(trial, held_out=float(np.fmax(self._near[1], trial.held_out)))

    def error_near_faces(self, network: Network, otherwise: float = 1.0) -> float:
        """The relative residual of a network at points graded towards the faces."""
        level = self.level(max(1, len(network.nodes)), FINEST)  # growth may have found no node
        size = level.size or otherwise or _SEES_NOTHING  # points near faces may see no source
        return level.norm(network, level.fresh) / size

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
