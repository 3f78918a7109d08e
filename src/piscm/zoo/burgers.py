"""Viscous Burgers equation with two unknown coefficients."""

import numpy as np
import sympy
from numpy.polynomial.hermite import hermgauss
from numpy.typing import ArrayLike, NDArray

from piscm.problem.conditions import Condition
from piscm.problem.domain import Box
from piscm.problem.problem import Problem
from piscm.problem.symbols import coordinates, field, unknown
from piscm.sampling import Sampling
from piscm.zoo.benchmark import Benchmark

VISCOSITY = 0.1
_QUADRATURE = 100


def reference(x: ArrayLike, t: ArrayLike) -> NDArray[np.float64]:
    """The Cole-Hopf solution for u(x, 0) = -sin(pi x), by Gauss-Hermite quadrature."""
    places, times = np.broadcast_arrays(np.asarray(x, dtype=float), np.asarray(t, dtype=float))
    nodes, weights = hermgauss(_QUADRATURE)
    shifted = places[..., None] - np.sqrt(4 * VISCOSITY * times)[..., None] * nodes
    potential = weights * np.exp(-np.cos(np.pi * shifted) / (2 * np.pi * VISCOSITY))
    mean = (potential * np.sin(np.pi * shifted)).sum(axis=-1) / potential.sum(axis=-1)
    return np.asarray(-mean)


def inverse() -> Benchmark:
    """The strength of convection (1) and the viscosity (0.1) are unknown."""
    x, t = coordinates("x t")
    u = field("u", x, t)
    convection, viscosity = unknown("convection"), unknown("viscosity", positive=True)
    problem = Problem(
        domain=Box({x: (-1, 1), t: (0, 1)}),
        equations=[u.diff(t) + convection * u * u.diff(x) - viscosity * u.diff(x, 2)],
        conditions=[
            Condition(u + sympy.sin(sympy.pi * x), on={t: 0}),
            Condition(u, on=[{x: -1}, {x: 1}]),
        ],
        unknowns={convection: 0.1, viscosity: 0.5},
    )
    return Benchmark(
        name="burgers-inverse",
        title="Burgers equation with unknown convection and viscosity",
        source="J. M. Burgers (1948); exact solution by E. Hopf (1950) and J. D. Cole (1951)",
        problem=problem,
        reference=reference,
        options={"max_nodes": 300, "scale": None, "selection": "orthogonal", "candidates": 100},
        sampling=Sampling(interior=1000, boundary=100),
        sections=("t", (0.25, 0.75)),
        observations=100,
        truth={"convection": 1.0, "viscosity": VISCOSITY},
    )
