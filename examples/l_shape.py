"""A re-entrant corner: the gradient is infinite there, and a smooth network does not follow."""

import sympy

from piscm import Condition, Polygon, Problem, coordinates, field, polar_power, solve

x, y = coordinates("x y")
u = field("u", x, y)
domain = Polygon((x, y), [(0, 0), (0, -1), (-1, -1), (-1, 1), (1, 1), (1, 0)])


def poisson(**options: object) -> Problem:
    """A membrane over an L under an even load."""
    return Problem(
        domain,
        [u.diff(x, 2) + u.diff(y, 2) + 1],
        [Condition(u, on="boundary")],
        **options,
    )


# Near the corner u is like r**(2/3) * cos(2/3 * angle from the middle of the L). Named by hand:
along, across = (-x + y) / sympy.sqrt(2), (-x - y) / sympy.sqrt(2)
NAMED = [polar_power(along, across, sympy.Rational(2, 3), 0)]

# The value at (-1/2, 1/2), from a series around the corners that fits the sides to 2e-11.
MIDDLE = 0.1310530


def main() -> float:
    """The relative error in the middle, with singular functions that `Auto` found by itself."""
    for name, problem in {
        "without": poisson(singular={}),
        "named": poisson(singular={u: NAMED}),
        "automatic": poisson(),
    }.items():
        solution = solve(problem, tol=1e-5)
        value = float(solution(x=-0.5, y=0.5))
        print(f"{name:10} {value:.6f}, estimated error {solution.error_estimate.relative:.0e}")
    # How singular it is: the factor of the first function.
    print(f"intensity of the corner {max(solution.amplitudes['u'].values(), key=abs):.4f}")
    return abs(value - MIDDLE) / MIDDLE


if __name__ == "__main__":
    main()
