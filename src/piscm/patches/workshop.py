"""Makes trials: points and nodes are drawn, patches solved, and the result is looked at."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from piscm.assemble.sampling import Sampling
from piscm.assemble.sites import Points, draw_points
from piscm.assemble.windows import Part
from piscm.inference.singular_places import SingularPlace, singular_places
from piscm.network.nodes import Nodes
from piscm.network.patchwork import Patchwork, Tiles
from piscm.network.start import Start
from piscm.patches.close_points import close_points
from piscm.patches.coupled import Coupled
from piscm.patches.crew import Crew, Processes
from piscm.patches.cutting import Cutting, cut_problem
from piscm.patches.grid import Grid
from piscm.patches.levels import Level, resolution
from piscm.patches.looking import residuals
from piscm.patches.solved import Guide, Solved
from piscm.patches.trial import EACH, LEAST, Floats, Trial, looks

# Gauss-Newton steps of a nonlinear problem.
_ITERATIONS = 20
# Random rows whose answers tell how much errors are amplified.
_NOISES = (101, 102)


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

    @cached_property
    def singular(self) -> list[SingularPlace]:
        """Where gradients may be infinite."""
        return singular_places(self.part.problem)

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
            bool(self.singular),
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
        count = max(LEAST, EACH * len(grid))
        sampling = Sampling(count, max(100, count // 4))
        domain = grid.domain
        fresh = grid.spread(draw_points(domain, self.part.blocks, sampling, rng))
        return fresh, close_points(fresh, domain, self.singular, rng)

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
