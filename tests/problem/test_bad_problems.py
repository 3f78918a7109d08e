"""A problem that makes no sense is refused at once, and the message names what is wrong."""

import numpy as np
import pytest
import sympy
from sympy import Derivative, Eq, Integral, Piecewise, Sum, oo, sqrt

from piscm import Box, Condition, Problem, coordinates, field, normal_derivative, unknown

pytestmark = pytest.mark.usefixtures("at_once")

x, t = coordinates("x t")
u, v, w = field("u", x), field("v", x), field("w", x, t)
k = unknown("k")
a = sympy.Symbol("a")
twin = sympy.Symbol("x")  # looks like x, but its assumptions differ
HUGE = 10**400


def problem(*equations, box=None):
    return Problem(box or Box({x: (0, 1)}), list(equations), [Condition(u - 1, on={x: 0})])


@pytest.mark.parametrize(
    "names", ["", " ", None, 3, ["x", "y"], "a-b", "1x", "x(3)", "x:1000000000", "x😀"]
)
@pytest.mark.parametrize("make", [coordinates, unknown])
def test_names(refused, make, names):
    refused(lambda: make(names), "name")


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        (None, [x], "None"),
        ("", [x], "''"),
        ("u v", [x], "'u v'"),
        ("pi", [x], "'pi' is a mathematical constant"),
        ("sin", [x], "'sin' is a known function"),
        ("u", [], "needs at least one coordinate"),
        ("u", ["x"], "'x'"),
        ("u", [[x, t]], "[x, t]"),
        ("u", [0], "depends on 0"),
        ("u", [x + 1], "x + 1"),
        ("u", [v], "v(x)"),
        ("u", [x, x], "twice"),
        ("u", [x, twin], "twice"),
    ],
)
def test_fields(refused, name, arguments, words):
    refused(lambda: field(name, *arguments), words)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: u.diff(t), "does not depend on t"),
        (lambda: u.diff(twin), "assumptions"),
        (lambda: u.diff("x"), "'x'"),
        (lambda: u.diff(x, 1.5), "1.5"),
        (lambda: u.diff(x, 2.0), "2.0"),
        (lambda: u.diff(x, -1), "-1"),
        (lambda: problem(Derivative(u, t) - u), "t"),
        (lambda: problem(Derivative(u**2, t) - u), "t"),
        (lambda: problem(Derivative(sympy.floor(u), x) - u), "cannot work out"),
        (lambda: problem(u.diff(x, 21)), "order above 20"),
        (lambda: problem(Derivative(u, (x, a)) - u), "order a"),
        (lambda: problem(u.diff(x) - u.diff(x).subs(x, 0)), "Subs"),
    ],
)
def test_derivatives(refused, make, words):
    refused(make, words)


@pytest.mark.parametrize(
    ("equation", "words"),
    [
        (u.diff(x) - a * u, "'a', which nobody declared"),
        (u.diff(x) - k * u, "'k', which nobody declared"),
        (u.diff(x) - twin * u, "assumptions differ"),
        (u.diff(x) - Piecewise((1, a > 0), (u, True)), "'a', which nobody declared"),
        (Piecewise((u, sympy.Xor(x < 0.5, u > 0)), (1, True)), "use comparisons with &, | and ~"),
        (x - 1, "holds no field"),
        (0, "holds no field"),
        (u - u, "holds no field"),
        (u == 1, "Equation 1 is False"),
        (Eq(u, u), "Equation 1 is True"),
        (Eq(1, 2), "Equation 1 is False"),
        (Eq(u > 0, True), "Equation 1"),
        (Eq(u > 0, sympy.Symbol("b")), "Equation 1"),
        (u < 1, "u(x) < 1"),
        (sympy.Ne(u, 1), "Ne(u(x), 1)"),
        (sympy.MatrixSymbol("A", 2, 2)[0, 0] * u, "A[0, 0]"),
        (u.diff(x) - sympy.I * u, "complex"),
        (u.diff(x) - 1j * u, "complex"),
        (u.diff(x) - sqrt(-2) * u, "complex"),
        (u.diff(x) - Integral(u, (x, 0, 1)), "piscm.integral(...): integral(u, over=x)"),
        (u.diff(x) - u.subs(x, 0), "u(0)"),
        (u.diff(x) - u.subs(x, x - 1), "u(x - 1)"),
        (w.diff(x), "t is not a coordinate"),
        (u.diff(x) - np.array([1.0, 2.0]) * u, "ndarray"),
        (u.diff(x) - oo * u, "oo"),
        (u.diff(x) - sympy.zoo * u, "zoo"),
        (u.diff(x) - np.nan * u, "nan"),
        (u.diff(x) - HUGE * u, "not a finite number"),
        (u.diff(x) - sympy.gamma(u), "gamma"),
        (u.diff(x) - x % 2 * u, "Mod"),
        (u.diff(x) - sympy.DiracDelta(x), "DiracDelta"),
        (sympy.Lambda(x, u), "Lambda"),
        (sympy.Function("u"), "UndefinedFunction"),
        ("u.diff(x) - u", "is text"),
        (None, "NoneType"),
        ([u], "list"),
    ],
)
def test_equations(refused, equation, words):
    refused(lambda: problem(equation), words)


@pytest.mark.parametrize(
    "equations", [u.diff(x), {u.diff(x)}, (e for e in [u]), np.array([u]), None, "u"]
)
def test_equations_are_a_list(refused, equations):
    conditions = [Condition(u, on={x: 0})]
    refused(lambda: Problem(Box({x: (0, 1)}), equations, conditions), "equations=[...]")


def test_the_message_about_a_long_equation_is_short(refused):
    refused(lambda: problem(u.diff(x) - a - sum(sympy.sin(i * x) for i in range(150))), "'a'")


@pytest.mark.parametrize(
    "expression",
    [
        Sum(sympy.sin(a**2) * x**a, (a, 1, 10**7)),
        sympy.Pow(9, sympy.Pow(9, 9, evaluate=False), evaluate=False),
    ],
)
def test_nothing_is_worked_out_before_it_is_checked(refused, expression):
    refused(lambda: problem(u.diff(x) - expression * u), "Equation 1")


@pytest.mark.parametrize(
    ("bounds", "words"),
    [
        ({}, "needs bounds"),
        (None, "needs bounds"),
        ([(0, 1)], "needs bounds"),
        ({"x": (0, 1)}, "'x'"),
        ({u: (0, 1)}, "u(x)"),
        ({x: (1, 0)}, "range of x is empty"),
        ({x: (1, 1)}, "range of x is empty"),
        ({x: (0, np.nan)}, "upper bound of x is nan"),
        ({x: (-np.inf, 1)}, "lower bound of x is -inf"),
        ({x: (0, oo)}, "upper bound of x is oo"),
        ({x: (0, sympy.zoo)}, "upper bound of x is zoo"),
        ({x: (0, sympy.nan)}, "upper bound of x is nan"),
        ({x: (0, 1j)}, "upper bound of x is 1j"),
        ({x: (0, a)}, "upper bound of x is a"),
        ({x: (0, HUGE)}, "upper bound of x"),
        ({x: (None, 1)}, "lower bound of x is None"),
        ({x: (0, 1, 2)}, "bounds of x are (0, 1, 2)"),
        ({x: 1}, "bounds of x are 1"),
        ({x: "01"}, "x"),
        ({x: {0, 1}}, "x"),
        ({x: ([0], [1])}, "lower bound of x is [0]"),
        ({x: (-1.7e308, 1.7e308)}, "x"),
        ({x: (0, 1), twin: (0, 1)}, "same name"),
    ],
)
def test_boxes(refused, bounds, words):
    refused(lambda: Box(bounds), words)


@pytest.mark.parametrize("other", [w.func(t, x), field("w", x), sympy.Function("w")(x, t)])
def test_a_field_has_one_list_of_coordinates(refused, other):
    square = Box({x: (0, 1), t: (0, 1)})
    refused(lambda: problem(w.diff(x) + u, other, box=square), "w(")


def test_a_field_of_a_lookalike_coordinate(refused):
    refused(lambda: problem(u.diff(x) - u, box=Box({twin: (0, 1)})), "assumptions")


def test_the_normal_derivative_of_a_known_function_is_written_down(refused):
    refused(lambda: normal_derivative(x * t), "Of a known function write its derivative along")
