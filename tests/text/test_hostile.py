"""Texts and SymPy objects that would keep SymPy busy for ever are refused, or left alone."""

import pytest
import sympy
from sympy import Max, Mul, Piecewise, Pow, Rational, besselj, exp, log, sin, sqrt

from piscm import Box, Condition, Observations, Problem, ProblemError, coordinates, field, solve
from piscm.text.parse import parse_expression
from piscm.text.printing import expression_text

pytestmark = pytest.mark.usefixtures("at_once")

x, t = coordinates("x t")
u = field("u", x, t)
BOX = Box({x: (0, 1), t: (0, 1)})


def parse(text):
    return parse_expression(text, {"x": x, "t": t}, {"u": u})


ROOTS = " + ".join(f"sqrt({number})" for number in (2, 3, 5, 7, 11, 13, 17, 19))


@pytest.mark.parametrize(
    "text",
    [
        "exp(10**10*log(3))",
        "exp(x + 10**9*log(3))",
        "exp(10**9*log(1 + 1/10**9))",
        "exp(1)**(10**10*log(3))",
        "3**(10**9*log(5)/log(3))",
        "3**(x + 10**9)*3**(-x)",
        "sqrt(3)**(10**99)",
        "(x/3)**(10**7)",
        "(x/3)**1e9",
        "(x/3)**(9999)**(9999)",
        "((2*x/3)**999)**999",
        "x**(10**99)",
        "x**(1/10**99)",
        "10**(10**(10**10))",
        "exp(exp(exp(10)))",
        "exp(-10**6)",
        "erfc(10**5)",
        "besselj(0, 10**99)",
        "besselj(10**6, 1)",
        "besselk(1e-300, 5e-324)",
        "sin(exp(10**6))",
        "floor(10**50*pi)",
        "sign(sqrt(2) + sqrt(3) - sqrt(5 + 2*sqrt(6)))",
        "Max(sqrt(2) + sqrt(3), sqrt(5 + 2*sqrt(6)))",
        "Piecewise((1, sqrt(2) + sqrt(3) < sqrt(5 + 2*sqrt(6))), (2, True))",
        "(sqrt(2) + sqrt(3) - sqrt(5 + 2*sqrt(6)))**(1/3)",
        "Piecewise((1, Piecewise((x, x < 1), (t, True)) > 0), (2, True))",
        "Piecewise("
        + ", ".join(f"(1, (x > {i}) & (x < {i}.5))" for i in range(20))
        + ", (0, True))",
        "Max(" + ", ".join(f"sin({i}*x)" for i in range(30)) + ")",
        "*".join(f"sqrt({i}*{i + 1}*1000003 + 1)" for i in range(2, 400)),
        "sinh(" * 40 + "x" + ")" * 40,
        "diff(exp(u*sin(x)/(1 + x**2)), x, 20)",
        "diff(" * 10 + "u*sin(x*t)/(1 + x)" + ", x)" * 10,
        "log(0)",
        "log(-1)",
        "sqrt(-2)",
        "asin(2)",
        "1if x else 2",
        "9" * 5000,
        "x*" + "9" * 4000 + "*" + "7" * 4000,
        "1e400",
    ],
    ids=lambda text: text[:40],
)
def test_refused(text):
    with pytest.raises(ProblemError) as caught:
        parse(text)
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("exp(5*log(3))*x", 243 * x),
        ("Max(1, 2, sqrt(2))*x", 2 * x),
        ("Min(4, 2**64)*x", 4 * x),
        ("Max(x, 1, 3/2)", Max(x, Rational(3, 2))),
        ("Max(Max(x, t), u)", Max(x, t, u)),
        ("Abs(1 - sqrt(2))", sqrt(2) - 1),
        (f"sign({ROOTS} - 26)", -1),
        ("floor(100*pi) + ceiling(-5/2)", sympy.Integer(312)),
        ("Heaviside(-pi) + Heaviside(2)", sympy.Integer(1)),
        ("Piecewise((1, sqrt(2) < pi), (x, True))", sympy.Integer(1)),
        ("Piecewise((1, 1e10 == 10**10), (x, True))", sympy.Integer(1)),
        ("sin(pi/6)*x + cos(0)", x / 2 + 1),
        ("besselj(0, 2.5)", besselj(0, 2.5)),
        ("exp(1)**x", exp(x)),
        # SymPy takes 20 s for the root, and 1.5 s to ask which terms are infinite.
        ("x**(sqrt(log((exp(sqrt(sqrt(3))))**(0.5))))", x ** sqrt(sqrt(sqrt(3)) / 2).evalf()),
        ("(x*sech(sech((x*log(x*(3*x + 1) + 1) + 1)**2)**2) + 1)**2*0", sympy.Integer(0)),
        ("(x + 1)**1 + (x + 1)**0", x + 2),
        ("2**(1/2) * 8**(1/2)", sympy.Integer(4)),
    ],
)
def test_constants_are_worked_out(text, meaning):
    assert sympy.simplify(parse(text) - meaning) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("text", ["abs(-x)", "sin(-x) + Max(x, 2*x)", "sqrt(x**2)", "floor(x + 3)"])
def test_what_is_left_as_written_has_the_same_value_and_comes_back(text):
    built = parse(text)
    names = {name: getattr(sympy, name) for name in ("sin", "Max", "sqrt", "floor")}
    meant = sympy.sympify(text, {**names, "x": x, "abs": sympy.Abs})
    for value in (-1.5, 0.25, 2.0):
        assert built.subs(x, value) == pytest.approx(float(meant.subs(x, value)))
    assert parse(expression_text(built)) == built


@pytest.mark.parametrize(
    "text", ["((exp((log(x/3))**100))**x)**(1/3)", "sqrt(exp(log(x/3)**100))*exp(x)**(5/7)"]
)
def test_roots_of_powers_are_left_as_written(text):
    # SymPy multiplies the logarithm out for the imaginary part of the exponent, in 20 s.
    built = parse(text)
    assert parse(expression_text(built)) == built


def unevaluated(base, exponent):
    return Pow(base, exponent, evaluate=False)


HUGE = [
    unevaluated(sqrt(3), 10**99),
    Mul(x, unevaluated(x / 3, 10**7), evaluate=False),
    exp(Mul(10**10, log(3), evaluate=False), evaluate=False),
    (x + 1) ** (10**7),
    besselj(0, 10**99),
    sin(unevaluated(10, unevaluated(10, 10))),
    Max(*(sin(i * x) for i in range(12)), evaluate=False),
    Piecewise(*((i, (x > i) & (x < i + t)) for i in range(20)), (0, True)),
    sympy.Add(*(sin(i * x) * t**i for i in range(1000))),
    sympy.Derivative(exp(t * sin(x) / (1 + x**2)), (x, 12)),
    (-1) ** Rational(1, 3) * x,
]


@pytest.mark.parametrize("written", HUGE, ids=lambda written: type(written).__name__)
def test_the_same_holds_for_objects_of_sympy(refused, written):
    sound, both = Condition(u, on={t: 0}), sympy.Add(u, written, evaluate=False)
    refused(lambda: Problem(BOX, [both], [sound]), "Equation 1")
    refused(lambda: Problem(BOX, [sympy.Eq(u, written, evaluate=False)], [sound]), "Equation 1")
    refused(lambda: Condition(both, on={t: 0}), "A condition")
    refused(lambda: Observations(both, [[0.5, 0.5]], [1.0]), "An observed expression")
    problem = Problem(BOX, [u.diff(t) - u], [sound])
    refused(lambda: solve(problem, initial={u: written}), "The starting value")
