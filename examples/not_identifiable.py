"""Two unknowns of which only the product shows: the solution says so instead of guessing."""

import numpy as np

from piscm import Box, Condition, Observations, Problem, coordinates, field, solve, unknown

t = coordinates("t")
u = field("u", t)
rate, strength = unknown("rate strength")
times = np.linspace(0.1, 2, 20)

problem = Problem(
    domain=Box({t: (0, 2)}),
    equations=[u.diff(t) + rate * strength * u],
    conditions=[Condition(u - 1, on={t: 0})],
    unknowns={rate: 1.0, strength: 1.0},
    observations=[Observations(u, times, np.exp(-1.5 * times))],
)


def main() -> str:
    """What is not determined, in words."""
    solution = solve(problem)
    print(solution)
    product = solution.unknowns["rate"].value * solution.unknowns["strength"].value
    print(f"their product is {product:.6f}, truly 1.5")
    return solution.undetermined


if __name__ == "__main__":
    main()
