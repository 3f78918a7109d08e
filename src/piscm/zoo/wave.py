"""A standing wave on a square membrane."""

import sympy

from piscm.assemble.sampling import Sampling
from piscm.problem.box import Box
from piscm.problem.conditions import Condition
from piscm.problem.problem import Problem
from piscm.problem.symbols import coordinates, field
from piscm.zoo.benchmark import Benchmark
from piscm.zoo.exact import exact_reference


def forward() -> Benchmark:
    """The lowest mode of a membrane that is held at its edges, over one period."""
    x, y, t = coordinates("x y t")
    u = field("u", x, y, t)
    shape = sympy.sin(sympy.pi * x) * sympy.sin(sympy.pi * y)
    turn = sympy.sqrt(2) * sympy.pi
    exact = shape * sympy.cos(turn * t)
    edges = [Condition(u, on={axis: side}) for axis in (x, y) for side in (0, 1)]
    problem = Problem(
        domain=Box({x: (0, 1), y: (0, 1), t: (0, sympy.sqrt(2))}),
        equations=[u.diff(t, 2) - u.diff(x, 2) - u.diff(y, 2)],
        conditions=[*edges, Condition(u - shape, on={t: 0}), Condition(u.diff(t), on={t: 0})],
    )
    return Benchmark(
        name="wave-2d",
        title="Wave equation on a square membrane, one period",
        source="Lord Rayleigh: The Theory of Sound (1877)",
        problem=problem,
        reference=exact_reference({u: exact}),
        options={"max_nodes": 400, "scale": 8.0},
        sampling=Sampling(interior=2000, boundary=300),
    )
