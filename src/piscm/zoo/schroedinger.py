"""The focusing Schrödinger equation: two solitons bound to each other."""

import sympy

from piscm.assemble.sampling import Sampling
from piscm.problem.box import Box
from piscm.problem.conditions import Condition
from piscm.problem.problem import Problem
from piscm.problem.symbols import coordinates, field
from piscm.zoo.benchmark import Benchmark
from piscm.zoo.exact import exact_reference


def forward() -> Benchmark:
    """From 2 sech(x) through one period, t = π/2; in the middle the peak is twice as high.

    The two fields are the real and the imaginary part.
    """
    x, t = coordinates("x t")
    p, q = field("p", x, t), field("q", x, t)
    cosh, half = sympy.cosh, sympy.Rational(1, 2)
    size = cosh(4 * x) + 4 * cosh(2 * x) + 3 * sympy.cos(4 * t)
    real, imaginary = (
        4 * (cosh(3 * x) * wave(t / 2) + 3 * cosh(x) * wave(9 * t / 2)) / size
        for wave in (sympy.cos, sympy.sin)
    )
    square = p**2 + q**2
    ends = [{x: -5}, {x: 5}]
    problem = Problem(
        domain=Box({x: (-5, 5), t: (0, sympy.pi / 2)}),
        equations=[
            p.diff(t) + half * q.diff(x, 2) + square * q,
            q.diff(t) - half * p.diff(x, 2) - square * p,
        ],
        conditions=[
            Condition(p - 2 / cosh(x), on={t: 0}),
            Condition(q, on={t: 0}),
            Condition(p - real, on=ends),
            Condition(q - imaginary, on=ends),
        ],
    )
    return Benchmark(
        name="schroedinger",
        title="Focusing Schrödinger equation, two bound solitons",
        source="J. Satsuma, N. Yajima (1974)",
        problem=problem,
        reference=exact_reference({p: real, q: imaginary}),
        options={"max_nodes": 400, "scale": None, "selection": "orthogonal", "candidates": 100},
        sampling=Sampling(interior=2000, boundary=200),
        sections=("t", (0.4, 0.8)),
    )
