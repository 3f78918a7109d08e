"""Boundary layers: small coefficients in front of the highest derivative."""

import sympy

from piscm.assemble.sampling import Sampling
from piscm.problem.box import Box
from piscm.problem.conditions import Condition
from piscm.problem.problem import Problem
from piscm.problem.symbols import coordinates, field
from piscm.zoo.benchmark import Benchmark
from piscm.zoo.exact import exact_reference

_SOURCE = "H.-G. Roos, M. Stynes, L. Tobiska: Numerical Methods for Singularly Perturbed Problems"
WIDTH = sympy.Rational(1, 10_000)
WIDTH_IN_2D = sympy.Rational(1, 100)
# Below this width exp(-1 / width) is no number that a float can hold.
_UNDERFLOW = sympy.Rational(1, 700)


def _rise(x: sympy.Expr, width: sympy.Expr) -> sympy.Expr:
    """The solution of -width u'' + u' = 1 that is zero at both ends of the unit interval."""
    end = sympy.exp(-1 / width) if width > _UNDERFLOW else sympy.S.Zero
    return x - (sympy.exp((x - 1) / width) - end) / (1 - end)


def convection(width: sympy.Expr = WIDTH) -> Benchmark:
    """A flow to the right ends at a wall: a layer as wide as the diffusivity."""
    x: sympy.Symbol = coordinates("x")
    u = field("u", x)
    width = sympy.sympify(width)
    problem = Problem(
        domain=Box({x: (0, 1)}),
        equations=[-width * u.diff(x, 2) + u.diff(x) - 1],
        conditions=[Condition(u, on={x: 0}), Condition(u, on={x: 1})],
    )
    return Benchmark(
        name="boundary-layer",
        title="Convection and weak diffusion, a layer at the outflow",
        source=_SOURCE,
        problem=problem,
        reference=exact_reference({u: _rise(x, width)}),
        options={"max_nodes": 200, "scale": 50.0},
        sampling=Sampling(interior=500),
    )


def reaction(width: sympy.Expr = WIDTH) -> Benchmark:
    """Layers at both ends, as wide as the root of the diffusivity."""
    x: sympy.Symbol = coordinates("x")
    u = field("u", x)
    width = sympy.sympify(width)
    smooth = sympy.cos(sympy.pi * x)
    ends = sympy.exp(-x / width) - sympy.exp((x - 1) / width)
    source = (1 + (sympy.pi * width) ** 2) * smooth
    problem = Problem(
        domain=Box({x: (0, 1)}),
        equations=[-(width**2) * u.diff(x, 2) + u - source],
        conditions=[Condition(u, on={x: 0}), Condition(u, on={x: 1})],
    )
    return Benchmark(
        name="layers-at-both-ends",
        title="Reaction and weak diffusion, layers at both ends",
        source=_SOURCE,
        problem=problem,
        reference=exact_reference({u: smooth - ends / (1 - sympy.exp(-1 / width))}),
        options={"max_nodes": 200, "scale": 50.0},
        sampling=Sampling(interior=500),
    )


def convection_2d(width: sympy.Expr = WIDTH_IN_2D) -> Benchmark:
    """The same flow in a square, with a profile across it."""
    x, y = coordinates("x y")
    u = field("u", x, y)
    width = sympy.sympify(width)
    rise, across = _rise(x, width), sympy.sin(sympy.pi * y)
    source = across * (1 + width * sympy.pi**2 * rise)
    problem = Problem(
        domain=Box({x: (0, 1), y: (0, 1)}),
        equations=[-width * (u.diff(x, 2) + u.diff(y, 2)) + u.diff(x) - source],
        conditions=[Condition(u, on="boundary")],
    )
    return Benchmark(
        name="convection-diffusion-2d",
        title="Convection and weak diffusion in a square, a layer at the outflow",
        source=_SOURCE,
        problem=problem,
        reference=exact_reference({u: rise * across}),
        options={"max_nodes": 400, "scale": 15.0},
        sampling=Sampling(interior=2000, boundary=400),
        sections=("y", (0.25, 0.5)),
    )


def in_corner(width: sympy.Expr = WIDTH_IN_2D) -> Benchmark:
    """A flow along the diagonal of a square: layers at two sides, which meet in a corner."""
    x, y = coordinates("x y")
    u = field("u", x, y)
    width = sympy.sympify(width)
    along, across = _rise(x, width), _rise(y, width)
    diffusion = width * (u.diff(x, 2) + u.diff(y, 2))
    problem = Problem(
        domain=Box({x: (0, 1), y: (0, 1)}),
        equations=[-diffusion + u.diff(x) + u.diff(y) - (along + across)],
        conditions=[Condition(u, on="boundary")],
    )
    return Benchmark(
        name="layers-in-a-corner",
        title="Convection and weak diffusion in a square, layers that meet in a corner",
        source=_SOURCE,
        problem=problem,
        reference=exact_reference({u: along * across}),
        options={"max_nodes": 400, "scale": 15.0},
        sampling=Sampling(interior=2000, boundary=400),
        sections=("y", (0.5, 0.95)),
    )


def at_all_sides(width: sympy.Expr = WIDTH_IN_2D) -> Benchmark:
    """Reaction and weak diffusion in a square, whose sides all have layers."""
    x, y = coordinates("x y")
    u = field("u", x, y)
    width = sympy.sympify(width)
    end = sympy.exp(-1 / width) if width > _UNDERFLOW else sympy.S.Zero

    def hat(z: sympy.Symbol) -> sympy.Expr:
        return 1 - (sympy.exp(-z / width) + sympy.exp((z - 1) / width)) / (1 + end)

    true = hat(x) * hat(y)
    source = hat(x) + hat(y) - true  # since width**2 hat'' = hat - 1
    problem = Problem(
        domain=Box({x: (0, 1), y: (0, 1)}),
        equations=[-(width**2) * (u.diff(x, 2) + u.diff(y, 2)) + u - source],
        conditions=[Condition(u, on="boundary")],
    )
    return Benchmark(
        name="layers-at-all-sides",
        title="Reaction and weak diffusion in a square, layers at all sides",
        source=_SOURCE,
        problem=problem,
        reference=exact_reference({u: true}),
        options={"max_nodes": 400, "scale": 15.0},
        sampling=Sampling(interior=2000, boundary=400),
        sections=("y", (0.02, 0.5)),
    )
