"""Viscous Burgers equation: its shock, and a smoother one with two unknown coefficients."""

from functools import partial

import numpy as np
import sympy

from piscm.assemble.sampling import Sampling
from piscm.problem.box import Box
from piscm.problem.conditions import Condition
from piscm.problem.problem import Problem
from piscm.problem.symbols import coordinates, field, unknown
from piscm.zoo.benchmark import Benchmark
from piscm.zoo.references.burgers import T_END, reference

VISCOSITY = 0.01 / np.pi
# Much smoother, so that data everywhere depend on the viscosity, not only the few inside a shock.
INVERSE_VISCOSITY = 0.1
SOURCE = "J. M. Burgers (1948); exact solution by E. Hopf (1950) and J. D. Cole (1951)"


def _problem(
    convection: sympy.Expr, viscosity: sympy.Expr, unknowns: dict[sympy.Symbol, float]
) -> Problem:
    x, t = coordinates("x t")
    u = field("u", x, t)
    return Problem(
        domain=Box({x: (-1, 1), t: (0, T_END)}),
        equations=[u.diff(t) + convection * u * u.diff(x) - viscosity * u.diff(x, 2)],
        conditions=[
            Condition(u + sympy.sin(sympy.pi * x), on={t: 0}),
            Condition(u, on=[{x: -1}, {x: 1}]),
        ],
        unknowns=unknowns,
    )


def forward() -> Benchmark:
    """A sine wave steepens into a shock at x = 0 that is about 0.01 wide."""
    return Benchmark(
        name="burgers",
        title="Burgers equation, a shock forms",
        source=SOURCE,
        problem=_problem(sympy.S.One, sympy.Rational(1, 100) / sympy.pi, {}),
        reference=partial(reference, viscosity=VISCOSITY),
        options={"max_nodes": 400, "scale": 50.0},
        sampling=Sampling(interior=2000, boundary=200),
        sections=("t", (0.25, 0.75)),
    )


def inverse() -> Benchmark:
    """The strength of convection (1) and the viscosity (0.1) are unknown."""
    convection, viscosity = unknown("convection"), unknown("viscosity", positive=True)
    return Benchmark(
        name="burgers-inverse",
        title="Burgers equation with unknown convection and viscosity",
        source=SOURCE,
        problem=_problem(convection, viscosity, {convection: 0.1, viscosity: 0.5}),
        reference=partial(reference, viscosity=INVERSE_VISCOSITY),
        options={"max_nodes": 300, "scale": None, "selection": "orthogonal", "candidates": 100},
        sampling=Sampling(interior=1000, boundary=100),
        sections=("t", (0.25, 0.75)),
        observations=100,
        truth={"convection": 1.0, "viscosity": INVERSE_VISCOSITY},
    )
