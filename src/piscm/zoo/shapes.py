"""Poisson's equation and heat conduction on domains that are not boxes."""

from collections.abc import Callable
from typing import Any

import numpy as np
import sympy
from numpy.typing import ArrayLike, NDArray

from piscm.assemble.sampling import Sampling
from piscm.problem.conditions import Condition
from piscm.problem.domain import Domain
from piscm.problem.normals import normal, normal_derivative
from piscm.problem.problem import Problem
from piscm.problem.symbols import coordinates, field
from piscm.shapes.ball import Ball, Disk
from piscm.shapes.brick import Interval, Rectangle
from piscm.shapes.mesh import Mesh
from piscm.shapes.polygon import Polygon
from piscm.shapes.shape import Shape
from piscm.zoo.benchmark import Benchmark
from piscm.zoo.exact import exact_reference
from piscm.zoo.references.harmonic import Harmonic, fitted
from piscm.zoo.references.l_shape import l_shape

x, y, z, t = coordinates("x y z t")
_SMOOTH = sympy.sin(2 * x + 1) * sympy.exp(y) + x * y**2
_OPTIONS: dict[str, Any] = {
    "max_nodes": 200,
    "scale": None,
    "selection": "orthogonal",
    "candidates": 100,
}
_MANUFACTURED = "manufactured solution"
_HOLE, _HOLES = 0.1, tuple((a, b) for a in (-0.3, 0.3) for b in (-0.3, 0.3))


def _poisson(name: str, title: str, domain: Domain, exact: sympy.Expr = _SMOOTH) -> Benchmark:
    """The solution is given on the whole boundary."""
    u = field("u", *domain.coordinates)
    laplace = sum(u.diff(symbol, 2) for symbol in domain.coordinates)
    source = sum(exact.diff(symbol, 2) for symbol in domain.coordinates)
    problem = Problem(domain, [laplace - source], [Condition(u - exact, on="boundary")])
    return Benchmark(
        name=name,
        title=title,
        source=_MANUFACTURED,
        problem=problem,
        reference=exact_reference({u: exact}),
        options=_OPTIONS,
        sampling=Sampling(interior=1000, boundary=400),
        sections=("y", (-0.2, 0.3)),
    )


def disk() -> Benchmark:
    """In the unit disk."""
    return _poisson("poisson-disk", "Poisson's equation in a disk", Disk({x: 0, y: 0}, 1))


def annulus() -> Benchmark:
    """Between two circles."""
    ring = Disk({x: 0, y: 0}, 1) - Disk({x: 0, y: 0}, 0.4)
    return _poisson("poisson-annulus", "Poisson's equation in an annulus", ring)


def star() -> Benchmark:
    """In a star with five points."""
    corners = [
        (radius * np.sin(np.pi * k / 5), radius * np.cos(np.pi * k / 5))
        for k, radius in enumerate([1.0, 0.5] * 5)
    ]
    domain = Polygon((x, y), corners)
    return _poisson("poisson-star", "Poisson's equation in a five-pointed star", domain)


def ball() -> Benchmark:
    """In the unit ball."""
    exact = sympy.sin(x + 2 * y) * sympy.exp(z) + x * z
    domain = Ball({x: 0, y: 0, z: 0}, 1)
    return _poisson("poisson-ball", "Poisson's equation in a ball", domain, exact)


def bracket() -> Benchmark:
    """In a bracket, given by the triangles of its surface as in an STL file."""
    exact = sympy.sin(x + 2 * y) * sympy.exp(z) + x * z
    domain = Mesh((x, y, z), bracket_surface())
    return _poisson("poisson-bracket", "Poisson's equation in a bracket", domain, exact)


def bracket_surface() -> tuple[NDArray[np.float64], NDArray[np.int_]]:
    """The vertices and triangles of an angle, 0.3 thick, extruded along y."""
    side = np.array([(0, 0), (1, 0), (1, 0.3), (0.5, 0.3), (0.3, 0.5), (0.3, 1), (0, 1)])
    count = len(side)
    front = np.stack([side[:, 0], np.zeros(count), side[:, 1]], axis=1)
    back = front + np.array([0.0, 0.6, 0.0])
    # The angle cut into triangles, all turning to the left.
    caps = np.array([(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5), (0, 5, 6)])
    after = np.roll(np.arange(count), -1)
    one = np.stack([np.arange(count), np.arange(count) + count, after], axis=1)
    two = np.stack([after, np.arange(count) + count, after + count], axis=1)
    faces = np.concatenate([caps, caps[:, ::-1] + count, one, two])
    return np.concatenate([front, back]), faces


def corner() -> Benchmark:
    """Laplace's equation in an L: at the re-entrant corner the gradient is infinite."""
    domain = Rectangle({x: (-1, 1), y: (-1, 1)}) - Rectangle({x: (0, 1), y: (-1, 0)})
    # The angle from the middle of the L, where it has no jump inside.
    turned = (-x + y) / sympy.sqrt(2), (-x - y) / sympy.sqrt(2)
    angle = sympy.atan2(turned[1], turned[0]) + 3 * sympy.pi / 4
    power = sympy.Rational(2, 3)
    exact = (x**2 + y**2) ** (power / 2) * sympy.sin(power * angle)
    u = field("u", x, y)
    return Benchmark(
        name="laplace-corner",
        title="Laplace's equation in an L, singular at the re-entrant corner",
        source="exact solution r^(2/3) sin(2 theta/3)",
        problem=Problem(
            domain, [u.diff(x, 2) + u.diff(y, 2)], [Condition(u - exact, on="boundary")]
        ),
        reference=exact_reference({u: exact}),
        options=_OPTIONS,
        sampling=Sampling(interior=1500, boundary=500),
        sections=("y", (-0.5, 0.1)),
    )


def membrane() -> Benchmark:
    """Poisson's equation in an L: singular at the re-entrant corner, less so at the others."""
    domain = Polygon((x, y), [(0, 0), (0, -1), (-1, -1), (-1, 1), (1, 1), (1, 0)])
    u = field("u", x, y)
    return Benchmark(
        name="poisson-l-shape",
        title="A membrane over an L under an even load",
        source="series around the corners, fitted on the sides",
        problem=Problem(domain, [u.diff(x, 2) + u.diff(y, 2) + 1], [Condition(u, on="boundary")]),
        reference=l_shape,
        options=_OPTIONS,
        sampling=Sampling(interior=1500, boundary=500),
        sections=("y", (-0.5, 0.1)),
    )


def four_holes() -> Benchmark:
    """Laplace's equation between a square (1 there) and four disks (0 there)."""
    domain: Shape = Rectangle({x: (-0.5, 0.5), y: (-0.5, 0.5)}, name="rim")
    for a, b in _HOLES:
        domain = domain - Disk({x: a, y: b}, _HOLE, name="hole")
    u = field("u", x, y)
    problem = Problem(
        domain,
        [u.diff(x, 2) + u.diff(y, 2)],
        [
            Condition(u - 1, on=domain.boundary("rim")),
            Condition(u, on=domain.boundary("hole")),
        ],
    )
    return Benchmark(
        name="laplace-four-holes",
        title="Laplace's equation in a square with four holes",
        source="Poisson2d-C in Z. Hao et al.: PINNacle (2023)",
        problem=problem,
        reference=_Later(_four_holes),
        options={**_OPTIONS, "max_nodes": 600},
        sampling=Sampling(interior=2400, boundary=800),
        sections=("y", (-0.3, 0.1)),
        weights={"conditions": 1e4},
    )


def _four_holes() -> Harmonic:
    """A series whose misfit on the boundary, 1.4e-10, bounds its error."""
    edge = np.cos(np.pi * (np.arange(200) + 0.5) / 200) / 2
    square = np.concatenate([edge - 0.5j, edge + 0.5j, -0.5 + 1j * edge, 0.5 + 1j * edge])
    circle = _HOLE * np.exp(2j * np.pi * np.arange(200) / 200)
    centers = [complex(a, b) for a, b in _HOLES]
    boundary = [(square, _one), *((center + circle, _zero) for center in centers)]
    return fitted(boundary, centers, scale=0.71, radius=_HOLE, powers=80, poles=20)


def _one(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    return 1.0


def _zero(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    return 0.0


class _Later:
    """A reference that is computed when it is first needed."""

    def __init__(self, make: Callable[[], Harmonic]) -> None:
        self._make = make
        self._made: Harmonic | None = None

    def __call__(self, x: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
        if self._made is None:
            self._made = self._make()
        return self._made(x, y)


def heat() -> Benchmark:
    """A plate that loses heat through two holes; its rim is kept at a given temperature."""
    plate = Rectangle({x: (0, 2), y: (0, 1)}, name="rim")
    holes = Disk({x: 0.5, y: 0.5}, 0.2, name="hole") | Disk({x: 1.4, y: 0.6}, 0.25, name="hole")
    domain = (plate - holes) * Interval(t, 0, 1)
    u = field("u", x, y, t)
    exact = sympy.exp(-t) * sympy.sin(x + 2 * y) + x * y * t / 2
    flux = normal(x) * exact.diff(x) + normal(y) * exact.diff(y)
    source = exact.diff(t) - (exact.diff(x, 2) + exact.diff(y, 2)) / 2
    problem = Problem(
        domain,
        [u.diff(t) - (u.diff(x, 2) + u.diff(y, 2)) / 2 - source],
        [
            Condition(u - exact, on={t: 0}),
            Condition(u - exact, on=domain.boundary("rim")),
            Condition(normal_derivative(u) + 3 * u - flux - 3 * exact, on=domain.boundary("hole")),
        ],
    )
    return Benchmark(
        name="heat-plate",
        title="Heat conduction in a plate with two holes, cooled through them",
        source=_MANUFACTURED,
        problem=problem,
        reference=exact_reference({u: exact}),
        options=_OPTIONS,
        sampling=Sampling(interior=1500, boundary=400),
        sections=("t", (0.2, 0.8)),
    )
