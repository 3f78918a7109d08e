"""One unknown parameter with error bars: the damping of a Van der Pol oscillator."""

import numpy as np

from piscm import PISC3, Observations, Sampling, solve, zoo

# The problem: u_tt - mu (1 - u^2) u_t + u - U = 0 with mu unknown, first guess 0.1, truth 1.
benchmark = zoo.load("van-der-pol-inverse")
u = benchmark.problem.fields[0]

rng = np.random.default_rng(3)
points = rng.random((100, 2)) * [5, 1]
values = benchmark.reference(points[:, 0], points[:, 1]) + 0.03 * rng.normal(size=100)
problem = benchmark.problem.with_observations([Observations(u, points, values)])


def main() -> float:
    """The error of mu in standard errors."""
    method = PISC3(max_nodes=300, scale=(20.0, 8.0), selection="orthogonal", candidates=100)
    solution = solve(problem, method, sampling=Sampling(interior=1000, boundary=100))
    print(solution)
    mu = solution.unknowns["mu"]
    print(f"mu = {mu.value:.3f} ± {mu.stderr:.3f}, truly 1")
    print(f"u(4, 0.5) = {solution(t=4, U=0.5):.3f} ± {solution.std(t=4, U=0.5):.3f}")
    return abs(mu.value - 1.0) / mu.stderr


if __name__ == "__main__":
    main()
