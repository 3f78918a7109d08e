"""The sine-Gordon equation: a breather swings up and back."""

import sympy

from piscm.assemble.sampling import Sampling
from piscm.problem.box import Box
from piscm.problem.conditions import Condition
from piscm.problem.problem import Problem
from piscm.problem.symbols import coordinates, field
from piscm.zoo.benchmark import Benchmark
from piscm.zoo.exact import exact_reference

FREQUENCY = sympy.Rational(1, 2)


def forward() -> Benchmark:
    """About half a period of a breather of frequency 1/2, at rest in the middle of the box."""
    x, t = coordinates("x t")
    u = field("u", x, t)
    decay = sympy.sqrt(1 - FREQUENCY**2)
    swing = sympy.sin(FREQUENCY * t) / sympy.cosh(decay * x)
    exact = 4 * sympy.atan(decay / FREQUENCY * swing)
    problem = Problem(
        domain=Box({x: (-8, 8), t: (0, 6)}),
        equations=[u.diff(t, 2) - u.diff(x, 2) + sympy.sin(u)],
        conditions=[
            Condition(u, on={t: 0}),
            Condition(u.diff(t) - exact.diff(t).subs(t, 0), on={t: 0}),
            Condition(u - exact, on=[{x: -8}, {x: 8}]),
        ],
    )
    return Benchmark(
        name="sine-gordon",
        title="Sine-Gordon equation, a breather",
        source="M. J. Ablowitz, D. J. Kaup, A. C. Newell, H. Segur (1973)",
        problem=problem,
        reference=exact_reference({u: exact}),
        options={"max_nodes": 400, "scale": 3.0},
        sampling=Sampling(interior=2000, boundary=200),
        sections=("t", (1.5, 4.5)),
    )
