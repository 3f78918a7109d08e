"""Conduction in two materials: a coefficient that jumps where they meet."""

import numpy as np
import sympy
from numpy.typing import ArrayLike, NDArray

from piscm.assemble.sampling import Sampling
from piscm.problem.box import Box
from piscm.problem.conditions import Condition
from piscm.problem.problem import Problem
from piscm.problem.region import Region
from piscm.problem.symbols import coordinates, field
from piscm.shapes.ball import Disk
from piscm.shapes.brick import Rectangle
from piscm.shapes.polygon import Polygon
from piscm.shapes.singular import singular_functions
from piscm.zoo.benchmark import Benchmark

x, y, k, f = coordinates("x y k f")
_OPTIONS = {"max_nodes": 200, "scale": None, "selection": "orthogonal", "candidates": 100}
_RADIUS, _INSIDE = 0.4, 5.0


def rod() -> Benchmark:
    """Two rods in a row, the second ten times as conductive; heated along their length."""
    u = field("u", x)
    problem = Problem(
        regions=[
            Region(Box({x: (0, 1)}), {k: 1}, name="left"),
            Region(Box({x: (1, 2)}), {k: 10}, name="right"),
        ],
        equations=[(k * u.diff(x)).diff(x) + sympy.sin(3 * x)],
        conditions=[Condition(u, on={x: 0}), Condition(u - 1, on={x: 2})],
    )
    return Benchmark(
        name="conduction-rod",
        title="Heat conduction through two materials in a row",
        source="exact solution by integrating twice",
        problem=problem,
        reference=_rod,
        options=_OPTIONS,
        sampling=Sampling(interior=200, boundary=10),
    )


def _rod(x: ArrayLike) -> NDArray[np.float64]:
    """``k u' = cos(3x)/3 + c`` with c from the two ends."""
    at = np.asarray(x, dtype=float)

    def left(at: NDArray[np.float64], slope: float) -> NDArray[np.float64]:
        return np.asarray(np.sin(3 * at) / 9 + slope * at)

    one, two = np.array(1.0), np.array(2.0)
    # u(2) = left(1) + (left(2) - left(1))/10 = 1 is linear in the slope.
    known = 0.9 * left(one, 0.0) + 0.1 * left(two, 0.0)
    slope = (1.0 - float(known)) / (0.9 + 0.2)
    beyond = left(one, slope) + (left(at, slope) - left(one, slope)) / 10
    return np.where(at <= 1, left(at, slope), beyond)


def plane() -> Benchmark:
    """Two materials that meet along a slanted line, with sources of their own."""
    u = field("u", x, y)
    normal = np.array([2.0, -0.5]) / np.hypot(2.0, 0.5)
    across = float(normal[0]) * (x - 0.05) + float(normal[1]) * y
    along = -float(normal[1]) * (x - 0.05) + float(normal[0]) * y
    shapes = {
        "left": (1, Polygon((x, y), [(-1, -1), (-0.2, -1), (0.3, 1), (-1, 1)])),
        "right": (20, Polygon((x, y), [(-0.2, -1), (1, -1), (1, 1), (0.3, 1)])),
    }
    # A function of the distance from the line over k, and one of the place along it: both are
    # continuous, and so are their fluxes.
    given, exact, regions = field("g", x, y), {}, []
    for name, (value, domain) in shapes.items():
        own = sympy.sin(2 * along) + sympy.sin(1.5 * across) * sympy.cos(along) / value
        source = -value * (own.diff(x, 2) + own.diff(y, 2))
        regions.append(Region(domain, {k: value, f: source, given: own}, name=name))
        exact[name] = sympy.lambdify((x, y), own, modules="numpy")
    side = sympy.lambdify((x, y), across, modules="numpy")

    def reference(x: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
        a, b = np.broadcast_arrays(np.asarray(x, dtype=float), np.asarray(y, dtype=float))
        return np.asarray(np.where(side(a, b) <= 0, exact["left"](a, b), exact["right"](a, b)))

    problem = Problem(
        regions=regions,
        equations=[(k * u.diff(x)).diff(x) + (k * u.diff(y)).diff(y) + f],
        conditions=[Condition(u - given, on="boundary")],
    )
    return Benchmark(
        name="conduction-plane",
        title="Heat conduction through two materials that meet along a line",
        source="manufactured solution",
        problem=problem,
        reference=reference,
        options=_OPTIONS,
        sampling=Sampling(interior=600, boundary=200),
        sections=("y", (-0.5, 0.4)),
    )


def inclusion() -> Benchmark:
    """A disk that conducts five times as well, in a uniform field."""
    u = field("u", x, y)
    disk = Disk({x: 0, y: 0}, _RADIUS, name="rim")
    plate = Rectangle({x: (-1, 1), y: (-1, 1)}) - disk
    outside = x * (1 + (1 - _INSIDE) / (1 + _INSIDE) * _RADIUS**2 / (x**2 + y**2))
    problem = Problem(
        regions=[
            Region(plate, {k: 1}, singular={u: singular_functions(plate)}, name="plate"),
            Region(disk, {k: _INSIDE}, singular={}, name="disk"),
        ],
        equations=[(k * u.diff(x)).diff(x) + (k * u.diff(y)).diff(y)],
        conditions=[Condition(u - outside, on="boundary")],
    )
    return Benchmark(
        name="conduction-inclusion",
        title="Heat conduction through a plate with a round inclusion",
        source="exact solution of a disk in a uniform field",
        problem=problem,
        reference=_inclusion,
        options=_OPTIONS,
        sampling=Sampling(interior=600, boundary=200),
        sections=("y", (0.0, 0.3)),
    )


def _inclusion(x: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
    a, b = np.broadcast_arrays(np.asarray(x, dtype=float), np.asarray(y, dtype=float))
    square = np.maximum(a**2 + b**2, 1e-30)
    share = (1 - _INSIDE) / (1 + _INSIDE)
    outside = a * (1 + share * _RADIUS**2 / square)
    return np.where(square <= _RADIUS**2, 2 / (1 + _INSIDE) * a, outside)
