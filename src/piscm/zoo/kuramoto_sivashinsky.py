"""The Kuramoto-Sivashinsky equation: short waves are damped, longer ones grow."""

import sympy

from piscm.assemble.sampling import Sampling
from piscm.problem.box import Box
from piscm.problem.conditions import Condition, Periodic
from piscm.problem.problem import Problem
from piscm.problem.symbols import coordinates, field
from piscm.zoo.benchmark import Benchmark
from piscm.zoo.references.kuramoto_sivashinsky import (
    ANTIDIFFUSION,
    CONVECTION,
    HYPERDIFFUSION,
    T_END,
    reference,
)


def forward() -> Benchmark:
    """A sine wave steepens and then breaks up; the source continues to t = 1."""
    x, t = coordinates("x t")
    u = field("u", x, t)
    convection = CONVECTION * u * u.diff(x)
    problem = Problem(
        domain=Box({x: (-1, 1), t: (0, T_END)}),
        equations=[
            u.diff(t) + convection + ANTIDIFFUSION * u.diff(x, 2) + HYPERDIFFUSION * u.diff(x, 4)
        ],
        conditions=[
            Condition(u + sympy.sin(sympy.pi * x), on={t: 0}),
            *(Periodic(u.diff(x, order), along=x) for order in range(4)),
        ],
    )
    return Benchmark(
        name="kuramoto-sivashinsky",
        title="Kuramoto-Sivashinsky equation, a wave that breaks up",
        source="S. Wang, S. Sankaran, P. Perdikaris: Respecting Causality for Training "
        "Physics-Informed Neural Networks (2024)",
        problem=problem,
        reference=reference,
        options={"max_nodes": 400, "scale": 30.0},
        sampling=Sampling(interior=2000, boundary=200),
        sections=("t", (0.1, 0.3)),
    )
