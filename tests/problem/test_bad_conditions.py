"""Conditions, observations and unknowns that make no sense are refused, each with its message."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import sympy
from sympy import oo

from piscm import Box, Condition, Observations, Periodic, Problem, coordinates, field, unknown

pytestmark = pytest.mark.usefixtures("at_once")

x, t = coordinates("x t")
u, v = field("u", x), field("v", x)
k = unknown("k")
a = sympy.Symbol("a")
twin = sympy.Symbol("x")  # looks like x, but its assumptions differ
HUGE = 10**400


def problem(*equations, conditions=None, box=None, **more):
    conditions = [Condition(u - 1, on={x: 0})] if conditions is None else conditions
    return Problem(box or Box({x: (0, 1)}), list(equations) or [u.diff(x) - u], conditions, **more)


def on(place, expression=u - 1, **more):
    return problem(conditions=[Condition(expression, on=place, **more)])


def observed(expression=u, points=(0.1, 0.5), values=(1.0, 2.0), **more):
    data = Observations(expression, points, values, **more)
    return problem(conditions=[], observations=[data])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: problem(box={x: (0, 1)}), "domain is a dict"),
        (lambda: problem(conditions=[]), "neither a condition nor observations"),
        (lambda: problem(conditions=[u - 1]), "conditions holds a Add"),
        (lambda: problem(conditions=[(u - 1, {x: 0})]), "conditions holds a tuple"),
        (lambda: problem(conditions=Condition(u, on={x: 0})), "conditions=[...]"),
        (lambda: problem(conditions="u"), "conditions=[...]"),
        (lambda: on({x: 2}), "x = 2 lies outside the domain"),
        (lambda: on({x: np.nan}), "x of the condition u(x) - 1 is nan"),
        (lambda: on({x: oo}), "x of the condition u(x) - 1 is oo"),
        (lambda: on({x: a}), "x of the condition u(x) - 1 is a"),
        (lambda: on({x: (0, 1)}), "on=[{x: 0}, {x: 1}]"),
        (lambda: on({t: 0}), "t is not a coordinate"),
        (lambda: on({twin: 0}), "assumptions"),
        (lambda: on({"x": 0}), "'x' is not a coordinate"),
        (lambda: on("left"), "'left'"),
        (lambda: on({}), "on={}"),
        (lambda: on([]), "on=[]"),
        (lambda: on(None), "on=None"),
        (lambda: on((x, 0)), "give a place"),
        (lambda: on({x: 0}, a * u), "'a', which nobody declared"),
        (lambda: on({x: 0}, x), "field"),
        (lambda: on({x: 0}, u == 1), "A condition is False"),
        (lambda: on({x: 0}, u.subs(x, 0) - 1), "u(0)"),
        (lambda: on({x: 0}, v.subs(x, t)), "t is not a coordinate"),
        *((lambda bad=bad: on({x: 0}, weight=bad), "weight") for bad in (0, -1, np.nan, "a", None)),
        (lambda: Periodic(u, along="x"), "along='x'"),
        (lambda: problem(conditions=[Periodic(u, along=t)]), "t is not a coordinate"),
        (lambda: problem(conditions=[Periodic(2 * x, along=x)]), "holds no field"),
    ],
)
def test_conditions(refused, make, words):
    refused(make, words)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: observed(values=[1, np.nan]), "values of the observations of u(x) hold 1 NaN"),
        (lambda: observed(points=[0.1, np.inf]), "points of the observations of u(x) hold 1 NaN"),
        (lambda: observed(values=[1, None]), "values of the observations of u(x)"),
        (lambda: observed(values=[1, "b"]), "values of the observations of u(x)"),
        (lambda: observed(values=[1, a]), "values of the observations of u(x)"),
        (lambda: observed(values=[1, HUGE]), "values of the observations of u(x)"),
        (lambda: observed(values=[1, 1j]), "values of the observations of u(x)"),
        (lambda: observed(values=np.array([1, 1j])), "values of the observations of u(x)"),
        (lambda: observed(values=np.ma.array([1, 2], mask=[0, 1])), "values of the observations"),
        (lambda: observed(points=np.ma.array([0, 1], mask=[0, 1])), "points of the observations"),
        (lambda: observed(points={"y": [0.1, 0.5]}), "points of the observations of u(x)"),
        (lambda: observed(points=[[0.1], [0.2, 0.3]]), "points of the observations of u(x)"),
        (lambda: observed(points=[0.1]), "shape (1,)"),
        (lambda: observed(points=0.1, values=1.0), "shape ()"),
        (lambda: observed(values=[[1.0], [2.0]]), "shape (2, 1)"),
        (lambda: observed(points=[], values=[]), "u(x) are empty"),
        (lambda: observed(points=[[0.1, 0.2]] * 2), "2 coordinates a point"),
        (lambda: observed(points=[0.1, 2.0]), "1 of 2 points"),
        (lambda: observed(weight=-1), "weight of the observations of u(x)"),
        *(
            (lambda bad=bad: observed(noise=bad), "noise")
            for bad in (0, -1, np.nan, "a", [1, 2, 3])
        ),
        *((lambda bad=bad: observed(loss=bad), "loss") for bad in ("l1", None, 3, ["huber"])),
        (lambda: observed("u"), "is text"),
        (lambda: observed(2 * x), "2*x holds no field"),
        (lambda: observed(a * u), "'a', which nobody declared"),
        (lambda: observed(u.subs(x, 0)), "u(0)"),
        (lambda: problem(observations=[(0.1, 1.0)]), "observations holds a tuple"),
        (lambda: problem(observations=Observations(u, [0], [1])), "observations=[...]"),
        (lambda: problem().with_observations(Observations(u, [0], [1])), "observations"),
    ],
)
def test_observations(refused, make, words):
    refused(make, words)


@pytest.mark.parametrize(
    ("unknowns", "words"),
    [
        ([k], "first guess"),
        (k, "first guess"),
        ({"k": 1}, "'k'"),
        ({u: 1}, "u(x)"),
        ({k: np.nan}, "first guess of k is nan"),
        ({k: oo}, "first guess of k is oo"),
        ({k: None}, "first guess of k is None"),
        ({k: [1, 2]}, "[1, 2]"),
        ({k: np.ones(2)}, "k"),
        ({k: (3, 0, 2)}, "k"),
        ({k: (1, 2, 0)}, "k"),
        ({k: (1, np.nan, 2)}, "lower bound of k is nan"),
        ({k: (1, 0, a)}, "upper bound of k is a"),
        ({k: (1, [0], 2)}, "k"),
        ({k: 1, unknown("q", positive=True): -1}, "q is positive"),
        ({k: HUGE}, "first guess of k"),
        ({k: 1, a: 1}, "a appears in no equation"),
        ({k: 1, x: 1}, "x is a coordinate"),
        ({k: 1, unknown("u"): 1}, "'u'"),
    ],
)
def test_unknowns(refused, unknowns, words):
    refused(lambda: problem(u.diff(x) - k * u, unknowns=unknowns), words)


def test_an_unknown_has_a_name_of_its_own(refused):
    other = sympy.Symbol("k")
    refused(lambda: problem(u.diff(x) - k * u - other, unknowns={k: 1, other: 2}), "'k'")
    refused(lambda: problem(u.diff(x) - twin * u, unknowns={twin: 1}), "'x'")


@pytest.mark.parametrize(
    "make",
    [
        lambda: on({x: sympy.Rational(1, 2)}),
        lambda: on([{x: 0}, {x: np.float32(1)}]),
        lambda: on("boundary", weight=np.int64(2)),
        lambda: problem(conditions=(Condition(u, on={x: 0}),) * 2),
        lambda: observed(points=np.array([0, 1], dtype=object), values=range(2)),
        lambda: observed(points=[[0.1], [0.2]], values=[Decimal("0.5"), Fraction(1, 3)]),
        lambda: observed(points=np.ma.array([0.1, 0.2], mask=False)),
        lambda: observed(points=[0.1, 0.1]),
        lambda: observed(sympy.Eq(u, 1)),
        lambda: problem(u.diff(x) - k * u, unknowns={k: sympy.pi}),
        lambda: problem(unknowns={k: np.int64(2)}, conditions=[Condition(u - k, on={x: 0})]),
    ],
)
def test_what_is_odd_but_right_is_taken(make):
    assert isinstance(make(), Problem)


def test_an_observed_expression_may_hold_an_unknown():
    data = Observations(k * u, [0.1], [1.0])
    assert problem(unknowns={k: 1}, observations=[data]).unknowns == {k: 1.0}


def test_observations_keep_their_own_copy_of_the_data():
    values = np.array([1.0, 2.0])
    data = Observations(u, [0.1, 0.2], values)
    values[:] = np.nan
    assert np.isfinite(data.values).all()
