"""The Lorenz system: three fields on their way to chaos."""

from functools import cache

import numpy as np
import sympy
from numpy.typing import ArrayLike, NDArray

from piscm.assemble.sampling import Sampling
from piscm.problem.box import Box
from piscm.problem.conditions import Condition
from piscm.problem.problem import Problem
from piscm.problem.symbols import coordinates, field
from piscm.zoo.benchmark import Benchmark
from piscm.zoo.references.initial_value import Floats, Path, path

END = 5.0
NAMES = ("x", "y", "z")
START = (1.0, 1.0, 1.0)


@cache
def _path() -> Path:
    def rate(_: float, state: Floats) -> list[float]:
        x, y, z = state
        return [10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z]

    return path(rate, END, START, max_step=0.005)


def reference(t: ArrayLike) -> dict[str, NDArray[np.float64]]:
    """All three fields, by an eighth-order Runge-Kutta method at 1e-12."""
    return dict(zip(NAMES, _path()(t), strict=True))


def forward() -> Benchmark:
    """From (1, 1, 1) up to t = 5; errors grow about tenfold on the way."""
    t = coordinates("t")
    x, y, z = (field(name, t) for name in NAMES)
    problem = Problem(
        domain=Box({t: (0, END)}),
        equations=[
            x.diff(t) - 10 * (y - x),
            y.diff(t) - x * (28 - z) + y,
            z.diff(t) - x * y + sympy.Rational(8, 3) * z,
        ],
        conditions=[
            Condition(item - value, on={t: 0}) for item, value in zip((x, y, z), START, strict=True)
        ],
    )
    return Benchmark(
        name="lorenz",
        title="Lorenz system",
        source="E. N. Lorenz (1963)",
        problem=problem,
        reference=reference,
        options={"max_nodes": 300, "scale": None, "selection": "orthogonal", "candidates": 100},
        sampling=Sampling(interior=1000),
    )
