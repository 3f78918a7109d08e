"""A fast relaxation to a slow oscillation: a layer of a millionth, then a smooth path."""

import sympy

from piscm.assemble.sampling import Sampling
from piscm.problem.box import Box
from piscm.problem.conditions import Condition
from piscm.problem.problem import Problem
from piscm.problem.symbols import coordinates, field
from piscm.zoo.benchmark import Benchmark
from piscm.zoo.exact import exact_reference

RATE = 10**6


def forward() -> Benchmark:
    """From 0 the solution jumps to cos(t) within 1e-5, and follows it up to t = 2."""
    t = coordinates("t")
    u = field("u", t)
    slow = (RATE**2 * sympy.cos(t) + RATE * sympy.sin(t)) / (RATE**2 + 1)
    exact = slow - slow.subs(t, 0) * sympy.exp(-RATE * t)
    problem = Problem(
        domain=Box({t: (0, 2)}),
        equations=[u.diff(t) + RATE * (u - sympy.cos(t))],
        conditions=[Condition(u, on={t: 0})],
    )
    return Benchmark(
        name="stiff-relaxation",
        title="Stiff relaxation to a slow oscillation",
        source="C. F. Curtiss, J. O. Hirschfelder (1952)",
        problem=problem,
        reference=exact_reference({u: exact}),
        options={"max_nodes": 300, "scale": None, "selection": "orthogonal", "candidates": 100},
        sampling=Sampling(interior=1000),
    )
