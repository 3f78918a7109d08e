"""Integrals in residuals: legs whose rows are weighted sums over points of quadrature.

The first leg is the local part, and every pair of kernel and integrand is one more. What is known
of an integrand, its kernel and its weights, decides how dense the points are.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import sympy

from piscm.compile.integral_terms import Term
from piscm.compile.lines import Lines, along
from piscm.compile.quadrature import Known, Panels, better, panels_for
from piscm.compile.regional_rules import regional_rule
from piscm.problem.domain import Domain
from piscm.problem.errors import ProblemError
from piscm.problem.integrals import Region
from piscm.problem.numeric import Floats
from piscm.problem.outward import outward
from piscm.problem.place import Cut, Drawing, Kept, Leg, Legs, Place

# A line has a panel for so many points of the equations along it: fields vary as those can see.
_FOLLOWED = 128
# Panels of a line that all rows share; if every row has its own, all have so many points at most.
_MOST_PANELS, _MOST_POINTS = 64, 100_000
# Lines along which known factors are looked at.
_PROBED = 200


@dataclass(frozen=True, eq=False)
class IntegralRows(Place):
    """Rows at the points of another place, each with integrals added.

    Attributes
    ----------
    base : Place
    terms : tuple of Term
    symbols : tuple of sympy.Symbol
        The coordinates of the domain.
    where : str
        What holds there, for error messages.
    """

    base: Place
    terms: tuple[Term, ...]
    symbols: tuple[sympy.Symbol, ...]
    where: str

    def sample(self, domain: Domain, drawing: Drawing) -> Legs:
        legs = self.base.sample(domain, drawing)
        if len(legs) != 1 or legs[0].sums is not None:
            raise ProblemError(f"{self.where} has integrals, which do not go with {self.base}.")
        return (*legs, *self.sums(legs[0].points, domain, drawing))

    def sums(self, rows: Floats, domain: Domain, drawing: Drawing) -> Legs:
        """The integrals in rows at given points, a leg for each term."""
        return tuple(
            self._over_region(term, rows, domain, drawing)
            if isinstance(term.over, Region)
            else self._along(term, rows, domain, drawing)
            for term in self.terms
        )

    def _along(self, term: Term, rows: Floats, domain: Domain, drawing: Drawing) -> Leg:
        coordinate, lines = along(term.over, rows, domain, self.where)
        axis = domain.axis(coordinate)
        shared = domain.dimension == 1 and len(lines) == len(rows) and lines.alike
        lines, panels, shared = self._resolved(term, lines, axis, shared, domain, drawing)
        unit, share = panels.rule(drawing.finer)
        width = (lines.high - lines.low)[:, None]
        at = lines.low[:, None] + width * unit
        if shared:  # the same for every row
            places = at[0][:, None]
            return Leg(places, sums=width * share * self._kernel(term, rows, places, True))
        points = np.repeat(lines.rows, len(unit), axis=0)
        points[:, axis] = at.ravel()
        if isinstance(term.over, sympy.Tuple) and not domain.is_product_along(coordinate):
            self._check_inside(points, term.over, domain)
        with np.errstate(all="ignore"):  # on a line of no length a kernel may be infinite
            kernel = self._kernel(term, lines.rows, points, False)
        weights = np.where(width == 0, 0.0, width * share * kernel)
        return Leg(points, sums=_each_its_own(weights, lines.owner, len(rows)))

    def _resolved(
        self, term: Term, lines: Lines, axis: int, shared: bool, domain: Domain, drawing: Drawing
    ) -> tuple[Lines, Panels, bool]:
        """The lines of an integral and their panels; and whether all rows share one line."""
        least = int(drawing.interior ** (1 / domain.dimension) // _FOLLOWED)
        most = _MOST_PANELS if shared else lines.affordable(_MOST_POINTS)
        panels = panels_for(self._known(term, lines, axis), least, most)
        if panels.simple(least):
            return lines, panels, shared
        # A kernel of x - s may be rough where s passes x: one line up to there and one from there.
        halves = lines.cut(axis)
        known = self._known(term, halves, axis)
        apart = panels_for(known, least, halves.affordable(_MOST_POINTS))
        if better(panels, apart, factor=2) is apart:
            return halves, apart, False
        return lines, panels, shared

    def _known(self, term: Term, lines: Lines, axis: int) -> Known | None:
        """What is known of an integrand, along some of the lines."""
        if not term.known or not len(lines):
            return None
        some = lines.some(_PROBED)
        width = (some.high - some.low)[:, None]

        def values(at: Floats) -> Floats:
            points = np.repeat(some.rows[:, None], len(at), axis=1)
            points[..., axis] = some.low[:, None] + width * at
            made = term.values_of_known(some.rows, points, self.symbols, self.where)
            return np.where(width == 0, 0.0, made * width)

        return values

    def _check_inside(self, points: Floats, over: Any, domain: Domain) -> None:
        outside = np.flatnonzero(~domain.contains(points))
        if len(outside):
            at = ", ".join(f"{own:.4g}" for own in points[outside[0]])
            raise ProblemError(
                f"{self.where}: an integral along {over[0]} from {over[1]} to {over[2]} leaves the "
                f"domain, at ({at}) for one; over={over[0]} has all of the line that lies inside."
            )

    def _over_region(self, term: Term, rows: Floats, domain: Domain, drawing: Drawing) -> Leg:
        place = term.over.place
        axes = [domain.axis(symbol) for symbol in place.coordinates]
        rule = regional_rule(term, rows, domain, drawing, self.symbols, self.where)
        points, weights, *normals = rule
        count = len(points)
        sure = place is domain  # whose points lie inside, which meshes take long to tell
        if not sure and not domain.contains(_filled(rows[:1], axes, points)).all():
            raise ProblemError(f"{self.where} integrates over {place}, which leaves the domain.")
        if len(axes) == domain.dimension:
            ordered = _filled(rows[:1], axes, points)
            across = None
            if normals:
                across = _filled(np.zeros_like(rows[:1]), axes, normals[0])
                across = outward(domain, ordered, across)
            kernel = self._kernel(term, rows, ordered, True)
            return Leg(ordered, sums=weights * kernel, normals=across)
        # A cross section: every row has its own points, at its own values of the others.
        own = np.repeat(rows, count, axis=0)
        own[:, axes] = np.tile(points, (len(rows), 1))
        across = None
        if normals:
            across = np.zeros_like(own)
            across[:, axes] = np.tile(normals[0], (len(rows), 1))
            across = outward(domain, own, across)
        sums = weights * self._kernel(term, rows, own, False)
        every = np.arange(len(rows))
        return Leg(own, sums=_each_its_own(sums, every, len(rows)), normals=across)

    def _kernel(self, term: Term, rows: Floats, points: Floats, shared: bool) -> Floats:
        """Values of the kernel, shape (rows, points of each row)."""
        each = points[None] if shared else points.reshape(len(rows), -1, rows.shape[1])
        return term.values_of_kernel(rows, each, self.symbols, self.where)

    @cached_property
    def _key(self) -> Hashable:
        return (self.base.key, id(self))

    @property
    def key(self) -> Hashable:
        return self._key

    def __str__(self) -> str:
        return str(self.base)

    def within(self, cut: Cut) -> Sequence[Kept]:
        kept = self.base.within(cut)
        return [replace(own, place=replace(self, base=own.place)) for own in kept]

    def values_of(self, coordinate: sympy.Symbol) -> set[float]:
        return self.base.values_of(coordinate)

    @property
    def resampled(self) -> bool:
        return self.base.resampled


def _filled(row: Floats, axes: Sequence[int], points: Floats) -> Floats:
    """Points given in the order of `axes`, in the order of the domain."""
    filled = np.repeat(row, len(points), axis=0)
    filled[:, list(axes)] = points
    return filled


def _each_its_own(weights: Floats, owner: Any, rows: int) -> Any:
    """The sums of rows that have points of their own, as a sparse matrix.

    `weights` has shape (spans, points of each), one span after the other; `owner` has their rows,
    in order: a row may have several spans, or none.
    """
    from scipy.sparse import csr_array

    count = weights.shape[1]
    starts = count * np.searchsorted(owner, np.arange(rows + 1))
    columns = np.arange(weights.size)
    return csr_array((weights.ravel(), columns, starts), shape=(rows, weights.size))
