"""Heat conduction with an unknown diffusivity and an unknown loss at one end."""

import numpy as np
import sympy
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq

from piscm.assemble.sampling import Sampling
from piscm.problem.box import Box
from piscm.problem.conditions import Condition
from piscm.problem.problem import Problem
from piscm.problem.symbols import coordinates, field, unknown
from piscm.zoo.benchmark import Benchmark

DIFFUSIVITY, LOSS = 0.5, 1.5
# The slowest mode cos(m x): its flux at x = 1 matches the loss.
_MODE = float(brentq(lambda m: m * np.tan(m) - LOSS, 0.1, 1.5, xtol=1e-15))


def reference(x: ArrayLike, t: ArrayLike) -> NDArray[np.float64]:
    """The slowest mode of the rod, exactly."""
    decay = np.exp(-DIFFUSIVITY * _MODE**2 * np.asarray(t, dtype=float))
    return np.asarray(decay * np.cos(_MODE * np.asarray(x, dtype=float)))


def inverse() -> Benchmark:
    """Diffusivity (0.5) and Robin coefficient (1.5) start at 0.1 and 0.3."""
    x, t = coordinates("x t")
    u = field("u", x, t)
    diffusivity, loss = unknown("diffusivity loss", positive=True)
    problem = Problem(
        domain=Box({x: (0, 1), t: (0, 2)}),
        equations=[u.diff(t) - diffusivity * u.diff(x, 2)],
        conditions=[
            Condition(u - sympy.cos(_MODE * x), on={t: 0}),
            Condition(u.diff(x), on={x: 0}),
            Condition(u.diff(x) + loss * u, on={x: 1}),
        ],
        unknowns={diffusivity: 0.1, loss: 0.3},
    )
    return Benchmark(
        name="heat-inverse",
        title="Heat conduction with unknown diffusivity and Robin coefficient",
        source="H. S. Carslaw, J. C. Jaeger: Conduction of Heat in Solids",
        problem=problem,
        reference=reference,
        options={"max_nodes": 80, "scale": None, "selection": "orthogonal", "candidates": 100},
        sampling=Sampling(interior=500, boundary=60),
        sections=("t", (0.5, 1.5)),
        observations=100,
        truth={"diffusivity": DIFFUSIVITY, "loss": LOSS},
    )
