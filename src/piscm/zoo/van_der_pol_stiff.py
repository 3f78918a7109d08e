"""The Van der Pol oscillator with strong damping: slow drifts and sudden jumps."""

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

DAMPING = 100
END = 326.0  # a little more than two periods


@cache
def _path() -> Path:
    def rate(_: float, state: Floats) -> list[float]:
        u, slope = state
        return [slope, DAMPING * (1 - u**2) * slope - u]

    return path(rate, END, (2.0, 0.0))


def reference(t: ArrayLike) -> NDArray[np.float64]:
    """The solution, by an eighth-order Runge-Kutta method at 1e-12."""
    return np.asarray(_path()(t)[0])


def forward() -> Benchmark:
    """From u = 2 at rest; every 81 units of time it jumps, within a hundredth."""
    t = coordinates("t")
    u = field("u", t)
    problem = Problem(
        domain=Box({t: (0, END)}),
        equations=[u.diff(t, 2) - DAMPING * (1 - u**2) * u.diff(t) + u],
        conditions=[Condition(u - 2, on={t: 0}), Condition(u.diff(t), on={t: 0})],
    )
    return Benchmark(
        name="van-der-pol-stiff",
        title="Van der Pol oscillator, stiff: damping 100",
        source="B. van der Pol (1926)",
        problem=problem,
        reference=reference,
        options={"max_nodes": 300, "scale": None, "selection": "orthogonal", "candidates": 100},
        sampling=Sampling(interior=1000),
    )
