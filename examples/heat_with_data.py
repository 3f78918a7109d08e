"""Cooling of a rod with radiation at one end, helped by a few measurements inside."""

import numpy as np
import sympy

from piscm import PISC3, Box, Condition, Observations, Problem, Sampling, coordinates, field, solve

x, t = coordinates("x t")
u = field("u", x, t)
exact = 1 / (1 + x + t)  # the source below is made so that this solves the equation

measured = np.array([[0.2, 0.1], [0.5, 0.4], [0.8, 0.9]])
problem = Problem(
    domain=Box({x: (0, 1), t: (0, 1)}),
    equations=[
        u.diff(t) - (u * u.diff(x)).diff(x) - exact.diff(t) + (exact * exact.diff(x)).diff(x)
    ],
    conditions=[
        Condition(u - exact, on={t: 0}),
        Condition(u - exact, on={x: 0}),
        Condition(u.diff(x) + u**4 - exact.diff(x) - exact**4, on={x: 1}),  # radiation
    ],
    observations=[Observations(u, measured, 1 / (1 + measured.sum(axis=1)))],
)


def main() -> float:
    """The largest error on a grid."""
    solution = solve(
        problem,
        PISC3(max_nodes=150, selection="orthogonal", candidates=100),
        sampling=Sampling(interior=300, boundary=50),
        initial={u: sympy.Rational(1, 2)},
    )
    print(solution)
    xs, ts = np.meshgrid(np.linspace(0, 1, 30), np.linspace(0, 1, 30))
    error = float(np.abs(solution(x=xs, t=ts) - 1 / (1 + xs + ts)).max())
    print(f"largest error {error:.1e}")
    return error


if __name__ == "__main__":
    main()
