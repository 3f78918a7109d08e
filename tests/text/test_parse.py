"""Text to SymPy and back."""

import pytest
import sympy

from piscm import ProblemError, coordinates, field, unknown
from piscm.text.parse import parse_expression
from piscm.text.printing import expression_text

x, t = coordinates("x t")
u, v = field("u", x, t), field("v", x)
mu, lam = unknown("mu"), unknown("lambda")
SYMBOLS = {"x": x, "t": t, "mu": mu, "lambda": lam}
FIELDS = {"u": u, "v": v}


def parse(text):
    return parse_expression(text, SYMBOLS, FIELDS)


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("u.diff(t, 2) - mu*(1 - u**2)*u.diff(t)", u.diff(t, 2) - mu * (1 - u**2) * u.diff(t)),
        ("diff(u, t, 2) + diff(u, x, t)", u.diff(t, 2) + u.diff(x, t)),
        ("Derivative(u(x, t), (x, 2), t)", u.diff(x, 2, t)),
        ("diff(u*v, x)", (u * v).diff(x)),
        ("u = sin(pi*x)", u - sympy.sin(sympy.pi * x)),
        ("u^2 / 3 + 1e-3", u**2 / 3 + sympy.Float(1e-3)),
        ("sqrt(x) + abs(u) + ln(t)", sympy.sqrt(x) + sympy.Abs(u) + sympy.log(t)),
        ("lambda * u", lam * u),
        ("-u + +v", -u + v),
        (
            "Piecewise((1, x < 0.5), (u, (x > 0.5) & (t <= 1)), (0, True))",
            sympy.Piecewise((1, x < 0.5), (u, (x > 0.5) & (t <= 1)), (0, True)),
        ),
    ],
)
def test_reads(text, meaning):
    assert parse(text) == meaning


@pytest.mark.parametrize(
    "expression",
    [
        u.diff(x, 2, t) * sympy.Rational(1, 3) + sympy.Float(0.1) * u,
        sympy.exp(1) * u - sympy.pi**2 + lam,
        sympy.Piecewise((u, sympy.Ne(x, 0)), (v, sympy.Eq(t, 1) | (t > 2)), (0, True)),
        sympy.Max(u, 0) + sympy.Heaviside(x) + sympy.atan2(x, t) + sympy.erf(u) + sympy.sign(x),
        sympy.sqrt(2) * u ** sympy.Rational(2, 3) / (1 + x) ** 5,
        sympy.Float(1 / 3) * u + sympy.Float(5e-324) + sympy.Float(1.7e308) * v,
    ],
)
def test_writes_what_it_reads(expression):
    assert parse(expression_text(expression)) == expression


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "().__class__.__bases__",
        "u.__class__",
        "open('x')",
        "[1, 2]",
        "'text'",
        "x if t else u",
        "(lambda: 1)()",
        "u(x)",
        "u(0, t)",
        "w + 1",
        "diff(u, 3)",
        "diff(u)",
        "diff(u, x, 1000)",
        "diff(v, t)",
        "sin()",
        "sin(x, t, u)",
        "1/0",
        "0**-1",
        "1e999",
        "9**9**9**9",
        "2**100000",
        "(" * 500 + "x" + ")" * 500,
        "-" * 5000 + "x",
        "x" * 200_000,
        "",
        "u = 1 = 2",
        "x <",
        "x < 1",
        "u @ v",
        "1j * u",
        "f'{x}'",
        "True",
        "x, t",
    ],
)
def test_anything_else_is_an_error(text):
    with pytest.raises(ProblemError):
        parse(text)
