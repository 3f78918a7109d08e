"""The boundary of a shape: those pieces of its primitives' boundaries that separate in from out."""

from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from piscm.problem.domain import UnitPoints
from piscm.problem.errors import ProblemError
from piscm.problem.numeric import Floats
from piscm.problem.predicate import Predicate
from piscm.shapes.pieces import Piece, Spot
from piscm.shapes.runs import CELLS, Line, Run, changes
from piscm.shapes.sections import bisected, on_panels, scanned

if TYPE_CHECKING:
    from piscm.shapes.shape import Shape

# Parameters per axis of the scan that tells how much of a surface belongs to the boundary.
_SCAN = 64
# Both sides of a boundary are looked at from this many times the round-off of levels.
_STEP = 2.0


class Outline:
    """The boundary of a shape, or what of it belongs to named parts."""

    def __init__(self, shape: "Shape") -> None:
        self._shape = shape
        self._pieces = [
            (number, piece) for number, leaf in enumerate(shape.primitives) for piece in leaf.pieces
        ]
        self._alone = len(shape.primitives) == 1 and shape.primitives[0] is shape

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the parts that the boundary really has."""
        if self._curved:
            found = [name for run in self.runs for name in run.piece.names]
        else:
            found = [name for (_, piece), own in self._measured if own for name in piece.names]
        return tuple(dict.fromkeys(found))

    @property
    def _curved(self) -> bool:
        return self._shape.dimension == 2

    def sides(self, number: int, spot: Spot) -> NDArray[np.int_]:
        """1 where a normal of a primitive points out of the shape, -1 into it, 0 for neither."""
        shape = self._shape
        if self._alone:
            return np.ones(len(spot.points), dtype=int)
        step = _STEP * shape.fuzz * spot.normals
        within = shape.level(spot.points - step) < 0
        beyond = shape.level(spot.points + step) < 0
        sides = within.astype(int) - beyond.astype(int)
        for other in shape.primitives[:number]:  # a common piece belongs to the first
            sides[np.abs(other.level(spot.points)) < shape.fuzz] = 0
        return np.asarray(sides)

    # --- curves -----------------------------------------------------------------------------

    @cached_property
    def runs(self) -> list[Run]:
        return [run for number, piece in self._pieces for run in self._kept(number, piece)]

    def _kept(self, number: int, piece: Piece, holds: Predicate | None = None) -> list[Run]:
        """The runs of a curve on the boundary, where a predicate holds."""
        if self._alone and holds is None:
            return [Run(piece, 0.0, 1.0, 1)]

        def state(parameters: Floats) -> NDArray[np.int_]:
            spot = piece.at(parameters[:, None])
            sides = self.sides(number, spot)
            return sides if holds is None else np.where(holds(spot.points), sides, 0)

        crossings = [self._crossings(number, piece)]
        if holds is not None:
            crossings.append(changes(lambda at: holds(piece.at(at[:, None]).points)))
        edges = np.unique(np.concatenate([[0.0], *crossings, [1.0]]))
        sides = state((edges[1:] + edges[:-1]) / 2)
        ends = np.flatnonzero(np.diff(sides, prepend=2, append=2))
        found = [
            Run(piece, float(edges[first]), float(edges[last]), int(sides[first]))
            for first, last in pairwise(ends)
            if sides[first]
        ]
        # Along a side that two primitives share rounding crosses it: such runs are mere points.
        return [run for run in found if run.extent > self._shape.fuzz]

    def _crossings(self, number: int, piece: Piece) -> Floats:
        """The parameters at which a curve crosses the boundaries of other primitives."""
        others = [leaf for i, leaf in enumerate(self._shape.primitives) if i != number]
        if not others:
            return np.zeros(0)
        unit = np.linspace(0.0, 1.0, CELLS + 1)
        length = float(piece.at(unit[:, None]).stretch.max())

        def level(which: NDArray[np.intp], at: Floats) -> Floats:
            points = piece.at(at[:, None] / length).points
            found = np.empty(len(points))
            for index, leaf in enumerate(others):
                own = which == index
                if own.any():
                    found[own] = leaf.level(points[own])
            return found

        which = np.repeat(np.arange(len(others)), len(unit))
        at = np.tile(length * unit, len(others))
        which, at, levels = scanned(level, which, at, level(which, at))
        inside = levels <= 0
        change = np.flatnonzero((inside[1:] != inside[:-1]) & (which[1:] == which[:-1]))
        before, own = inside[change], which[change]
        found = bisected(lambda t: (level(own, t) <= 0) != before, at[change], at[change + 1])
        return np.asarray(found / length)

    @cached_property
    def corners(self) -> Floats:
        """The ends of all runs."""
        ends = [run.at(np.array([run.low, run.high])).points for run in self.runs]
        return np.concatenate(ends) if ends else np.zeros((0, 2))

    # --- samples ----------------------------------------------------------------------------

    def sample(self, count: int, draw: UnitPoints, part: str | None) -> tuple[Floats, Floats]:
        """About `count` points, evenly spread, and their outward normals."""
        if not self._curved:
            return self._sample_surfaces(count, draw, part)
        runs = [run for run in self.runs if part is None or part in run.piece.names]
        lengths = np.array([run.length for run in runs])
        ends = np.cumsum(lengths)
        at = draw(count, 1)[:, 0] * ends[-1]
        which = np.minimum(np.searchsorted(ends, at, side="right"), len(ends) - 1)
        fractions = (at - (ends - lengths)[which]) / lengths[which]
        points, normals = np.empty((len(at), 2)), np.empty((len(at), 2))
        for number, run in enumerate(runs):
            own = which == number
            if own.any():
                spot = run.spot(fractions[own])
                points[own], normals[own] = spot.points, spot.normals
        return points, normals

    @cached_property
    def _measured(self) -> list[tuple[tuple[int, Piece], float]]:
        """Every piece, and about how much of it is on the boundary (length, area, ...)."""
        return [((n, piece), float(np.mean(self._look(n, piece)))) for n, piece in self._pieces]

    def _look(self, number: int, piece: Piece) -> Floats:
        """The area by parameters of what is on the boundary, at a grid of parameters."""
        axis = (np.arange(_SCAN) + 0.5) / _SCAN
        wanted = min(piece.parameters, 2)  # further parameters are varied with the others
        mesh = np.stack(np.meshgrid(*[axis] * wanted), axis=-1).reshape(-1, wanted)
        unit = (
            np.column_stack(
                [
                    mesh,
                    *((mesh.sum(axis=1) * (2 + i)) % 1.0 for i in range(piece.parameters - wanted)),
                ]
            )
            if piece.parameters
            else np.zeros((1, 0))
        )
        spot = piece.at(unit)
        return np.asarray(spot.stretch * (self.sides(number, spot) != 0))

    def _sample_surfaces(
        self, count: int, draw: UnitPoints, part: str | None
    ) -> tuple[Floats, Floats]:
        chosen = [
            (number, piece, area)
            for (number, piece), area in self._measured
            if area and (part is None or part in piece.names)
        ]
        total = sum(area for _, _, area in chosen)
        points, normals = [], []
        for number, piece, area in chosen:
            if not piece.parameters:
                spot = piece.at(np.zeros((1, 0)))
            else:
                whole = float(piece.at(np.full((1, piece.parameters), 0.5)).stretch[0])
                many = max(1, round(count * area / total * whole / area))
                spot = piece.at(draw(many, piece.parameters))
            sides = self.sides(number, spot)
            kept = sides != 0
            points.append(spot.points[kept])
            normals.append(sides[kept, None] * spot.normals[kept])
        found = np.concatenate(points)
        if not len(found):
            raise ProblemError(f"{count} points are too few for the boundary of {self._shape}.")
        return found, np.concatenate(normals)

    # --- quadrature -------------------------------------------------------------------------

    def rule(
        self, order: int, part: str | None, holds: Predicate | None
    ) -> tuple[Floats, Floats, Floats]:
        """Points, weights and outward normals whose sums are integrals over the boundary."""
        chosen = [(n, p) for n, p in self._pieces if part is None or part in p.names]
        if self._curved:
            runs = [run for n, piece in chosen for run in self._kept(n, piece, holds)]
            found = [run.rule(order) for run in runs]
        elif self._shape.dimension == 1:
            found = [self._on_end(n, piece, holds) for n, piece in chosen]
        else:
            found = [self._on_surface(n, piece, order, holds) for n, piece in chosen]
        if not sum(len(weights) for _, weights, _ in found):
            raise ProblemError(f"There is no boundary of {self._shape} to integrate over there.")
        points, weights, normals = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
        return points, weights, normals

    def _on_end(
        self, number: int, piece: Piece, holds: Predicate | None
    ) -> tuple[Floats, Floats, Floats]:
        spot = piece.at(np.zeros((1, 0)))
        sides = self.sides(number, spot)
        kept = (sides != 0) & (True if holds is None else holds(spot.points))
        return spot.points[kept], spot.stretch[kept], (sides[:, None] * spot.normals)[kept]

    def _on_surface(
        self, number: int, piece: Piece, order: int, holds: Predicate | None
    ) -> tuple[Floats, Floats, Floats]:
        """Runs along the last parameter, at Gauss points of the others."""
        whole = piece.rule(order)
        if whole is not None:
            sides = self.sides(number, whole)
            if holds is not None:
                sides = np.where(holds(whole.points), sides, 0)
            kept = sides != 0
            return whole.points[kept], whole.stretch[kept], (sides[:, None] * whole.normals)[kept]
        first, share = _unit_rule(piece.parameters - 1, order, piece.panels)
        found = []
        for others, weight in zip(first, share, strict=True):
            line = Line(piece, others)
            for run in self._kept(number, line, holds):
                points, weights, normals = run.rule(order)
                found.append((points, weight * weights, normals))
        if not found:
            empty = np.zeros((0, self._shape.dimension))
            return empty, np.zeros(0), empty
        points, weights, normals = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
        return points, weights, normals


def _unit_rule(parameters: int, order: int, panels: int) -> tuple[Floats, Floats]:
    """Gauss points of the unit cube, and their weights."""
    if not parameters:
        return np.zeros((1, 0)), np.ones(1)
    points, weights = on_panels(np.linspace(0.0, 1.0, panels + 1), order)
    mesh = np.meshgrid(*[points] * parameters, indexing="ij")
    shares = np.meshgrid(*[weights] * parameters, indexing="ij")
    unit = np.stack([own.ravel() for own in mesh], axis=1)
    return unit, np.asarray(np.prod([own.ravel() for own in shares], axis=0))
