"""A graph of ONNX operators on vectors of doubles, built up operator by operator.

The same operator of the same inputs is there once: derivatives of several fields share their nodes.
"""

from functools import reduce
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray

from piscm.problem.errors import ProblemError, brief

# Numbers of types in ONNX.
_FLOAT, _DOUBLE = 1, 11

_FUNCTIONS = {
    sympy.sin: "Sin",
    sympy.cos: "Cos",
    sympy.tan: "Tan",
    sympy.asin: "Asin",
    sympy.acos: "Acos",
    sympy.atan: "Atan",
    sympy.sinh: "Sinh",
    sympy.cosh: "Cosh",
    sympy.tanh: "Tanh",
    sympy.exp: "Exp",
    sympy.log: "Log",
    sympy.Abs: "Abs",
    sympy.sign: "Sign",
    sympy.erf: "Erf",
    sympy.Not: "Not",
}
# Of two inputs; SymPy has the first few with any number.
_OPERATORS = {
    sympy.Add: "Add",
    sympy.Mul: "Mul",
    sympy.Max: "Max",
    sympy.Min: "Min",
    sympy.And: "And",
    sympy.Or: "Or",
    sympy.Pow: "Pow",
    sympy.Ge: "GreaterOrEqual",
    sympy.Le: "LessOrEqual",
    sympy.Gt: "Greater",
    sympy.Lt: "Less",
}


class Graph:
    """Operators and constants, each known by the name of what it gives.

    Attributes
    ----------
    operators : list of (operator, inputs, output, attributes)
    constants : dict of str to ndarray
    """

    def __init__(self, coordinates: tuple[sympy.Symbol, ...]) -> None:
        self.operators: list[tuple[str, tuple[str, ...], str, dict[str, Any]]] = []
        self.constants: dict[str, NDArray[Any]] = {}
        self._names: dict[Any, str] = {symbol: symbol.name for symbol in coordinates}

    def apply(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """The name of what an operator gives."""
        key = (operator, inputs, tuple(attributes.items()))
        if key not in self._names:
            # No coordinate and no field begins with a digit.
            self._names[key] = f"{len(self._names)}:{operator}"
            self.operators.append((operator, inputs, self._names[key], attributes))
        return self._names[key]

    def constant(self, value: Any, kind: type = np.float64) -> str:
        """The name of a number or an array."""
        array: NDArray[Any] = np.array(value, dtype=kind, order="C")
        key = (array.dtype.str, array.shape, array.tobytes())
        if key not in self._names:
            self._names[key] = f"{len(self._names)}:constant"
            self.constants[self._names[key]] = array
        return self._names[key]

    def expression(self, item: sympy.Basic) -> str:
        """The name of a SymPy expression of the coordinates."""
        if item in self._names:
            return self._names[item]
        if item.is_number:
            return self.constant(float(item))
        if isinstance(item, sympy.Piecewise):
            *cases, (last, _) = item.args
            return self.by_cases(
                [(self.expression(value), self.expression(where)) for value, where in cases],
                self.expression(last),
            )
        inputs = [self.expression(own) for own in item.args]
        if item.func is sympy.atan2:
            return self._angle(*inputs)
        if item.func in _OPERATORS:
            return reduce(lambda one, other: self.apply(_OPERATORS[item.func], one, other), inputs)
        if item.func not in _FUNCTIONS:
            raise ProblemError(
                f"The starting value {brief(item)} cannot be written in ONNX; solve without "
                "initial=..., or give one of simpler functions."
            )
        return self.apply(_FUNCTIONS[item.func], *inputs)

    def by_cases(self, cases: list[tuple[str, str]], otherwise: str) -> str:
        """The value of the first case whose condition holds."""
        for value, where in reversed(cases):
            otherwise = self.apply("Where", where, value, otherwise)
        return otherwise

    def _angle(self, y: str, x: str) -> str:
        """Of a point, from -pi to pi.

        ONNX knows the angle of a slope, and its runtime in single precision only: what that is
        short of is its sine but for the third power, which is less than round-off.
        """
        zero, half_turn = self.constant(0.0), self.constant(np.pi)
        below, behind = self.apply("Less", y, zero), self.apply("Less", x, zero)
        turned = self.apply("Where", below, self.apply("Neg", half_turn), half_turn)
        slope = self.apply("Cast", self.apply("Div", y, x), to=_FLOAT)
        angle = self.apply("Cast", self.apply("Atan", slope), to=_DOUBLE)
        rough = self.apply("Add", angle, self.apply("Where", behind, turned, zero))
        cos, sin = self.apply("Cos", rough), self.apply("Sin", rough)
        off = self.apply("Sub", self.apply("Mul", y, cos), self.apply("Mul", x, sin))
        squares = self.apply("Add", self.apply("Mul", x, x), self.apply("Mul", y, y))
        radius = self.apply("Sqrt", squares)
        fine = self.apply("Add", rough, self.apply("Div", off, radius))
        return self.apply("Where", self.apply("Greater", radius, zero), fine, zero)
