"""A re-entrant corner: the gradient is infinite there, and a smooth network does not follow."""

import numpy as np
import sympy

from piscm import Condition, Polygon, Problem, coordinates, field, polar_power, solve

x, y = coordinates("x y")
u = field("u", x, y)
domain = Polygon((x, y), [(0, 0), (0, -1), (-1, -1), (-1, 1), (1, 1), (1, 0)])

# Near the corner u is like r**(2/3) * cos(2/3 * angle from the middle of the L): here everywhere.
along, across = (-x + y) / sympy.sqrt(2), (-x - y) / sympy.sqrt(2)
power = polar_power(along, across, sympy.Rational(2, 3), 0)
exact = power.written_out


def laplace(**options: object) -> Problem:
    """The exact solution is given on the boundary."""
    return Problem(
        domain,
        [u.diff(x, 2) + u.diff(y, 2)],
        [Condition(u - exact, on="boundary")],
        **options,
    )


def main() -> float:
    """The relative error with singular functions that `Auto` found by itself."""
    inside = domain.sample_inside(2000, lambda n, d: np.random.default_rng(0).random((n, d)))
    at = dict(zip("xy", inside.T, strict=True))
    truth = sympy.lambdify((x, y), exact)(**at)
    for name, problem in {
        "without": laplace(singular={}),
        "named": laplace(singular={u: [power]}),
        "automatic": laplace(),  # tried because a smooth network did not do
    }.items():
        solution = solve(problem)
        error = float(np.linalg.norm(solution(**at) - truth) / np.linalg.norm(truth))
        print(f"{name:10} error {error:.0e}, estimated {solution.error_estimate.relative:.0e}")
    # How singular it is: the factor of the first function.
    print(f"intensity of the corner {max(solution.amplitudes['u'].values(), key=abs):.6f}")
    return error


if __name__ == "__main__":
    main()
