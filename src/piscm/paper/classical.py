"""What NumPy and SciPy need for the paper's problems: the yardstick beside every network.

Plain solvers, as a competent user would write them: the Van der Pol equation by DOP853 at Chebyshev
points of the drive, the Helmholtz equation by Chebyshev collocation, the Allen–Cahn equation by
second-order differences and LSODA, unknown parameters by `scipy.optimize.least_squares` around
these. The one knob is the accuracy: resolution and tolerances follow from it by rules that were
fitted once, so that the root mean square error over the domain is at most what was asked for.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import ArrayLike, NDArray
from scipy.integrate import OdeSolution, solve_ivp
from scipy.optimize import least_squares

from piscm.construct.checks import check_positive
from piscm.problem.errors import ProblemError
from piscm.problem.observations import Observations
from piscm.zoo.references.collocation import differentiation_matrix

Floats = NDArray[np.float64]
Field = Callable[[Floats, Floats], Floats]
"""A solution at points, given as one array for each coordinate."""
Forward = Callable[[float], Field]
"""From the parameter of the equation to the solution."""

_TRUE, _GUESS = 1.0, 0.1  # of the parameter, in forward and in inverse problems
_COARSEST = 0.1
# Numbers at once, where all of a grid is interpolated to many times.
_CHUNK = 2_000_000


@dataclass(frozen=True)
class Classical:
    """A solution over the whole domain, and the unknowns that an inverse problem was solved for."""

    coordinates: tuple[str, str]
    field: Field
    unknowns: dict[str, float]

    def __call__(self, _: object = None, /, **coordinates: ArrayLike) -> Floats:
        """The one field at broadcasting arrays of the coordinates, as a `Solution` is called."""
        if set(coordinates) != set(self.coordinates):
            raise ProblemError(f"Give the coordinates {' and '.join(self.coordinates)}.")
        arrays = [np.asarray(coordinates[name], dtype=float) for name in self.coordinates]
        first, second = np.broadcast_arrays(*arrays)
        return self.field(first.ravel(), second.ravel()).reshape(first.shape)


class _Solver(NamedTuple):
    coordinates: tuple[str, str]
    prepare: Callable[[float], Forward]
    finest: float  # the best accuracy that the rules were tried for
    unknown: str = ""


def classical(name: str, accuracy: float, observations: Observations | None = None) -> Classical:
    """Solve a problem of the paper; an inverse one is fitted to the observations.

    The accuracy is the root mean square error over the domain that is allowed.
    """
    if name not in _SOLVERS:
        known = ", ".join(_SOLVERS)
        raise ProblemError(f"There is no classical solver for {name!r}; known: {known}.")
    solver = _SOLVERS[name]
    check_positive(accuracy, "classical(accuracy=...)")
    if not solver.finest <= accuracy <= _COARSEST:
        raise ProblemError(
            f"classical({name!r}, accuracy={accuracy!r}): give a number from {solver.finest:g} to "
            f"{_COARSEST:g}."
        )
    forward = solver.prepare(accuracy)
    if not solver.unknown:
        return Classical(solver.coordinates, forward(_TRUE), {})
    if observations is None:
        raise ProblemError(f"classical({name!r}): an inverse problem needs observations.")
    parameter = _fitted(forward, observations, accuracy)
    return Classical(solver.coordinates, forward(parameter), {solver.unknown: parameter})


def _fitted(forward: Forward, observations: Observations, accuracy: float) -> float:
    """The parameter whose solution is nearest to the observations."""
    first, second = np.asarray(observations.points, dtype=float).T
    values = np.asarray(observations.values, dtype=float)
    tolerance = 1e-3 * accuracy
    found = least_squares(
        lambda parameter: forward(float(parameter[0]))(first, second) - values,
        [_GUESS],
        # Differences over less than this would show the error of the solver, not the slope.
        diff_step=np.sqrt(accuracy),
        ftol=tolerance,
        xtol=tolerance,
        gtol=tolerance,
    )
    return float(found.x[0])


def _van_der_pol(accuracy: float) -> Forward:
    """All drives at once: the solution is smooth in the drive, so few Chebyshev points will do."""
    points, tolerance = int(np.ceil(-2.1 * np.log10(accuracy))), 0.3 * accuracy
    places = chebyshev.chebpts1(points)
    drives = (1 + places) / 2
    to_series = np.linalg.inv(chebyshev.chebvander(places, points - 1))
    initial = np.repeat([-0.25, -2.0], points)

    def forward(mu: float) -> Field:
        def rate(_: float, state: Floats) -> Floats:
            u, slope = state[:points], state[points:]
            return np.concatenate([slope, mu * (1 - u * u) * slope - u + drives])

        path = _integrated(rate, 5.0, initial, tolerance, "DOP853")

        def field(t: Floats, U: Floats) -> Floats:
            basis = chebyshev.chebvander(2 * U - 1, points - 1)
            return np.asarray(np.einsum("nk,kn->n", basis, to_series @ path(t)[:points]))

        return field

    return forward


def _helmholtz(accuracy: float) -> Forward:
    """Collocation on a square grid; eigenvectors of d²/dx² separate the two coordinates."""
    points = 16 + 2 * int(np.ceil(-0.8 * np.log10(accuracy)))
    nodes = chebyshev.chebpts2(points)
    second = np.linalg.matrix_power(differentiation_matrix(nodes), 2)[1:-1, 1:-1]
    rates, modes = np.linalg.eig(second)
    to_modes = np.linalg.inv(modes)
    inside = nodes[1:-1]
    exact = np.outer(np.sin(np.pi * inside), np.sin(4 * np.pi * inside))
    source = to_modes @ ((1 - 17 * np.pi**2) * exact) @ to_modes.T
    to_series = np.linalg.inv(chebyshev.chebvander(nodes, points - 1))[:, 1:-1] @ modes

    def forward(k_squared: float) -> Field:
        amplitudes = source / (rates[:, None] + rates + k_squared)
        series = to_series @ amplitudes @ to_series.T
        return lambda x, y: np.asarray(chebyshev.chebval2d(x, y, series))

    return forward


def _allen_cahn(accuracy: float) -> Forward:
    """Second-order differences on half the interval: the solution is even, its slope 0 at the ends.

    The initial slope at x = 1 is not 0, and a layer starts there, so a higher order would not help.
    """
    cells, tolerance = int(np.ceil(max(24.0, 1.3 / np.sqrt(accuracy)))), 0.1 * accuracy
    x = np.linspace(0.0, 1.0, cells + 1)
    diffusion = 1e-4 * cells**2
    # By neighbors above and below; what lies beyond an end is the mirror image.
    upper, lower = np.full(cells + 1, diffusion), np.full(cells + 1, diffusion)
    upper[1] = lower[-2] = 2 * diffusion

    def rate(_: float, u: Floats) -> Floats:
        change = 5 * u - 5 * u**3 - 2 * diffusion * u
        change[:-1] += upper[1:] * u[1:]
        change[1:] += lower[:-1] * u[:-1]
        return change

    def band(_: float, u: Floats) -> Floats:
        return np.stack([upper, 5 - 15 * u**2 - 2 * diffusion, lower])

    def forward(_: float) -> Field:
        options = {"jac": band, "uband": 1, "lband": 1}
        initial = x**2 * np.cos(np.pi * x)
        path = _integrated(rate, 0.5, initial, tolerance, "LSODA", **options)
        return lambda x, t: _between(path, cells, x, t)

    return forward


def _between(path: OdeSolution, cells: int, x: Floats, t: Floats) -> Floats:
    """The cubic polynomial through four grid points around each place."""
    values = np.empty(len(x))
    parts = 1 + len(x) * cells // _CHUNK
    for part in np.array_split(np.argsort(t), min(parts, len(x))):
        grid = path(t[part])
        place = np.abs(x[part]) * cells
        first = np.clip(place.astype(int) - 1, 0, cells - 3)
        z, column = place - first, np.arange(len(part))
        shares = (
            -(z - 1) * (z - 2) * (z - 3) / 6,
            z * (z - 2) * (z - 3) / 2,
            -z * (z - 1) * (z - 3) / 2,
            z * (z - 1) * (z - 2) / 6,
        )
        values[part] = sum(
            share * grid[first + number, column] for number, share in enumerate(shares)
        )
    return values


def _integrated(
    rate: Callable[[float, Floats], Floats],
    end: float,
    initial: Floats,
    tolerance: float,
    method: str,
    **options: Any,
) -> OdeSolution:
    options |= {"rtol": tolerance, "atol": tolerance, "dense_output": True}
    found = solve_ivp(rate, (0.0, end), initial, method=method, **options)
    if not found.success:
        raise ArithmeticError(f"The integration failed: {found.message}")
    return found.sol


_SOLVERS = {
    "van-der-pol": _Solver(("t", "U"), _van_der_pol, 1e-10),
    "helmholtz": _Solver(("x", "y"), _helmholtz, 1e-10),
    "allen-cahn": _Solver(("x", "t"), _allen_cahn, 1e-8),
    "van-der-pol-inverse": _Solver(("t", "U"), _van_der_pol, 1e-10, "mu"),
    "helmholtz-inverse": _Solver(("x", "y"), _helmholtz, 1e-10, "k2"),
}
