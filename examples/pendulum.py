"""A large swing of a pendulum: its equation, its energy, its period."""

import numpy as np
import sympy
from scipy.special import ellipk

from piscm import PISC3, Box, Condition, Problem, Sampling, coordinates, field, solve

t = coordinates("t")
u = field("u", t)
problem = Problem(
    domain=Box({t: (0, 5)}),
    equations=[u.diff(t, 2) + sympy.sin(u)],
    conditions=[Condition(u - 2, on={t: 0}), Condition(u.diff(t), on={t: 0})],
)


def main() -> float:
    """The angle after half a period, which is -2 but for the error."""
    solution = solve(problem, PISC3(max_nodes=60, scale=4.0), sampling=Sampling(interior=200))
    print(solution)
    half_period = 2 * ellipk(np.sin(1.0) ** 2)
    angle = float(solution(t=half_period))
    print(f"u after half a period ({half_period:.4f}): {angle:.8f}, exactly -2")
    return angle


if __name__ == "__main__":
    main()
