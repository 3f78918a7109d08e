"""Predator and prey with four unknown rates, from observations of both."""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.integrate import solve_ivp

from piscm.assemble.sampling import Sampling
from piscm.problem.box import Box
from piscm.problem.conditions import Condition
from piscm.problem.problem import Problem
from piscm.problem.symbols import coordinates, field, unknown
from piscm.zoo.benchmark import Benchmark

TRUTH = {"a": 1.0, "b": 0.5, "c": 0.75, "d": 0.25}
START = (2.0, 1.0)
END = 8.0


@cache
def _path() -> Any:
    a, b, c, d = TRUTH.values()

    def rate(_: float, state: NDArray[np.float64]) -> list[float]:
        prey, predator = state
        return [a * prey - b * prey * predator, d * prey * predator - c * predator]

    options = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-13, "max_step": 0.05}
    return solve_ivp(rate, (0, END), START, dense_output=True, **options).sol


def reference(t: ArrayLike) -> dict[str, NDArray[np.float64]]:
    """Prey and predator, by an eighth-order Runge-Kutta method at 1e-13."""
    times = np.asarray(t, dtype=float)
    values = _path()(times.ravel())
    names = ("prey", "predator")
    return {name: np.reshape(value, times.shape) for name, value in zip(names, values, strict=True)}


def inverse() -> Benchmark:
    """All four rates start at 0.4."""
    t = coordinates("t")
    prey, predator = field("prey", t), field("predator", t)
    a, b, c, d = unknown("a b c d", positive=True)
    problem = Problem(
        domain=Box({t: (0, END)}),
        equations=[
            prey.diff(t) - a * prey + b * prey * predator,
            predator.diff(t) - d * prey * predator + c * predator,
        ],
        conditions=[
            Condition(prey - START[0], on={t: 0}),
            Condition(predator - START[1], on={t: 0}),
        ],
        unknowns=dict.fromkeys((a, b, c, d), 0.4),
    )
    return Benchmark(
        name="lotka-volterra-inverse",
        title="Lotka-Volterra with four unknown rates",
        source="A. J. Lotka (1925), V. Volterra (1926)",
        problem=problem,
        reference=reference,
        options={"max_nodes": 120, "scale": None, "selection": "orthogonal", "candidates": 100},
        sampling=Sampling(interior=400),
        observations=100,
        truth=TRUTH,
    )
