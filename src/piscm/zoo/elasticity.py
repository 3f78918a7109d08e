"""A plate with a hole under tension: stress concentrates to three times its value far away."""

import sympy

from piscm.assemble.sampling import Sampling
from piscm.problem.conditions import Condition
from piscm.problem.normals import normal
from piscm.problem.problem import Problem
from piscm.problem.symbols import coordinates, field
from piscm.shapes.ball import Disk
from piscm.shapes.brick import Rectangle
from piscm.zoo.benchmark import Benchmark
from piscm.zoo.exact import exact_reference

x, y = coordinates("x y")
POISSON_RATIO = sympy.Rational(3, 10)
"""Young's modulus and the tension far away are 1."""


def stress(u: sympy.Expr, v: sympy.Expr) -> tuple[sympy.Expr, sympy.Expr, sympy.Expr]:
    """Plane stress: the components xx, yy and xy."""
    nu = POISSON_RATIO
    plain = 1 / (1 - nu**2)
    return (
        plain * (u.diff(x) + nu * v.diff(y)),
        plain * (v.diff(y) + nu * u.diff(x)),
        plain * (1 - nu) / 2 * (u.diff(y) + v.diff(x)),
    )


def plate() -> Benchmark:
    """A quarter of the plate; displacements are given on its outer sides."""
    u, v = field("u", x, y), field("v", x, y)
    xx, yy, xy = stress(u, v)
    hole = Disk({x: 0, y: 0}, 1, name="hole")
    domain = Rectangle({x: (0, 3), y: (0, 3)}, name="rim") - hole
    exact_u, exact_v = kirsch()
    outer = domain.boundary("rim", where=(x > 3 - 1e-9) | (y > 3 - 1e-9))
    rim = domain.boundary("hole")
    problem = Problem(
        domain,
        [xx.diff(x) + xy.diff(y), xy.diff(x) + yy.diff(y)],
        [
            Condition(xx * normal(x) + xy * normal(y), on=rim),
            Condition(xy * normal(x) + yy * normal(y), on=rim),
            Condition(u, on={x: 0}),
            Condition(xy, on={x: 0}),
            Condition(v, on={y: 0}),
            Condition(xy, on={y: 0}),
            Condition(u - exact_u, on=outer),
            Condition(v - exact_v, on=outer),
        ],
    )
    return Benchmark(
        name="plate-with-hole",
        title="A plate with a hole under tension",
        source="G. Kirsch (1898)",
        problem=problem,
        reference=exact_reference({u: exact_u, v: exact_v}),
        options={"max_nodes": 300, "scale": None, "selection": "orthogonal", "candidates": 100},
        sampling=Sampling(interior=1200, boundary=200),
        sections=("y", (0.5, 1.5)),
    )


def kirsch() -> tuple[sympy.Expr, sympy.Expr]:
    """The displacements around a hole of radius 1, tension along x."""
    nu = POISSON_RATIO
    kappa, shear = (3 - nu) / (1 + nu), 1 / (2 * (1 + nu))
    square = x**2 + y**2
    r = sympy.sqrt(square)
    cos, sin = x / r, y / r
    double, other = (x**2 - y**2) / square, 2 * x * y / square
    radial = r * (kappa - 1) / 2 + r * double + (1 + (1 + kappa) * double) / r - double / r**3
    around = (-r + (1 - kappa) / r - 1 / r**3) * other
    factor = 1 / (4 * shear)
    return factor * (radial * cos - around * sin), factor * (radial * sin + around * cos)
