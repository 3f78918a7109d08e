"""Problems of any size with known answers, to measure how cost grows."""

from collections.abc import Callable
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray

from piscm import Box, Condition, Problem, coordinates, field

Floats = NDArray[np.float64]
Exact = Callable[..., Floats]


def helmholtz(wavelengths: int) -> tuple[Problem, Exact]:
    """Two plane waves that cross, so many wavelengths and a quarter along a side.

    A whole number would make the square resonate: 10 wavelengths are an eigenvalue.
    """
    x, y = coordinates("x y")
    u = field("u", x, y)
    k = 2 * np.pi * (wavelengths + 0.25)
    exact = sympy.sin(k * (0.6 * x + 0.8 * y)) + sympy.cos(k * (0.8 * x - 0.6 * y) + 0.3)
    equation = u.diff(x, 2) + u.diff(y, 2) + k**2 * u
    box = Box({x: (0, 1), y: (0, 1)})
    problem = Problem(box, [equation], [Condition(u - exact, on="boundary")])
    return problem, sympy.lambdify((x, y), exact)


def oscillation(periods: int) -> tuple[Problem, Exact]:
    """So many periods of a sine as one boundary value problem."""
    x: Any = coordinates("x")
    u = field("u", x)
    k = 2 * np.pi * (periods + 0.1)
    exact = sympy.sin(k * x + 0.4)
    conditions = [Condition(u - exact, on={x: 0}), Condition(u - exact, on={x: 1})]
    problem = Problem(Box({x: (0, 1)}), [u.diff(x, 2) + k**2 * u], conditions)
    return problem, sympy.lambdify(x, exact)


def multiscale(highest: int = 64) -> tuple[Problem, Exact]:
    """Poisson's equation whose solution has the frequencies 1, 2, 4, … of the unit square."""
    x, y = coordinates("x y")
    u = field("u", x, y)
    frequencies = [2**power for power in range(highest.bit_length())]
    exact = sum(sympy.sin(sympy.pi * f * x) * sympy.sin(sympy.pi * f * y) / f for f in frequencies)
    source = sum(
        -2 * sympy.pi**2 * f * sympy.sin(sympy.pi * f * x) * sympy.sin(sympy.pi * f * y)
        for f in frequencies
    )
    box = Box({x: (0, 1), y: (0, 1)})
    equation = u.diff(x, 2) + u.diff(y, 2) - source
    problem = Problem(box, [equation], [Condition(u, on="boundary")])
    return problem, sympy.lambdify((x, y), exact)


def relative_error(solution: Callable[..., Floats], problem: Problem, exact: Exact) -> float:
    """The root mean square error at random points, relative to the solution."""
    domain = problem.domain.bounding_box
    unit = np.random.default_rng(99).random((20_000, domain.dimension))
    points = (domain.lower + unit * domain.width).T
    names = [symbol.name for symbol in domain.coordinates]
    found, true = solution(**dict(zip(names, points, strict=True))), exact(*points)
    return float(np.sqrt(np.mean((found - true) ** 2) / np.mean(true**2)))
