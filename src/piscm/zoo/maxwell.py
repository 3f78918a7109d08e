"""Light in a box of mirrors: Maxwell's equations for three fields."""

import sympy

from piscm.assemble.sampling import Sampling
from piscm.problem.box import Box
from piscm.problem.conditions import Condition
from piscm.problem.problem import Problem
from piscm.problem.symbols import coordinates, field
from piscm.zoo.benchmark import Benchmark
from piscm.zoo.exact import exact_reference


def forward() -> Benchmark:
    """The lowest mode of a square cavity: E across the plane, H in it."""
    x, y, t = coordinates("x y t")
    E, Hx, Hy = (field(name, x, y, t) for name in ("E", "Hx", "Hy"))
    pi, turn = sympy.pi, sympy.sqrt(2) * sympy.pi
    exact = {
        E: sympy.sin(pi * x) * sympy.sin(pi * y) * sympy.cos(turn * t),
        Hx: -sympy.sin(pi * x) * sympy.cos(pi * y) * sympy.sin(turn * t) / sympy.sqrt(2),
        Hy: sympy.cos(pi * x) * sympy.sin(pi * y) * sympy.sin(turn * t) / sympy.sqrt(2),
    }
    mirrors = [Condition(E, on={axis: side}) for axis in (x, y) for side in (0, 1)]
    problem = Problem(
        domain=Box({x: (0, 1), y: (0, 1), t: (0, 1)}),
        equations=[
            Hx.diff(t) + E.diff(y),
            Hy.diff(t) - E.diff(x),
            E.diff(t) - Hy.diff(x) + Hx.diff(y),
        ],
        conditions=[
            *mirrors,
            Condition(E - exact[E].subs(t, 0), on={t: 0}),
            Condition(Hx, on={t: 0}),
            Condition(Hy, on={t: 0}),
        ],
    )
    return Benchmark(
        name="maxwell-2d",
        title="Maxwell's equations in a square cavity, three fields",
        source="J. D. Jackson: Classical Electrodynamics, cavities",
        problem=problem,
        reference=exact_reference(exact),
        options={"max_nodes": 300, "scale": 4.0},
        sampling=Sampling(interior=1500, boundary=200),
    )
