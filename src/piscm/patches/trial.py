"""One solve in patches, and how it is judged."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.sampling import Sampling
from piscm.assemble.sites import Points, draw_points
from piscm.assemble.windows import Part
from piscm.compile.blocks import Block
from piscm.network.nodes import Nodes
from piscm.network.patchwork import Patchwork, Tiles
from piscm.network.start import Start
from piscm.patches.close_points import close_points
from piscm.patches.coupled import Coupled
from piscm.patches.crew import Crew, Processes
from piscm.patches.cutting import Cutting, cut_problem
from piscm.patches.distance import Distance, distance
from piscm.patches.grid import Grid
from piscm.patches.levels import Level, resolution
from piscm.patches.looking import residuals
from piscm.patches.solved import Guide, Solved
from piscm.problem.box import Box
from piscm.problem.place import Legs

Floats = NDArray[np.float64]

# Gauss-Newton steps of a nonlinear problem.
_ITERATIONS = 20
# Fresh points: in all at least, and for each patch.
_LEAST, _EACH = 1000, 24
# A residual that falls to this fraction from one level to another is due to the patches.
_FALLS = 0.9
# A residual this many times as large near faces or corners as elsewhere shows what is missed there.
_LAYER = 4.0
# Errors due to a corner are up to this many times the residual near it (41 was seen).
_CORNER = 100.0
# Random rows whose answers tell how much errors are amplified.
_NOISES = (101, 102)


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
        """The estimated relative error; infinite if there is no other trial."""
        return np.inf if self.rival is None else self.rival.relative(self.by_field)

    @property
    def hoped(self) -> float:
        """The relative error if it fell as the residual did; infinite if nothing is known."""
        rival = self.rival
        return np.inf if rival is None else rival.ratio * rival.relative(rival.each)

    def hidden(self, tolerance: float) -> float:
        """The relative error that may hide near faces or corners, where all trials miss the same.

        0 if the residual is no larger there than elsewhere, or at faces than is asked for. At a
        corner where the gradient is infinite no residual is small enough: the least one is that of
        another function.
        """
        if self.close <= _LAYER * self.error:
            return 0.0
        if not isinstance(self.cutting.grid.domain, Box):
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
        points = looks(self.cutting.grid, 5)
        found = distance(self.model, other.model, points, self._ratio(other))
        return found if found.size > 0 else None


def looks(grid: Grid, key: int) -> Floats:
    """Points all over the domain."""
    count = max(_LEAST, _EACH * len(grid))
    draw = Sampling().unit_points(np.random.default_rng(key))
    return grid.domain.sample_inside(count, draw)


@dataclass
class Workshop:
    """Makes trials of one problem.

    Attributes
    ----------
    part : Part
    start : Start
    weights : mapping from the kind of a block to its weight
    activation : str
    scale : the user's scale of nodes, if any
    key : int
        Where all random numbers come from.
    sampling : Sampling or None
        The user's points, in all patches together.
    crew : Crew
        Who works on the patches.
    """

    part: Part
    start: Start
    weights: Mapping[str, float]
    activation: str
    scale: Sequence[float] | None
    key: int
    sampling: Sampling | None = None
    crew: Crew = field(default_factory=Processes)

    def trial(self, level: Level, guide: Guide | None, factor: float = 1.0, turn: int = 0) -> Trial:
        """Solve at a level; a nonlinear problem begins with the fields of a guide.

        Parameters
        ----------
        factor : on the usual scale of nodes
        turn : each has nodes and points of its own
        """
        began = time.perf_counter()
        problem = self.part.problem
        grid = Grid.of(problem.domain, level.edges)
        chosen = resolution(problem, grid, level, self.activation, self.scale, factor)
        if self.sampling is not None:
            chosen = chosen.with_points(self.sampling, len(grid))
        drawn = [
            level.nodes,
            *level.shape,
            len(level.grown),
            round(1000 * factor),
            *([turn] if turn else []),
        ]
        rng = np.random.default_rng([self.key, *drawn])
        cutting = cut_problem(self.part, grid, chosen, self.start, self.weights, rng)
        coupled = Coupled(cutting, self.crew)
        noises = tuple(int(rng.integers(2**31)) + own for own in _NOISES)
        solved = coupled.solve(_ITERATIONS, guide, noises)
        model = coupled.patchwork(solved.weights, solved.unknowns)
        fresh, close = self._fresh(grid, rng)
        norms = self._norms(coupled, solved, (fresh, close))
        # While others look at the residual.
        sizes = (self._size(start, cutting, fresh) for start in self._starts())
        size = next((own for own in sizes if 0 < own < np.inf), 0.0)
        unit = size or 1.0
        amplification = self._amplified(coupled, solved)
        held_out, near = norms()
        return Trial(
            level,
            coupled,
            model,
            solved,
            float(np.sqrt(solved.energy / len(grid))) / unit,
            held_out / unit,
            near / unit,
            amplification,
            time.perf_counter() - began,
            size,
            factor,
        )

    def _starts(self) -> list[Start]:
        return [Start(self.part.problem), self.start]

    def _zero(self, start: Start) -> Patchwork:
        """No nodes at all."""
        problem = self.part.problem
        box = problem.domain.bounding_box
        edges = tuple((float(a), float(b)) for a, b in zip(box.lower, box.upper, strict=True))
        none = Nodes.none(problem.domain.dimension)
        unknowns = np.array(list(problem.unknowns.values()), dtype=float)
        empty = np.zeros((0, len(problem.fields)))
        return Patchwork(
            problem, start, self.activation, Tiles(edges, (0,), (0,)), none, empty, unknowns
        )

    def _fresh(self, grid: Grid, rng: np.random.Generator) -> tuple[Points, Points]:
        """Fresh points, all over the domain and where something may hide."""
        count = max(_LEAST, _EACH * len(grid))
        sampling = Sampling(count, max(100, count // 4))
        domain = grid.domain
        fresh = draw_points(domain, self.part.blocks, sampling, rng)
        return fresh, close_points(fresh, domain, rng)

    def _size(self, start: Start, cutting: Cutting, points: Points) -> float:
        """The residual of no nodes at all."""
        zero, blocks = self._zero(start), self.part.blocks
        pairs = zip(blocks, points, strict=True)
        return self._norm(cutting, points, [zero.residual(block, legs) for block, legs in pairs])

    def _norms(
        self, coupled: Coupled, solved: Solved, several: Sequence[Points]
    ) -> Callable[[], list[float]]:
        """The residual at several sets of points, found by whoever works on the patches."""
        asked = [pair for points in several for pair in enumerate(points)]
        looked = residuals(coupled, solved, asked)

        def found() -> list[float]:
            rows = iter(looked())
            return [self._norm(coupled.cutting, own, [next(rows) for _ in own]) for own in several]

        return found

    def _norm(self, cutting: Cutting, points: Points, rows: Sequence[Floats]) -> float:
        """The rows of all blocks at some points as one number, in the units of the fields."""
        total = 0.0
        blocks = zip(self.part.blocks, points, rows, strict=True)
        for number, (block, legs, own) in enumerate(blocks):
            sizes = cutting.row_sizes[cutting.grid.patches_of(legs[0].points), number]
            squares = float(np.mean((own / sizes) ** 2))
            total += self.weights[block.kind] * block.weight * squares
        return float(np.sqrt(total))

    def _amplified(self, coupled: Coupled, solved: Solved) -> Floats:
        problem, grid = self.part.problem, coupled.cutting.grid
        points = looks(grid, 6)
        nothing = Start(problem)
        largest = np.zeros(len(problem.fields))
        for weights in solved.noise:
            answer = replace(coupled.patchwork(weights, solved.unknowns), start=nothing)
            for index, item in enumerate(problem.fields):
                values = answer.value(answer.compile(item), points)
                largest[index] = np.fmax(largest[index], np.sqrt(np.mean(values**2)))
        return largest
