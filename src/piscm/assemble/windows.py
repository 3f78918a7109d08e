"""What must hold in a window of the domain.

The user's initial conditions are the conditions on the low face of a coordinate or, where there are
none, on its high face: windows then follow each other downward. The first window uses them as they
are. Later windows equate the same expressions to their values at the end of the
previous window: ``u - f(x)`` passes on u, ``u.diff(t)`` its slope.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray

from piscm.assemble.marching import runs_backward
from piscm.assemble.sampling import Density
from piscm.assemble.sites import Points, Site
from piscm.compile.blocks import Block, compile_blocks
from piscm.compile.expression import Compiled
from piscm.network.model import Model
from piscm.network.network import Network
from piscm.problem.observations import Observations
from piscm.problem.place import Cut, Leg
from piscm.problem.priors import PriorRow
from piscm.problem.problem import Problem
from piscm.problem.requirement import Requirement

Floats = NDArray[np.float64]


_AT_THE_END = 16  # of so many points of a window, one more at its end
_REMEMBERED = 4  # arrays of points: fitted ones, those between them, and some of a stage before


class HandedOn:
    """The values of an expression at the end of the window before.

    A window asks for them again and again at the same few arrays of points: for every system of
    rows, every residual between them. The latest are remembered.
    """

    def __init__(self, before: Model, compiled: Compiled) -> None:
        self._before, self._compiled = before, compiled
        self._known: list[tuple[Floats, Floats]] = []

    def __call__(self, points: Floats) -> Floats:
        found = next((values for known, values in self._known if known is points), None)
        if found is None:
            found = self._before.value(self._compiled, points)
            found.setflags(write=False)
            self._known = [(points, found), *self._known[: _REMEMBERED - 1]]
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return HandedOn, (self._before, self._compiled)  # what is remembered need not travel


@dataclass(frozen=True)
class Part:
    """A problem on all or part of its domain, with its compiled blocks."""

    problem: Problem
    blocks: tuple[Block, ...]

    @classmethod
    def whole(cls, problem: Problem) -> "Part":
        """The whole problem."""
        return cls(problem, tuple(compile_blocks(problem)))

    def window(
        self, coordinate: sympy.Symbol, low: float, high: float, before: Model | None
    ) -> "Part":
        """The problem between two values of a coordinate, after another window or as the first one.

        The new problem has those conditions and observations that lie in the window.
        """
        problem = self.problem
        cut = cut_at(problem, coordinate, low, high)
        requirements = (*problem.conditions, *problem.observations, *problem.priors)
        sources: Sequence[Requirement | None] = [None] * len(problem.equations) + [*requirements]
        blocks: list[Block] = []
        inside: list[Requirement] = []
        for block, source in zip(self.blocks, sources, strict=True):
            for kept in block.place.within(cut):
                own = replace(block, place=kept.place)
                if kept.rows is not None and block.data is not None:
                    own = own.kept(kept.rows)
                if kept.continued:
                    assert before is not None, "a window that is not the first follows another"
                    own = replace(own, inherited=HandedOn(before, block.compiled))
                blocks.append(own)
                if source is not None:
                    inside.append(source.within(kept))
        domain = problem.domain.cut(coordinate, low, high)
        observations = [item for item in inside if isinstance(item, Observations)]
        conditions = [item for item in inside if item.kind == "conditions"]
        priors = [item for item in inside if isinstance(item, PriorRow)]
        return Part(problem.part(domain, conditions, observations, priors), tuple(blocks))

    def without_observations(self) -> "Part":
        """The same part without data."""
        problem = self.problem.part(self.problem.domain, self.problem.conditions, ())
        return Part(problem, tuple(block for block in self.blocks if not block.observed))


def cut_at(problem: Problem, coordinate: sympy.Symbol, low: float, high: float) -> Cut:
    """A slice of the domain of a problem."""
    start, end = problem.domain.span(coordinate)
    backward = runs_backward(problem, coordinate)
    return Cut(coordinate, problem.domain.axis(coordinate), start, end, low, high, backward)


def with_end(points: Points, part: Part, whole: Problem) -> Points:
    """Points of a window in time alone, and its end, from which another window goes on.

    Otherwise a slope could be handed on that no row has seen: a layer fits between the end and the
    point next to it.
    """
    domain = part.problem.domain
    if domain.dimension > 1:
        return points
    time = domain.coordinates[0]
    place = 0 if runs_backward(whole, time) else 1
    end = domain.span(time)[place]
    if end == whole.domain.span(time)[place]:
        return points
    last = Site((Leg(np.array([[end]])),))
    pairs = zip(part.blocks, points.of_block, strict=True)
    own = {n for block, n in pairs if block.kind == "equations" and not block.integrands}
    return points.changed(lambda number, site: site.joined(last) if number in own else site)


def at_the_end(
    points: Points, part: Part, coordinate: sympy.Symbol, rng: np.random.Generator
) -> Points:
    """Points of a window, and some more of its equations at its end, where no condition holds.

    Steep nodes make a layer there that no other row sees, and it is handed on.
    """
    domain = part.problem.domain
    axis, backward = domain.axis(coordinate), runs_backward(part.problem, coordinate)
    end = domain.span(coordinate)[0 if backward else 1]
    pairs = zip(part.blocks, points.of_block, strict=True)
    own = {n for block, n in pairs if block.kind == "equations" and not block.integrands}

    def joined(number: int, site: Site) -> Site:
        if number not in own or len(site.legs) > 1:
            return site
        there = site.legs[0].points
        there = there[rng.permutation(len(there))[: len(there) // _AT_THE_END]]
        there[:, axis] = end
        return site.joined(Site((Leg(there),)))

    return points.changed(joined)


def steepness(problem: Problem, coordinate: sympy.Symbol, before: Network) -> Density:
    """How steep the fields are at the end of the previous window; points should be denser there."""
    box = before.problem.domain.bounding_box
    axis = box.axis(coordinate)
    across = [(i, other) for i, other in enumerate(box.coordinates) if i != axis]
    end = box.lower[axis] if runs_backward(problem, coordinate) else box.upper[axis]
    slopes = [
        (box.width[i], before.compile(item.diff(other)))
        for item in problem.fields
        for i, other in across
        if other in item.args
    ]

    def density(points: Floats) -> Floats:
        there = points.copy()
        there[:, axis] = end
        total = np.zeros(len(points))
        for width, slope in slopes:
            size = np.abs(before.value(slope, there)) * width
            total += size / (size.mean() or 1.0)
        return total if total.sum() > 0 else np.ones(len(points))

    return density
