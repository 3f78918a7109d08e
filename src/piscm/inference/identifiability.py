"""Which unknowns the data do not determine, in words."""

from collections.abc import Sequence

import numpy as np
import sympy
from numpy.typing import NDArray

from piscm.problem.problem import Problem

Floats = NDArray[np.float64]

# Unknowns with a smaller component of a direction than this are not part of it.
_INVOLVED = 0.05


def undetermined_text(problem: Problem, directions: Floats) -> str:
    """A sentence naming what is not determined, or an empty string.

    Parameters
    ----------
    directions : ndarray, shape (directions, unknowns)
        Relative changes of the unknowns that the data cannot detect.
    """
    parts = [_direction_text(problem, direction) for direction in directions]
    return "not determined by these data: " + "; ".join(dict.fromkeys(parts)) if parts else ""


def involved(direction: Floats) -> NDArray[np.bool_]:
    """Which unknowns a direction changes."""
    return np.asarray(np.abs(direction) > _INVOLVED * np.abs(direction).max())


def _direction_text(problem: Problem, direction: Floats) -> str:
    symbols = [
        symbol for symbol, moved in zip(problem.unknowns, involved(direction), strict=True) if moved
    ]
    names = ", ".join(symbol.name for symbol in symbols)
    if len(symbols) == 1:
        return names
    known = _combination(problem, symbols) if len(symbols) == 2 else None
    if known is not None:
        return f"{names} (only their combination {known})"
    shares = ", ".join(
        f"{symbol.name} {share:+.2f}"
        for symbol, share in zip(problem.unknowns, direction, strict=True)
        if symbol in symbols
    )
    return f"{names} (only combinations that do not change along {shares}, in relative terms)"


def _combination(problem: Problem, pair: Sequence[sympy.Symbol]) -> str | None:
    """The only combination in which two unknowns enter the problem, if SymPy can find it."""
    a, b = pair
    s = sympy.Dummy("s", positive=True)
    moves = {
        f"{a}*{b}": {a: a * s, b: b / s},
        f"{a}/{b}": {a: a * s, b: b * s},
        f"{a} + {b}": {a: a + s, b: b - s},
        f"{a} - {b}": {a: a + s, b: b + s},
    }
    expressions = [
        *problem.equations,
        *(condition.expression for condition in problem.conditions),
        *(data.expression for data in problem.observations),
    ]
    for text, move in moves.items():
        if all(sympy.expand(e.xreplace(move) - e) == 0 for e in expressions):
            return text
    return None
