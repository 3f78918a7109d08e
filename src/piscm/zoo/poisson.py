"""Poisson equations in three, five and ten dimensions with known sources."""

import sympy

from piscm.assemble.sampling import Sampling
from piscm.problem.box import Box
from piscm.problem.conditions import Condition
from piscm.problem.problem import Problem
from piscm.problem.symbols import coordinates, field
from piscm.zoo.benchmark import Benchmark
from piscm.zoo.exact import exact_reference

_SOURCE = "Manufactured: a formula is put into the equation"


def three_dimensions() -> Benchmark:
    """A product of sines, zero on the whole boundary of the cube."""
    x, y, z = coordinates("x y z")
    u = field("u", x, y, z)
    exact = sympy.sin(sympy.pi * x) * sympy.sin(sympy.pi * y) * sympy.sin(sympy.pi * z)
    problem = Problem(
        domain=Box({x: (0, 1), y: (0, 1), z: (0, 1)}),
        equations=[u.diff(x, 2) + u.diff(y, 2) + u.diff(z, 2) + 3 * sympy.pi**2 * exact],
        conditions=[Condition(u, on="boundary")],
    )
    return Benchmark(
        name="poisson-3d",
        title="Poisson equation in a cube, zero on its boundary",
        source=_SOURCE,
        problem=problem,
        reference=exact_reference({u: exact}),
        options={"max_nodes": 400, "scale": 4.0},
        sampling=Sampling(interior=2000, boundary=1200),
    )


def five_dimensions() -> Benchmark:
    """A sum of sines, one for each of five coordinates."""
    return _sum_of_sines("poisson-5d", "Poisson equation in five dimensions", "v w x y z")


def ten_dimensions() -> Benchmark:
    """The same in ten dimensions."""
    names = "x1 x2 x3 x4 x5 x6 x7 x8 x9 x10"
    return _sum_of_sines("poisson-10d", "Poisson equation in ten dimensions", names)


def _sum_of_sines(name: str, title: str, names: str) -> Benchmark:
    at = coordinates(names)
    u = field("u", *at)
    exact = sympy.Add(*(sympy.sin(sympy.pi * own / 2) for own in at))
    problem = Problem(
        domain=Box({own: (0, 1) for own in at}),
        equations=[sympy.Add(*(u.diff(own, 2) for own in at)) + sympy.pi**2 / 4 * exact],
        conditions=[Condition(u - exact, on="boundary")],
    )
    return Benchmark(
        name=name,
        title=title,
        source=_SOURCE,
        problem=problem,
        reference=exact_reference({u: exact}),
        options={"max_nodes": 400, "scale": 2.0},
        sampling=Sampling(interior=2000, boundary=1000),
    )
