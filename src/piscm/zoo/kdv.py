"""The Korteweg-de Vries equation: a traveling soliton."""

import sympy

from piscm.assemble.sampling import Sampling
from piscm.problem.box import Box
from piscm.problem.conditions import Condition
from piscm.problem.problem import Problem
from piscm.problem.symbols import coordinates, field
from piscm.zoo.benchmark import Benchmark
from piscm.zoo.exact import exact_reference

SPEED, START = 4, -2


def forward() -> Benchmark:
    """One soliton of speed 4 and height 2 travels from x = -2 to 2, well inside the box.

    The third derivative requires one condition at the left end and two at the right.
    """
    x, t = coordinates("x t")
    u = field("u", x, t)
    root = sympy.sqrt(SPEED)
    exact = sympy.Rational(SPEED, 2) / sympy.cosh(root / 2 * (x - SPEED * t - START)) ** 2
    problem = Problem(
        domain=Box({x: (-10, 10), t: (0, 1)}),
        equations=[u.diff(t) + 6 * u * u.diff(x) + u.diff(x, 3)],
        conditions=[
            Condition(u - exact.subs(t, 0), on={t: 0}),
            Condition(u - exact, on=[{x: -10}, {x: 10}]),
            Condition(u.diff(x) - exact.diff(x), on={x: 10}),
        ],
    )
    return Benchmark(
        name="kdv",
        title="Korteweg-de Vries equation, one soliton",
        source="D. J. Korteweg, G. de Vries (1895)",
        problem=problem,
        reference=exact_reference({u: exact}),
        # At a fixed place the soliton varies four times as fast in t as it does in x.
        options={"max_nodes": 400, "scale": (4.0, 16.0)},
        sampling=Sampling(interior=2000, boundary=200),
        sections=("t", (0.25, 0.75)),
    )
