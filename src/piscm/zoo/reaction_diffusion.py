"""Two species that diffuse and compete: one drives out the other behind a moving front."""

import sympy

from piscm.assemble.sampling import Sampling
from piscm.problem.box import Box
from piscm.problem.conditions import Condition
from piscm.problem.problem import Problem
from piscm.problem.symbols import coordinates, field
from piscm.zoo.benchmark import Benchmark
from piscm.zoo.exact import exact_reference


def forward() -> Benchmark:
    """Both states, u alone and v alone, are stable; the front between them moves at speed 3/2.

    With s = 1 / (1 + exp(-z)), whose slope is s (1 - s), both u = s and v = (1 - s)^2 leave a
    polynomial in s in their equations, and these coefficients make it vanish.
    """
    x, t = coordinates("x t")
    u, v = field("u", x, t), field("v", x, t)
    front = (1 + sympy.tanh(x - sympy.Rational(3, 2) * t)) / 2
    exact = {u: front, v: (1 - front) ** 2}
    problem = Problem(
        domain=Box({x: (-3, 3), t: (0, 1)}),
        equations=[
            u.diff(t) - u.diff(x, 2) - u * (1 - u - 8 * v),
            v.diff(t) - v.diff(x, 2) / 2 - v * (12 - 14 * u - 12 * v),
        ],
        conditions=[
            Condition(item - solution, on=place)
            for place in ({t: 0}, [{x: -3}, {x: 3}])
            for item, solution in exact.items()
        ],
    )
    return Benchmark(
        name="reaction-diffusion",
        title="Two competing species, a front between them",
        source="M. Rodrigo, M. Mimura: Exact Solutions of a Competition-Diffusion System (2000)",
        problem=problem,
        reference=exact_reference(exact),
        options={"max_nodes": 400, "scale": 5.0},
        sampling=Sampling(interior=2000, boundary=200),
        sections=("t", (0.25, 0.75)),
    )
