"""The Allen–Cahn equation: stiff reaction, small diffusion, periodic with a kink."""

import sympy

from piscm.assemble.sampling import Sampling
from piscm.problem.box import Box
from piscm.problem.conditions import Condition, Periodic
from piscm.problem.problem import Problem
from piscm.problem.symbols import coordinates, field
from piscm.zoo.benchmark import Benchmark
from piscm.zoo.references.allen_cahn import DIFFUSIVITY, REACTION, T_END, reference
from piscm.zoo.sources import PAPER

STRETCH = 100


def forward() -> Benchmark:
    """The paper's problem; in unstretched coordinates its scale is 50, not 15.

    The slope is tied in the paper's stretched coordinate X = 100 x, and each of the conditions
    is averaged over its own points: so the printed errors come out.
    """
    x, t = coordinates("x t")
    u = field("u", x, t)
    problem = Problem(
        domain=Box({x: (-1, 1), t: (0, T_END)}),
        equations=[u.diff(t) - DIFFUSIVITY * u.diff(x, 2) + REACTION * (u**3 - u)],
        conditions=[
            Condition(u - x**2 * sympy.cos(sympy.pi * x), on={t: 0}),
            Periodic(u, along=x),
            Periodic(u.diff(x) / STRETCH, along=x),
        ],
    )
    return Benchmark(
        name="allen-cahn",
        title="Allen-Cahn equation, phase separation",
        source=PAPER,
        problem=problem,
        reference=reference,
        options={"max_nodes": 500, "scale": 50.0},
        sampling=Sampling(interior=1000, boundary=100, rule="latin"),
        sections=("t", (0.1, 0.4)),
        weights={"conditions": 3.0},
    )
