"""Stretches of curves on the boundary of a shape: their lengths, points and integrals."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from piscm.problem.numeric import Floats
from piscm.shapes.pieces import Piece, Spot
from piscm.shapes.sections import bisected, gauss

CELLS = 512
"""Of the scan of a curve for places where it enters or leaves the boundary of a combination."""
_TABLE = 256


@dataclass(frozen=True, eq=False)
class Run:
    """A part of a curve that belongs to the boundary, with the side of its outward normal."""

    piece: Piece
    low: float
    high: float
    side: int

    @cached_property
    def _lengths(self) -> tuple[Floats, Floats]:
        """Parameters, and the length up to each."""
        cells = 1 if self.piece.even else _TABLE
        edges = np.linspace(self.low, self.high, cells + 1)
        unit, share = gauss(8)
        at = edges[:-1, None] + np.diff(edges)[:, None] * unit
        speed = self.piece.at(at.reshape(-1, 1)).stretch.reshape(at.shape)
        return edges, np.concatenate([[0.0], np.cumsum((speed @ share) * np.diff(edges))])

    @property
    def extent(self) -> float:
        """About its length."""
        middle = self.piece.at(np.array([[(self.low + self.high) / 2]]))
        return float(middle.stretch[0]) * (self.high - self.low)

    @property
    def length(self) -> float:
        return float(self._lengths[1][-1])

    def spot(self, fractions: Floats) -> Spot:
        """At fractions of its length."""
        edges, lengths = self._lengths
        return self.at(np.interp(fractions * lengths[-1], lengths, edges))

    def at(self, parameters: Floats) -> Spot:
        spot = self.piece.at(parameters[:, None])
        return spot._replace(normals=self.side * spot.normals)

    def rule(self, order: int) -> tuple[Floats, Floats, Floats]:
        """Points, weights and outward normals whose sums are integrals along it."""
        panels = max(1, int(np.ceil(self.piece.panels * (self.high - self.low) - 1e-9)))
        edges = np.linspace(self.low, self.high, panels + 1)
        unit, share = gauss(order)
        width = np.diff(edges)[:, None]
        spot = self.at((edges[:-1, None] + width * unit).ravel())
        return spot.points, (width * share).ravel() * spot.stretch, spot.normals


@dataclass(frozen=True, eq=False)
class Line(Piece):
    """A line on a surface: all parameters but the last are fixed."""

    surface: Piece
    fixed: Floats

    parameters = 1

    @property
    def panels(self) -> int:  # type: ignore[override]
        return self.surface.panels

    def at(self, unit: Floats) -> Spot:
        return self.surface.at(np.hstack([np.tile(self.fixed, (len(unit), 1)), unit]))


def changes(state: Callable[[Floats], NDArray[np.bool_]]) -> Floats:
    """The parameters at which something changes along a curve."""
    at = np.linspace(0.0, 1.0, CELLS + 1)
    states = state(at)
    change = np.flatnonzero(states[1:] != states[:-1])
    before = states[change]
    return bisected(lambda values: state(values) != before, at[change], at[change + 1])
