"""A nonlinear Poisson equation whose solution is a narrow bump."""

import sympy

from piscm.assemble.sampling import Sampling
from piscm.problem.box import Box
from piscm.problem.conditions import Condition
from piscm.problem.problem import Problem
from piscm.problem.symbols import coordinates, field
from piscm.zoo.benchmark import Benchmark
from piscm.zoo.exact import exact_reference


def forward() -> Benchmark:
    """Runge's function of the distance from the center, and the cube of the field."""
    x, y = coordinates("x y")
    u = field("u", x, y)
    squared = (x - sympy.Rational(1, 2)) ** 2 + (y - sympy.Rational(1, 2)) ** 2
    exact = 1 / (1 + 25 * squared)
    # The Laplacian of 1 / (1 + a r²) in the plane.
    laplacian = 100 * (25 * squared - 1) * exact**3
    problem = Problem(
        domain=Box({x: (0, 1), y: (0, 1)}),
        equations=[u**3 - u.diff(x, 2) - u.diff(y, 2) - exact**3 + laplacian],
        conditions=[Condition(u - exact, on="boundary")],
    )
    return Benchmark(
        name="runge-bump",
        title="Nonlinear Poisson equation, a bump by Runge's function",
        source="C. Runge: Über empirische Funktionen (1901), for the function",
        problem=problem,
        reference=exact_reference({u: exact}),
        options={"max_nodes": 400, "scale": 15.0},
        sampling=Sampling(interior=2000, boundary=400),
        sections=("x", (0.25, 0.5)),
    )
