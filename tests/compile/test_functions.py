"""Every function of the vocabulary compiles, and to the right numbers."""

import numpy as np
import pytest
import sympy

from piscm import coordinates, field
from piscm.compile.blocks import Compiled
from piscm.compile.numeric_code import function_of
from piscm.problem.functions import FUNCTIONS

x = coordinates("x")
u = field("u", x)
POINTS = np.linspace(0.15, 0.85, 8)[:, None]
TWO_ARGUMENTS = {"atan2", "besselj", "bessely", "besseli", "besselk", "Max", "Min"}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_compiles(name):
    function = FUNCTIONS[name]
    argument = x + 1 if name == "acosh" else x
    expression = function(2, argument) if name in TWO_ARGUMENTS else None
    if name == "polar_power":
        expression = function(x - 1, argument, sympy.Rational(2, 3), 0)
    expression = function(argument) if expression is None else expression
    found = Compiled(expression * u, (u,), (x,), (), name).value(POINTS, [np.ones(8)], ())
    exact = [float(expression.subs(x, point).evalf()) for point in POINTS[:, 0]]
    np.testing.assert_allclose(found, exact, rtol=1e-12)


@pytest.mark.parametrize("exponent", [-2, -1, 2, 3, 7, 9, sympy.Rational(1, 2), 2.5])
def test_powers(exponent):
    values = np.linspace(0.5, 2, 8)
    found = Compiled(u**exponent, (u,), (x,), (), "power").value(POINTS, [values], ())
    np.testing.assert_allclose(found, values ** float(exponent), rtol=1e-13)


def test_the_same_expression_is_compiled_once():
    y = coordinates("y")
    first = function_of([x, y], [x * sympy.sin(y)], "first")
    assert function_of([y, x], [y * sympy.sin(x)], "another") is first  # names do not matter
    assert function_of([x, y], [y * sympy.sin(x)], "first") is not first
    assert function_of([x, y], [x + 1], "whole")(2, 0) == [3]
    assert function_of([x, y], [x + 1.0], "not whole")(2, 0) == [3.0]
