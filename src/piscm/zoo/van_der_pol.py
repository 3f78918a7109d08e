"""The Van der Pol oscillator under a constant drive, over all drives at once."""

import sympy

from piscm.assemble.sampling import Sampling
from piscm.problem.box import Box
from piscm.problem.conditions import Condition
from piscm.problem.problem import Problem
from piscm.problem.symbols import coordinates, field, unknown
from piscm.zoo.benchmark import Benchmark
from piscm.zoo.references.van_der_pol import reference
from piscm.zoo.sources import PAPER

OPTIONS = {"max_nodes": 300, "scale": 15.0}
SAMPLING = Sampling(interior=1000, boundary=100, rule="latin")
SECTIONS = ("U", (0.3, 0.6))
# Where the observations lie is not said; on this grid the printed errors come out.
GRID = (10, 10)


def _problem(mu: sympy.Expr, unknowns: dict[sympy.Symbol, float]) -> Problem:
    t, U = coordinates("t U")
    u = field("u", t, U)
    return Problem(
        domain=Box({t: (0, 5), U: (0, 1)}),
        equations=[u.diff(t, 2) - mu * (1 - u**2) * u.diff(t) + u - U],
        conditions=[Condition(u + 0.25, on={t: 0}), Condition(u.diff(t) + 2, on={t: 0})],
        unknowns=unknowns,
    )


def forward() -> Benchmark:
    """The equation with mu = 1."""
    return Benchmark(
        name="van-der-pol",
        title="Van der Pol oscillator, u(t) for every drive U",
        source=PAPER,
        problem=_problem(sympy.S.One, {}),
        reference=reference,
        options=OPTIONS,
        sampling=SAMPLING,
        sections=SECTIONS,
        grid=GRID,
    )


def inverse() -> Benchmark:
    """The damping mu is unknown and starts at a tenth of its value.

    The paper says that all settings are those of the forward problem, but the three algorithms
    reproduce its printed errors only if the data have ten times the weight.
    """
    mu = unknown("mu")
    return Benchmark(
        name="van-der-pol-inverse",
        title="Van der Pol oscillator with unknown damping mu",
        source=PAPER,
        problem=_problem(mu, {mu: 0.1}),
        reference=reference,
        options=OPTIONS,
        sampling=SAMPLING,
        sections=SECTIONS,
        observations=100,
        grid=GRID,
        truth={"mu": 1.0},
        weights={"observations": 10.0},
    )
