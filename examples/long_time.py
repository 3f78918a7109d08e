"""Windows in time: a Van der Pol oscillator over many periods, and how wrong the answer is."""

import numpy as np
from scipy.integrate import solve_ivp

from piscm import Box, Condition, Problem, Windows, coordinates, field, solve

t = coordinates("t")
u = field("u", t)
problem = Problem(
    domain=Box({t: (0, 30)}),
    equations=[u.diff(t, 2) - (1 - u**2) * u.diff(t) + u],
    conditions=[Condition(u - 1, on={t: 0}), Condition(u.diff(t), on={t: 0})],
)


def main() -> float:
    """The largest error against SciPy, of the windows that were chosen."""
    solution = solve(problem)  # as long as the nodes can carry; Windows(t, 10) would be ten alike
    print(solution)
    fixed = solve(problem, Windows(t, 10))
    times = np.linspace(0, 30, 301)
    path = solve_ivp(
        lambda _, y: [y[1], (1 - y[0] ** 2) * y[1] - y[0]],
        (0, 30),
        [1.0, 0.0],
        t_eval=times,
        rtol=1e-12,
        atol=1e-12,
    )
    error = float(np.abs(solution(t=times) - path.y[0]).max())
    print(f"largest error {error:.1e}, with ten windows alike", end=" ")
    print(f"{np.abs(fixed(t=times) - path.y[0]).max():.1e}")
    return error


if __name__ == "__main__":
    main()
