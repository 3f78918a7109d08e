"""Robertson's chemical reaction: rates from 0.04 to 3e7, over eight decades of time."""

from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from piscm.assemble.sampling import Sampling
from piscm.problem.box import Box
from piscm.problem.conditions import Condition
from piscm.problem.problem import Problem
from piscm.problem.symbols import coordinates, field
from piscm.zoo.benchmark import Benchmark
from piscm.zoo.references.initial_value import Floats, Path, path

END = 1e4
NAMES = ("a", "b", "c")
START = (1.0, 0.0, 0.0)


@cache
def _path() -> Path:
    def rate(_: float, state: Floats) -> list[float]:
        a, b, c = state
        slow, back, fast = 0.04 * a, 1e4 * b * c, 3e7 * b**2
        return [back - slow, slow - back - fast, fast]

    return path(rate, END, START, method="Radau", atol=1e-17)


def reference(t: ArrayLike) -> dict[str, NDArray[np.float64]]:
    """All three fields, by an implicit fifth-order Runge-Kutta method at 1e-12."""
    return dict(zip(NAMES, _path()(t), strict=True))


def forward() -> Benchmark:
    """Up to t = 1e4; the second field is never above 4e-5, and settles within a millisecond."""
    t = coordinates("t")
    a, b, c = (field(name, t) for name in NAMES)
    slow, back, fast = 0.04 * a, 1e4 * b * c, 3e7 * b**2
    problem = Problem(
        domain=Box({t: (0, END)}),
        equations=[
            a.diff(t) + slow - back,
            b.diff(t) - slow + back + fast,
            c.diff(t) - fast,
        ],
        conditions=[
            Condition(item - value, on={t: 0}) for item, value in zip((a, b, c), START, strict=True)
        ],
    )
    return Benchmark(
        name="robertson",
        title="Robertson's reaction, stiff over decades of time",
        source="H. H. Robertson (1966)",
        problem=problem,
        reference=reference,
        options={"max_nodes": 300, "scale": None, "selection": "orthogonal", "candidates": 100},
        sampling=Sampling(interior=1000),
    )
