"""Steady flow past a cylinder in a channel, Re = 20: a benchmark with a published drag.

The cylinder is a fortieth of the channel's length across, so one network is lost on it. Patches
are not: ``solve(problem, Patches({x: 22, y: 4}), tol=1e-2)`` meets the drag within 1 %.
"""

import sympy

from piscm.assemble.sampling import Sampling
from piscm.problem.boundary_part import BoundaryPart
from piscm.problem.calculus import laplacian
from piscm.problem.conditions import Condition
from piscm.problem.normals import normal
from piscm.problem.problem import Problem
from piscm.problem.symbols import coordinates, field
from piscm.shapes.ball import Disk
from piscm.shapes.brick import Rectangle
from piscm.shapes.shape import Shape
from piscm.zoo.benchmark import Benchmark
from piscm.zoo.references.cylinder import CENTER, HEIGHT, LENGTH, RADIUS, cylinder

x, y = coordinates("x y")
u, v, p = field("u", x, y), field("v", x, y), field("p", x, y)
VISCOSITY, FASTEST = 1e-3, 0.3
DRAG, LIFT, PRESSURE = 5.57953523384, 0.010618948146, 0.11752016697
"""The coefficients of drag and lift, and the pressure before the cylinder less that behind it: G.
Nabh, On high order methods for the stationary incompressible Navier-Stokes equations (1998)."""
_MEAN = 2 * FASTEST / 3
_NEAR = 1e-9


def channel() -> Shape:
    """With the cylinder, a little below the middle, left out."""
    whole = Rectangle({x: (0, LENGTH), y: (0, HEIGHT)}, name="rim")
    return whole - Disk({x: CENTER, y: CENTER}, RADIUS, name="cylinder")


def forces() -> tuple[sympy.Expr, sympy.Expr]:
    """What is integrated over the cylinder's surface for the coefficients of drag and lift.

    ``solution.integral(forces()[0], over=problem.domain.boundary("cylinder"))`` is the first.
    """
    share = 2 / (_MEAN**2 * 2 * RADIUS)
    drag, lift = (
        share * (p * normal(axis) - VISCOSITY * sum(part.diff(s) * normal(s) for s in (x, y)))
        for part, axis in ((u, x), (v, y))
    )
    return drag, lift


def problem() -> Problem:
    """The Navier–Stokes equations; at the outlet nothing holds the fluid."""
    domain = channel()

    def where(holds: sympy.Basic) -> BoundaryPart:
        return domain.boundary(where=holds)

    inlet, outlet = where(x < _NEAR), where(x > LENGTH - _NEAR)
    walls = where((y < _NEAR) | (y > HEIGHT - _NEAR))
    still = (walls, domain.boundary("cylinder"))
    return Problem(
        domain=domain,
        equations=[
            *(
                u * part.diff(x) + v * part.diff(y) + p.diff(axis) - VISCOSITY * laplacian(part)
                for part, axis in ((u, x), (v, y))
            ),
            u.diff(x) + v.diff(y),
        ],
        conditions=[
            Condition(u - 4 * FASTEST * y * (HEIGHT - y) / HEIGHT**2, on=inlet),
            Condition(v, on=inlet),
            *(Condition(part, on=place) for place in still for part in (u, v)),
            Condition(VISCOSITY * u.diff(x) - p, on=outlet),
            Condition(v.diff(x), on=outlet),
        ],
    )


def past() -> Benchmark:
    """The laminar case of the benchmark, 2D-1."""
    return Benchmark(
        name="cylinder-in-channel",
        title="Flow past a cylinder in a channel, Re = 20",
        source="M. Schäfer and S. Turek (1996), case 2D-1; G. Nabh (1998)",
        problem=problem(),
        reference=cylinder,
        options={"max_nodes": 400, "scale": None, "selection": "orthogonal", "candidates": 100},
        sampling=Sampling(interior=1200, boundary=400),
        sections=("x", (0.3, 1.0)),
    )
