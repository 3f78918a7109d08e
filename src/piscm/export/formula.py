"""The network as a formula: SymPy expressions in the coordinates alone."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray

from piscm.export.windows import Window, windows_of
from piscm.network.network import Network

Floats = NDArray[np.float64]

ACTIVATIONS: Mapping[str, Callable[[sympy.Expr], sympy.Expr]] = {
    "sin": sympy.sin,
    "tanh": sympy.tanh,
    "sigmoid": lambda z: 1 / (1 + sympy.exp(-z)),
    "gaussian": lambda z: sympy.exp(-(z**2)),
}


def formulas(network: Network) -> dict[str, sympy.Expr]:
    """Each field by name, as an expression in the coordinates.

    A network of several windows is a Piecewise along their coordinate, NaN where it was not solved.
    """
    problem, windows = network.problem, windows_of(network)
    made = {}
    for index, item in enumerate(problem.fields):
        sees = [symbol in item.args for symbol in problem.domain.coordinates]
        start = network.start.expressions.get(index, sympy.S.Zero)
        pieces = [
            (start + _sum(window, index, sees, problem.domain.coordinates), window)
            for window in windows
        ]
        made[str(item.func)] = _joined(network, pieces)
    return made


def _sum(
    window: Window, field: int, sees: Sequence[bool], coordinates: Sequence[sympy.Symbol]
) -> sympy.Expr:
    """The weighted nodes of one window."""
    function, terms = ACTIVATIONS[window.activation], []
    for hidden, bias, weights in zip(window.hidden, window.biases, window.weights, strict=True):
        inner = [_number(bias)]
        for weight, seen, symbol in zip(hidden, sees, coordinates, strict=True):
            if seen:
                inner.append(_number(weight) * symbol)
        terms.append(_number(weights[field]) * function(sympy.Add(*inner)))
    return sympy.Add(*terms)


def _joined(network: Network, pieces: Sequence[tuple[sympy.Expr, Window]]) -> sympy.Expr:
    if network.panels is None:
        return pieces[0][0] if network.solved_everywhere else sympy.nan
    along = network.problem.domain.coordinates[network.panels.axis]
    branches: list[Any] = []
    if np.isfinite(network.solved_down_to):
        branches.append((sympy.nan, along < _number(network.solved_down_to)))
    if np.isfinite(network.solved_up_to):
        branches.append((sympy.nan, along > _number(network.solved_up_to)))
    for expression, window in pieces[:-1]:
        branches.append((expression, along <= _number(window.upper)))
    return sympy.Piecewise(*branches, (pieces[-1][0], True), evaluate=False)


def _number(value: float) -> sympy.Float:
    """A float with the 17 digits that it takes to print it and read it back."""
    return sympy.Float(float(value), 17)
