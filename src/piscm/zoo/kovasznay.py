"""Steady Navier-Stokes flow behind a grid."""

import sympy

from piscm.assemble.sampling import Sampling
from piscm.problem.box import Box
from piscm.problem.conditions import Condition
from piscm.problem.problem import Problem
from piscm.problem.symbols import coordinates, field
from piscm.zoo.benchmark import Benchmark
from piscm.zoo.exact import exact_reference

REYNOLDS = 40


def forward() -> Benchmark:
    """Velocity (u, v) is given on the whole boundary, pressure p at the outflow."""
    x, y = coordinates("x y")
    u, v, p = (field(name, x, y) for name in ("u", "v", "p"))
    turn = 2 * sympy.pi
    rate = sympy.Rational(REYNOLDS, 2) - sympy.sqrt(sympy.Rational(REYNOLDS, 2) ** 2 + turn**2)
    wake = sympy.exp(rate * x)
    exact = {
        u: 1 - wake * sympy.cos(turn * y),
        v: rate / turn * wake * sympy.sin(turn * y),
        p: (1 - wake**2) / 2,
    }

    def momentum(w: sympy.Expr, along: sympy.Symbol) -> sympy.Expr:
        viscous = (w.diff(x, 2) + w.diff(y, 2)) / REYNOLDS
        return u * w.diff(x) + v * w.diff(y) + p.diff(along) - viscous

    problem = Problem(
        domain=Box({x: (-0.5, 1), y: (-0.5, 1.5)}),
        equations=[momentum(u, x), momentum(v, y), u.diff(x) + v.diff(y)],
        conditions=[
            Condition(u - exact[u], on="boundary"),
            Condition(v - exact[v], on="boundary"),
            Condition(p - exact[p], on={x: 1}),
        ],
    )
    return Benchmark(
        name="kovasznay",
        title="Kovasznay flow, steady Navier-Stokes at Reynolds number 40",
        source="L. I. G. Kovasznay: Laminar Flow behind a Two-Dimensional Grid (1948)",
        problem=problem,
        reference=exact_reference(exact),
        options={"max_nodes": 400, "scale": 10.0},
        sampling=Sampling(interior=2000, boundary=200),
        sections=("x", (0.0, 0.5)),
    )
