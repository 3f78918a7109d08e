"""Where a Piecewise, Heaviside, sign or floor switches, and by how much an expression jumps there.

Each has a *level* that changes its sign where it switches: ``x**2 + y**2 - 0.01`` for ``x**2 + y**2
< 0.01``. Lines at random may pass an inclusion by; the zeros of its level are looked for instead,
from points of the whole domain. A level that is zero nowhere in the domain makes no jump.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import sympy
from numpy.typing import NDArray

from piscm.compile.numeric_code import function_of
from piscm.problem.domain import Domain

Floats = NDArray[np.float64]

JUMPING = (sympy.Piecewise, sympy.Heaviside, sympy.sign, sympy.floor, sympy.ceiling, sympy.frac)
"""Functions that may jump."""

_POINTS = 512
_REACH = 3.0  # fields and their derivatives are taken between minus this and this
_JUMP = 1e-6  # relative to the largest value
# Newton's steps are made half as long again, so that they end on either side of the zero by turns.
_STEPS, _LENGTH, _LONGEST = 32, 1.5, 0.5
_SLOPE = 1e-6  # the steps of differences, relative to the domain
_KEPT = (6, 12, 20, _STEPS - 1, _STEPS)  # steps whose points are looked at
_APART = 1e-13  # beyond the round-off of a level, which may be exactly zero on one side
_HALVINGS, _LADDER = 60, 2.0 ** -np.arange(31.0)
_LOOKED_AT = 64  # jumps that may lie outside the domain


def levels_of(expression: sympy.Expr) -> list[sympy.Expr]:
    """The levels of everything in an expression that may jump."""
    found: dict[sympy.Expr, None] = {}
    for part in sorted(expression.atoms(*JUMPING), key=sympy.default_sort_key):
        if isinstance(part, sympy.Piecewise):
            found |= dict.fromkeys(_level(condition) for _, condition in part.args)
        elif isinstance(part, sympy.Heaviside | sympy.sign):
            found[part.args[0]] = None
        else:  # at every integer
            found[sympy.sin(sympy.pi * part.args[0])] = None
    return [own for own in found if own.free_symbols]


def _level(condition: sympy.Basic) -> sympy.Expr:
    """Negative where a condition holds, positive where it does not."""
    if isinstance(condition, sympy.And):
        return sympy.Max(*map(_level, condition.args), evaluate=False)
    if isinstance(condition, sympy.Or):
        return sympy.Min(*map(_level, condition.args), evaluate=False)
    if isinstance(condition, sympy.Not):
        return -_level(condition.args[0])
    if isinstance(condition, sympy.Lt | sympy.Le):
        return condition.lhs - condition.rhs
    if isinstance(condition, sympy.Gt | sympy.Ge):
        return condition.rhs - condition.lhs
    # What holds at single points only, or does not, makes no difference.
    return sympy.S.NegativeOne if condition == sympy.true else sympy.S.One


@dataclass
class Switches:
    """An expression of coordinates and other symbols, and what may switch in it.

    Attributes
    ----------
    expression : sympy.Expr
    symbols : sequence of Symbol
        The coordinates of the domain, then fields, derivatives and unknowns.
    domain : Domain
    """

    expression: sympy.Expr
    symbols: Sequence[sympy.Symbol]
    domain: Domain

    def __post_init__(self) -> None:
        box, others = self.domain.bounding_box, len(self.symbols) - self.domain.dimension
        self._lower = np.concatenate([box.lower, np.full(others, -_REACH)])
        self._upper = np.concatenate([box.upper, np.full(others, _REACH)])
        self._width = self._upper - self._lower
        rng = np.random.default_rng(0)
        inside = self.domain.sample_inside(_POINTS, lambda count, d: rng.random((count, d)))
        rest = rng.uniform(-_REACH, _REACH, (len(inside), others))
        self._points = np.hstack([inside, rest])
        self._near: dict[sympy.Expr, Floats] = {}

    def jump(self, along: sympy.Symbol) -> float | None:
        """Where the expression jumps along a symbol, the others held fixed; None if nowhere."""
        if not self.expression.has(along):
            return None
        column = list(self.symbols).index(along)
        for level in levels_of(self.expression):
            if level.has(along):
                for crossing in self._jumps(level, column):
                    return crossing
        return None

    def _jumps(self, level: sympy.Expr, column: int) -> Iterator[float]:
        """The places of jumps along a column in the domain, where a level changes its sign."""
        function, value = self._function(level), self._function(self.expression)
        if level not in self._near:
            self._near[level] = self._towards_zero(function)
        low, high = self._brackets(function, self._near[level], column)
        ends = np.abs(value(high) - value(low))
        found = np.flatnonzero(ends > 0)
        if not len(found):
            return
        size = np.abs(value(self._points)).max()
        found = found[np.argsort(-ends[found], kind="stable")][:_LOOKED_AT]
        dimension = self.domain.dimension
        for index in found:
            # The values around it tell a jump from a function that is zero nearly everywhere.
            around = np.repeat(low[index : index + 1], 2 * len(_LADDER), axis=0)
            around[:, column] += np.concatenate([_LADDER, -_LADDER]) * self._width[column]
            around = np.clip(around, self._lower, self._upper)
            if not ends[index] > _JUMP * max(size, np.abs(value(around)).max()):
                continue
            sides = np.repeat(low[index : index + 1], 2, axis=0)
            sides[:, column] += np.array([-_SLOPE, _SLOPE]) * self._width[column]
            if self.domain.contains(sides[:, :dimension]).all():
                yield float(low[index, column])

    def _function(self, expression: sympy.Expr) -> Callable[[Floats], Floats]:
        compiled = function_of(self.symbols, [expression], "A coefficient")

        def values(points: Floats) -> Floats:
            with np.errstate(all="ignore"):
                made = np.asarray(compiled(*points.T)[0], dtype=float)
            made = np.broadcast_to(made, len(points))
            return np.asarray(np.nan_to_num(made, posinf=0.0, neginf=0.0))

        return values

    def _towards_zero(self, function: Callable[[Floats], Floats]) -> Floats:
        """The points, and where Newton's steps lead from them to the zeros of a level."""
        points, kept = self._points, [self._points]
        for step in range(1, _STEPS + 1):
            own, slopes = function(points), np.zeros_like(points)
            for column, width in enumerate(self._width):
                beside = points.copy()
                beside[:, column] += _SLOPE * width
                slopes[:, column] = (function(beside) - own) / _SLOPE
            with np.errstate(all="ignore"):
                move = -_LENGTH * own[:, None] * slopes / np.sum(slopes**2, axis=1)[:, None]
                length = np.linalg.norm(np.nan_to_num(move), axis=1)[:, None]
                move = np.nan_to_num(move * np.minimum(1.0, _LONGEST / length))
            points = np.clip(points + move * self._width, self._lower, self._upper)
            if step in _KEPT:
                kept.append(points)
        return np.concatenate(kept)

    def _brackets(
        self, function: Callable[[Floats], Floats], points: Floats, column: int
    ) -> tuple[Floats, Floats]:
        """Neighbors along a column between which a level changes its sign."""
        steps = np.concatenate([_LADDER, -_LADDER]) * self._width[column]
        beside = np.repeat(points, len(steps), axis=0)
        beside[:, column] += np.tile(steps, len(points))
        beside = np.clip(beside, self._lower, self._upper)
        own, other = function(points), function(beside).reshape(len(points), -1)
        differs = (other > 0) != (own > 0)[:, None]
        here = np.flatnonzero(differs.any(axis=1))
        # The nearest one: the ladders begin with the longest steps.
        last = len(_LADDER) - 1 - np.argmax(differs[:, : len(_LADDER)][:, ::-1], axis=1)
        either = differs[:, : len(_LADDER)].any(axis=1)
        first = len(_LADDER) + np.argmax(differs[:, len(_LADDER) :], axis=1)
        chosen = np.where(either, last, first)
        low = points[here].copy()
        high = beside.reshape(len(points), len(steps), -1)[here, chosen[here]]
        sign = own[here] > 0
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            same = ((function(middle) > 0) == sign)[:, None]
            low, high = np.where(same, middle, low), np.where(same, high, middle)
        upward = np.sign(high[:, column] - low[:, column])
        low[:, column] -= upward * _APART * self._width[column]
        high[:, column] += upward * _APART * self._width[column]
        return low, high
