"""The Helmholtz equation on a square with a manufactured source."""

import numpy as np
import sympy
from numpy.typing import ArrayLike, NDArray

from piscm.assemble.sampling import Sampling
from piscm.problem.box import Box
from piscm.problem.conditions import Condition
from piscm.problem.problem import Problem
from piscm.problem.symbols import coordinates, field, unknown
from piscm.zoo.benchmark import Benchmark
from piscm.zoo.sources import PAPER

OPTIONS = {"max_nodes": 400, "scale": 15.0}
SAMPLING = Sampling(interior=2000, boundary=1000, rule="latin")
SECTIONS = ("x", (-0.5, 0.5))
# Each of the four faces is averaged over its own points: so the printed errors come out.
WEIGHTS = {"conditions": 4.0}


def reference(x: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
    """The exact solution."""
    return np.asarray(np.sin(np.pi * np.asarray(x)) * np.sin(4 * np.pi * np.asarray(y)))


def _problem(k_squared: sympy.Expr, unknowns: dict[sympy.Symbol, float]) -> Problem:
    x, y = coordinates("x y")
    u = field("u", x, y)
    exact = sympy.sin(sympy.pi * x) * sympy.sin(4 * sympy.pi * y)
    source = exact.diff(x, 2) + exact.diff(y, 2) + exact
    return Problem(
        domain=Box({x: (-1, 1), y: (-1, 1)}),
        equations=[u.diff(x, 2) + u.diff(y, 2) + k_squared * u - source],
        conditions=[Condition(u, on="boundary")],
        unknowns=unknowns,
    )


def forward() -> Benchmark:
    """The equation with k² = 1."""
    return Benchmark(
        name="helmholtz",
        title="Helmholtz equation on a square, manufactured source",
        source=PAPER,
        problem=_problem(sympy.S.One, {}),
        reference=reference,
        options=OPTIONS,
        sampling=SAMPLING,
        sections=SECTIONS,
        weights=WEIGHTS,
    )


def inverse() -> Benchmark:
    """The coefficient k² is unknown and starts at a tenth of its value."""
    k_squared = unknown("k2")
    return Benchmark(
        name="helmholtz-inverse",
        title="Helmholtz equation with unknown k2 (k squared)",
        source=PAPER,
        problem=_problem(k_squared, {k_squared: 0.1}),
        reference=reference,
        options=OPTIONS,
        sampling=SAMPLING,
        sections=SECTIONS,
        weights=WEIGHTS,
        observations=100,
        truth={"k2": 1.0},
    )
