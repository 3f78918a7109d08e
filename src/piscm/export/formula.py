"""The network as a formula: SymPy expressions in the coordinates alone."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import sympy
from sympy.logic.boolalg import Boolean

from piscm.export.membership import number
from piscm.export.plain import Plain, Window, bounds_of_cells, written_out

ACTIVATIONS: Mapping[str, Callable[[sympy.Expr], sympy.Expr]] = {
    "sin": sympy.sin,
    "tanh": sympy.tanh,
    "sigmoid": lambda z: 1 / (1 + sympy.exp(-z)),
    "gaussian": lambda z: sympy.exp(-(z**2)),
}


def formulas(plain: Plain) -> dict[str, sympy.Expr]:
    """Each field by name, as an expression in the coordinates.

    Windows, patches and regions make it a Piecewise, NaN where it was not solved.
    """
    made = {}
    for written in plain.written:
        parts = [(_field(plain, field), inside) for field, inside in written.parts]
        made[str(written.item.func)] = _by_cases(parts)
    return made


def _field(plain: Plain, field: int) -> sympy.Expr:
    """One of the fields that were solved for."""
    start = written_out(plain.starts[field])
    coordinates = plain.problem.domain.coordinates
    sums = [start + _sum(window, field, coordinates) for window in plain.windows]
    cases: list[tuple[sympy.Expr, Boolean | None]] = [
        (sums[owner], _inside(ends, coordinates, plain.cells.upward))
        for owner, ends in zip(plain.cells.owner, bounds_of_cells(plain.cells), strict=True)
    ]
    (low, high), along = plain.solved, coordinates[plain.axis]
    if low == np.inf or high == -np.inf:
        return sympy.nan
    unsolved: list[tuple[sympy.Expr, Boolean | None]] = []
    if np.isfinite(low):
        unsolved.append((sympy.nan, along < number(low)))
    if np.isfinite(high):
        unsolved.append((sympy.nan, along > number(high)))
    return _by_cases([*unsolved, *cases])


def _by_cases(cases: list[tuple[sympy.Expr, Boolean | None]]) -> sympy.Expr:
    """A Piecewise whose last case is everything that is left; no Piecewise if it is alone."""
    if len(cases) == 1:
        return cases[0][0]
    *first, (last, _) = cases
    return sympy.Piecewise(*first, (last, True), evaluate=False)


def _inside(
    ends: tuple[tuple[float, float], ...], coordinates: tuple[sympy.Symbol, ...], upward: bool
) -> Boolean:
    """The inequalities of a cell, without those at the outside of the grid."""
    conditions: list[Any] = []
    for symbol, (low, high) in zip(coordinates, ends, strict=True):
        if np.isfinite(low):
            conditions.append(symbol >= number(low) if upward else symbol > number(low))
        if np.isfinite(high):
            conditions.append(symbol < number(high) if upward else symbol <= number(high))
    return sympy.And(*conditions)


def _sum(window: Window, field: int, coordinates: tuple[sympy.Symbol, ...]) -> sympy.Expr:
    """The weighted nodes of one window."""
    function, terms = ACTIVATIONS[window.activation], []
    nodes = zip(window.hidden[field], window.biases[field], window.weights[:, field], strict=True)
    for hidden, bias, weight in nodes:
        inner = [number(bias)]
        inner += [number(w) * s for w, s in zip(hidden, coordinates, strict=True) if w != 0]
        terms.append(number(weight) * function(sympy.Add(*inner)))
    return sympy.Add(*terms)
