"""A richer space around a solution: its own nodes, variations of them, and fresh points."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sympy import Symbol
from sympy.core.function import AppliedUndef

from piscm.assemble.assembly import Assembly
from piscm.assemble.columns import Columns
from piscm.assemble.grading import GradedScaling
from piscm.assemble.row_scaling import RowScaling, row_scaling
from piscm.assemble.sites import Points
from piscm.assemble.state import State
from piscm.assemble.system import System
from piscm.assemble.weighting import EVEN
from piscm.assemble.windows import Part, with_end
from piscm.budget.clock import check_work
from piscm.inference.fresh_points import FittedPoints, FreshPoints, beside
from piscm.linalg.upper import upper_factor
from piscm.network.activations import activation_named
from piscm.network.draw import Draw
from piscm.network.network import Network
from piscm.network.nodes import Nodes, concatenate, seen_by
from piscm.problem.problem import Problem

Floats = NDArray[np.float64]
# New nodes in addition to those of the solution: this fraction of them, and at least this many.
# Above so many waves a fraction is one of the root only: an estimate costs as much as a fit with
# all of them, and what new nodes do not lower counts as an error anyway. Steps and bumps see only
# what is near them. Windows are many, and each shows of an error what those around it show too: of
# 0.5, 0.3 and 0.2 of the nodes of five marches the first two gave estimates of 0.5 to 1.3 times the
# error, the last up to 2.3.
_RICHER, _IN_WINDOWS = 0.5, 0.3
_MANY, _MANY_IN_WINDOWS = 200, 100
_AT_LEAST = 50
# Fresh points per node, alone and in addition to fitted ones; with layers, which have more faces
# to look at than those where the fitted ones are; and of waves, which are the same everywhere: with
# 2 the estimates of nine problems were the same to a tenth, and took a quarter more time.
_POINTS_ALONE, _POINTS_BESIDE, _POINTS_AT_LAYERS, _POINTS_OF_WAVES = 5, 2, 3, 1.4
# Points inside that are enough for the mean square of the residual of waves, which is all over.
_WAVES_ELSEWHERE = 1000


class Elsewhere(NamedTuple):
    """Residuals at points that no fit has used."""

    before: float
    """Of the solution."""
    after: float
    """Of another member of the space."""


@dataclass(frozen=True)
class RicherSpace:
    """A window in a richer space.

    Attributes
    ----------
    part : Part
    own : Network
        The solution in this window.
    system : System
        Rows in the units of the fields, every block with its mean square.
    scaling : RowScaling
        What its rows are divided by.
    nodes, columns : those of the solution first, then the new ones
    weights : ndarray, shape (nodes, fields)
        Those of the solution; zero for new nodes.
    state : State
    inside : tuple of ndarray
        Fresh points of each equation.
    sites : Points
        Those of all rows, fitted ones among them.
    draw : FreshPoints
        How these were drawn.
    """

    part: Part
    own: Network
    system: System
    scaling: RowScaling
    nodes: Nodes
    columns: Columns
    weights: Floats
    state: State
    inside: tuple[Floats, ...]
    sites: Points
    draw: FreshPoints

    @property
    def points(self) -> Floats:
        """Fresh points of the first equation."""
        return self.inside[0]

    def home(self, item: AppliedUndef) -> Floats:
        """Fresh points where a field lives."""
        return self.inside[self.part.problem.equation_at_home(item)]

    def design_at(self, state: State) -> Floats:
        """The rows for small moves of the weights, shape (weights, rows)."""
        design = self.columns.at(self.system.linearize(state)).reshape(-1, self.system.rows)
        design[~np.isfinite(design).all(axis=1)] = 0.0  # nodes that overflow
        return design

    @cached_property
    def triangle(self) -> Floats:
        """R of a QR of the rows at the solution; the last column is that of what they lack."""
        return triangle_at(self.design_at(self.state), self.state)

    def network(self, weights: Floats, unknowns: Floats | None = None) -> Network:
        """A member of the space."""
        own, problem = self.own, self.part.problem
        unknowns = own.unknowns if unknowns is None else unknowns
        return Network(problem, own.start, own.activation, self.nodes, weights, unknowns)

    def elsewhere(self, network: Network, rng: np.random.Generator) -> "Elsewhere":
        """The residual of a member of the space at other points."""
        count = len(self.points)
        if not self.system.activation.localized:
            count = min(count, _WAVES_ELSEWHERE)
        points = self.draw(count, rng)[1]
        assembly = Assembly(self.part, points, EVEN, self.own.start, self.scaling)
        system = assembly.system(self.own.activation)
        columns = system.evaluate(self.nodes)
        before, after = (
            float(system.state_with(columns, weights, unknowns).norm)
            for weights, unknowns in (
                (self.weights, self.own.unknowns),
                (network.weights, network.unknowns),
            )
        )
        return Elsewhere(before, after)

    @cached_property
    def size(self) -> float:
        """The root mean square of all fields."""
        own, fields = self.own, self.part.problem.fields
        values = [own.value(own.compile(item), self.home(item)) for item in fields]
        return float(np.sqrt(sum(float(np.mean(value**2)) for value in values)))

    @cached_property
    def fields(self) -> list[Floats]:
        """Each field at the points for moves of the weights, over the root of their number."""
        network, moves, made = self.network(self.weights), self.weights.size, []
        for item in self.part.problem.fields:
            points = self.home(item)
            gradient = network.gradient(network.compile(item), points)[:moves]
            made.append(gradient.T / np.sqrt(len(points)))
        return made


def triangle_at(design: Floats, state: State) -> Floats:
    """R of a QR of the rows for moves of the weights and of the residual with its sign changed."""
    check_work(2.0 * design.size * len(design))
    both = np.concatenate([design, -state.residual[None]]).T
    return upper_factor(both)


def richer_space(
    part: Part,
    own: Network,
    fitted: FittedPoints,
    rng: np.random.Generator,
    share: float | None = None,
    at_least: int = _AT_LEAST,
    scaling: RowScaling | None = None,
    whole: Problem | None = None,
    along: Symbol | None = None,
) -> RicherSpace:
    """A space with more nodes than the solution has.

    Parameters
    ----------
    fitted : the fitted points, if known
        They are dense where the nodes are steep; fresh points alone would be too sparse there.
    share, at_least : new nodes for each node of the solution, or the usual ones, and how many at
        least
    scaling : that of another space, if rows are to be compared with those there
    whole : the problem of which the part is a window, if it is one
    along : the coordinate along which windows follow each other, if they do
    """
    problem, before = part.problem, len(own.nodes)
    many = _MANY if along is None else _MANY_IN_WINDOWS
    if share is None:
        share = _RICHER if along is None else _IN_WINDOWS
    localized = activation_named(own.activation).localized
    waves = share < 1 and not localized
    counted = min(before, np.sqrt(many * before)) if waves else before
    more = max(at_least, int(share * counted))
    draw = FreshPoints.around(own, part, along)
    beside_fitted = _POINTS_BESIDE if localized else _POINTS_OF_WAVES
    if draw.layers:
        beside_fitted = _POINTS_AT_LAYERS
    each = beside_fitted if fitted else _POINTS_ALONE
    fields = max(1, len(problem.fields) // len(problem.equations))
    fresh, placed = draw(int(each * (before + more) * fields), rng)
    points = beside(part, placed, fitted)
    if whole is not None:
        points = with_end(points, part, whole)
    if scaling is None:
        scaling = row_scaling(problem, part.blocks, points, own.start, rng)
        if draw.layers:  # as the fit did: the residual of a layer would hide that of all the rest
            box = problem.domain.bounding_box
            scaling = GradedScaling.on(scaling, box, own.start, own.unknowns)
    system = Assembly(part, points, EVEN, own.start, scaling).system(own.activation)
    centers = _centers(part, own, points, more, rng) if localized else None
    added = Draw(problem.domain, None).free(more, 1.0, rng, own.nodes, centers)
    nodes = concatenate([own.nodes, added])
    columns = system.evaluate(nodes)
    weights = np.concatenate([own.weights, np.zeros((more, len(problem.fields)))])
    state = system.state_with(columns, weights, own.unknowns)
    inside = tuple(fresh[number][0].points for number in range(len(problem.equations)))
    return RicherSpace(
        part, own, system, scaling, nodes, columns, weights, state, inside, points, draw
    )


def _centers(
    part: Part, own: Network, points: Points, count: int, rng: np.random.Generator
) -> Floats:
    """Centers of new nodes: points of an equation, drawn by its squared residual."""
    problem = part.problem
    item = problem.fields[rng.integers(len(problem.fields)) if problem.in_regions else 0]
    index = problem.equation_at_home(item)
    square = own.residual(part.blocks[index], points[index]) ** 2
    chance = square / square.sum() if square.sum() > 0 else None
    chosen = points[index][0].points[rng.choice(len(square), count, p=chance)]
    return seen_by(item, problem, chosen) if problem.in_regions else np.asarray(chosen)
