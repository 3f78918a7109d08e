"""Advection: a pulse travels unchanged, and both coordinates could be time."""

import sympy

from piscm.assemble.sampling import Sampling
from piscm.problem.box import Box
from piscm.problem.conditions import Condition
from piscm.problem.problem import Problem
from piscm.problem.symbols import coordinates, field
from piscm.zoo.benchmark import Benchmark
from piscm.zoo.exact import exact_reference


def forward() -> Benchmark:
    """A Gaussian pulse of speed 1, from x = 0.5 to 1.5."""
    x, t = coordinates("x t")
    u = field("u", x, t)
    exact = sympy.exp(-50 * (x - t - sympy.Rational(1, 2)) ** 2)
    problem = Problem(
        domain=Box({x: (0, 2), t: (0, 1)}),
        equations=[u.diff(t) + u.diff(x)],
        conditions=[
            Condition(u - exact.subs(t, 0), on={t: 0}),
            Condition(u - exact.subs(x, 0), on={x: 0}),
        ],
    )
    return Benchmark(
        name="advection",
        title="Advection of a pulse",
        source="J. le Rond d'Alembert (1747)",
        problem=problem,
        reference=exact_reference({u: exact}),
        options={"max_nodes": 300, "scale": 10.0},
        sampling=Sampling(interior=2000, boundary=200),
        sections=("t", (0.25, 0.75)),
    )
