r"""Integrals in residuals: legs whose rows are weighted sums over points of quadrature.

A residual with integrals is

.. math:: R(x) = R_0(x, D^\gamma u) + \sum_k \int K_k(x, s)\, g_k(s, D^\gamma u(s))\, ds,

that is, affine in its integrals, each a sum of kernels that hold no field times integrands that
hold no x. The first leg is the local part, and every pair of kernel and integrand is one more.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import sympy
from sympy.core.function import AppliedUndef

from piscm.compile.numeric_code import function_of
from piscm.problem.domain import Domain
from piscm.problem.errors import ProblemError, brief
from piscm.problem.integrals import Region, here, integrals_in
from piscm.problem.numeric import Floats
from piscm.problem.outward import outward
from piscm.problem.place import Cut, Drawing, Kept, Leg, Legs, Place

# Gauss points on a line, and along each direction of an area or volume.
ON_LINES, IN_AREAS = 32, 16
# The same in a body whose integral is taken at every time anew: a thousand points each.
IN_SECTIONS = 8
_ROUND_OFF = 1e-9


@dataclass(frozen=True)
class Term:
    """An integral of a kernel times an integrand.

    Attributes
    ----------
    kernel : sympy.Expr
        In the coordinates of the integration, and ``here(x)`` for those of the row.
    integrand : sympy.Expr
    over : Region, coordinate, or (coordinate, low, high)
    """

    kernel: sympy.Expr
    integrand: sympy.Expr
    over: Any


def separated(
    expression: sympy.Expr, unknowns: Sequence[sympy.Symbol], where: str
) -> tuple[sympy.Expr, list[Term]]:
    """The local part of a residual, and its integral terms."""
    parts = integrals_in(expression)
    marks = {part: sympy.Dummy(f"integral{i}", real=True) for i, part in enumerate(parts)}
    flat = expression.xreplace(marks)
    local = flat.xreplace(dict.fromkeys(marks.values(), sympy.S.Zero))
    fields = flat.atoms(sympy.Derivative) | flat.atoms(AppliedUndef)
    plain = flat.xreplace({part: sympy.Dummy(real=True) for part in fields})  # to differentiate
    allowed = expression.free_symbols
    terms = []
    for part, mark in marks.items():
        factor = plain.diff(mark)
        if factor.free_symbols - allowed:
            raise ProblemError(
                f"{where}: {brief(part)} is multiplied by a field or by an integral. Give it a "
                "name: a field of its own, with the equation name - integral(...) = 0."
            )
        bound = {symbol: here(symbol) for symbol in part.bound()}
        body = factor.xreplace(bound) * part.integrand
        terms += [
            Term(kernel, integrand, part.over)
            for kernel, integrand in _products(body, unknowns, where)
        ]
    return local, terms


def _products(
    body: sympy.Expr, unknowns: Sequence[sympy.Symbol], where: str
) -> list[tuple[sympy.Expr, sympy.Expr]]:
    """Pairs of a kernel, which alone may hold ``here(x)``, and an integrand."""
    found = _factored(body, unknowns)
    if found is not None:
        return [found]
    pairs: dict[sympy.Expr, sympy.Expr] = {}
    for term in sympy.Add.make_args(sympy.expand(body)):
        found = _factored(term, unknowns)
        if found is None:
            raise ProblemError(
                f"{where}: {brief(term)} is not a kernel times an expression in the fields; a "
                "field and the point where the integral stands are tied in one factor."
            )
        pairs[found[0]] = pairs.get(found[0], sympy.S.Zero) + found[1]
    return list(pairs.items())


def _factored(
    term: sympy.Expr, unknowns: Sequence[sympy.Symbol]
) -> tuple[sympy.Expr, sympy.Expr] | None:
    kernel, integrand = [], []
    for factor in sympy.Mul.make_args(term):
        if not factor.has(here):
            integrand.append(factor)
        elif factor.atoms(AppliedUndef) or factor.has(*unknowns):
            return None
        else:
            kernel.append(factor)
    return sympy.Mul(*kernel), sympy.Mul(*integrand)


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
        rows = legs[0].points
        return (*legs, *(self._leg(term, rows, domain) for term in self.terms))

    def _leg(self, term: Term, rows: Floats, domain: Domain) -> Leg:
        if isinstance(term.over, Region):
            return self._over_region(term, rows, domain)
        coordinate, owner, low, high = self._limits(term.over, rows, domain)
        unit, share = np.polynomial.legendre.leggauss(ON_LINES)
        width = (high - low)[:, None] / 2
        at = (high + low)[:, None] / 2 + width * unit
        if domain.dimension == 1 and len(low) == len(rows) and not np.ptp(low) and not np.ptp(high):
            shared = at[0][:, None]  # the same for every row
            return Leg(shared, sums=width * share * self._kernel(term, rows, shared, True))
        own = rows[owner]
        points = np.repeat(own, ON_LINES, axis=0)
        points[:, domain.axis(coordinate)] = at.ravel()
        if isinstance(term.over, sympy.Tuple) and not domain.is_product_along(coordinate):
            self._check_inside(points, term.over, domain)
        weights = width * share * self._kernel(term, own, points, False)
        return Leg(points, sums=_each_its_own(weights, owner, len(rows)))

    def _check_inside(self, points: Floats, over: Any, domain: Domain) -> None:
        outside = np.flatnonzero(~domain.contains(points))
        if len(outside):
            at = ", ".join(f"{own:.4g}" for own in points[outside[0]])
            raise ProblemError(
                f"{self.where}: an integral along {over[0]} from {over[1]} to {over[2]} leaves the "
                f"domain, at ({at}) for one; over={over[0]} has all of the line that lies inside."
            )

    def _over_region(self, term: Term, rows: Floats, domain: Domain) -> Leg:
        place = term.over.place
        axes = [domain.axis(symbol) for symbol in place.coordinates]
        order = ON_LINES if len(axes) == 1 else IN_AREAS
        if 2 < len(axes) < domain.dimension:
            order = IN_SECTIONS
        points, weights, *normals = term.over.quadrature(order)
        count = len(points)
        known = place is domain  # whose points lie inside, which meshes take long to tell
        if not known and not domain.contains(_filled(rows[:1], axes, points)).all():
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

    def _limits(
        self, over: Any, rows: Floats, domain: Domain
    ) -> tuple[sympy.Symbol, Any, Floats, Floats]:
        """The coordinate, and spans along it: the row of each, and both ends."""
        if isinstance(over, sympy.Symbol):
            return over, *domain.chords(over, rows)
        coordinate, *limits = over
        values = function_of(self.symbols, limits, self.where)(*rows.T)
        both = np.array([np.broadcast_to(own, (len(rows),)) for own in values], dtype=float)
        start, end = domain.span(coordinate)
        off = _ROUND_OFF * (end - start)
        if not ((both >= start - off) & (both <= end + off)).all():
            raise ProblemError(
                f"{self.where}: an integral along {coordinate} from {limits[0]} to {limits[1]} "
                f"leaves the domain, where it runs from {start:g} to {end:g}."
            )
        return coordinate, np.arange(len(rows)), both[0], both[1]

    def _kernel(self, term: Term, rows: Floats, points: Floats, shared: bool) -> Floats:
        """Values of the kernel, shape (rows, points of each row)."""
        if term.kernel.is_number:
            shape = (len(rows), len(points) if shared else len(points) // max(1, len(rows)))
            return np.full(shape, float(term.kernel))
        outer = [sympy.Dummy(f"here{i}", real=True) for i in range(len(self.symbols))]
        table = {here(s): own for s, own in zip(self.symbols, outer, strict=True)}
        function = function_of([*outer, *self.symbols], [term.kernel.xreplace(table)], self.where)
        each = points[None] if shared else points.reshape(len(rows), -1, rows.shape[1])
        values = function(*np.moveaxis(rows[:, None], 2, 0), *np.moveaxis(each, 2, 0))[0]
        return np.broadcast_to(values, (len(rows), each.shape[1])).astype(float)

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
