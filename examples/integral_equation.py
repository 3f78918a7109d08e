"""A population with memory: an equation that integrates over all of the past."""

import numpy as np

from piscm import Box, Condition, Problem, coordinates, field, integral, solve

t, s = coordinates("t s")
u = field("u", t)

# u' = -(integral of u from 0 to t), with u(0) = 1, is solved by the cosine.
problem = Problem(
    domain=Box({t: (0, 6)}),
    equations=[u.diff(t) + integral(u.subs(t, s), over=(s, 0, t))],
    conditions=[Condition(u - 1, on={t: 0})],
)


def main() -> float:
    """The largest error."""
    solution = solve(problem)
    print(solution)
    times = np.linspace(0, 6, 50)
    return float(np.abs(solution(t=times) - np.cos(times)).max())


if __name__ == "__main__":
    print(f"largest error {main():.1e}")
