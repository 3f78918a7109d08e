"""The Helmholtz equation with many waves across the domain."""

import sympy

from piscm.assemble.sampling import Sampling
from piscm.problem.box import Box
from piscm.problem.conditions import Condition
from piscm.problem.problem import Problem
from piscm.problem.symbols import coordinates, field
from piscm.zoo.benchmark import Benchmark
from piscm.zoo.exact import exact_reference

# A little over ten waves across: at k = 20 pi itself the square resonates, since 12² + 16² = 20².
WAVE_NUMBER = sympy.Rational(127, 2)


def forward() -> Benchmark:
    """Two plane waves that cross, given on the boundary."""
    x, y = coordinates("x y")
    u = field("u", x, y)
    along, across = sympy.cos(sympy.Rational(3, 10)), sympy.sin(sympy.Rational(3, 10))
    exact = sympy.sin(WAVE_NUMBER * (along * x + across * y)) + sympy.cos(
        WAVE_NUMBER * (across * x - along * y)
    )
    problem = Problem(
        domain=Box({x: (0, 1), y: (0, 1)}),
        equations=[u.diff(x, 2) + u.diff(y, 2) + WAVE_NUMBER**2 * u],
        conditions=[Condition(u - exact, on="boundary")],
    )
    return Benchmark(
        name="helmholtz-10-waves",
        title="Helmholtz equation, ten waves across a square",
        source="F. Ihlenburg: Finite Element Analysis of Acoustic Scattering (1998), plane waves",
        problem=problem,
        reference=exact_reference({u: exact}),
        options={"max_nodes": 400, "scale": 64.0},
        sampling=Sampling(interior=3000, boundary=800),
        sections=("x", (0.25, 0.5)),
    )
