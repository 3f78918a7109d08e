"""
One parameter, with its error bar
=================================

The damping μ of a forced Van der Pol oscillator, u_tt - μ (1 - u²) u_t + u = U, from 100 noisy
measurements over time t and forcing U. The forcing is a coordinate: one solution holds for all
of its values.
"""

import matplotlib.pyplot as plt
import numpy as np

from piscm import PISC3, Observations, Sampling, solve, zoo

# The problem, with mu unknown and first guessed as 0.1, comes from the zoo of problems with
# known answers.
benchmark = zoo.load("van-der-pol-inverse")
print(benchmark.problem)

# %%
u = benchmark.problem.fields[0]
rng = np.random.default_rng(3)
points = rng.random((100, 2)) * [5, 1]
values = benchmark.reference(points[:, 0], points[:, 1]) + 0.03 * rng.normal(size=100)
problem = benchmark.problem.with_observations([Observations(u, points, values)])
method = PISC3(max_nodes=300, scale=(20.0, 8.0), selection="orthogonal", candidates=100)
solution = solve(problem, method, sampling=Sampling(interior=1000, boundary=100))
print(solution)

# %%
mu = solution.unknowns["mu"]
print(f"mu = {mu.value:.3f} ± {mu.stderr:.3f}, truly 1")
print(f"u(4, 0.5) = {solution(t=4, U=0.5):.3f} ± {solution.std(t=4, U=0.5):.3f}")

# %%
# The solution with twice its standard error, and the truth.
times = np.linspace(0, 5, 200)
center, width = solution(t=times, U=0.5), 2 * solution.std(t=times, U=0.5)
figure, ax = plt.subplots(figsize=(7, 3.8), layout="constrained")
ax.fill_between(times, center - width, center + width, alpha=0.4, label="95 % band")
ax.plot(times, benchmark.reference(times, 0.5), "k--", linewidth=1, label="truth")
near = np.abs(points[:, 1] - 0.5) < 0.1
ax.plot(points[near, 0], values[near], ".", color="C3", label="data with U near 0.5")
ax.set(xlabel="t", ylabel="u at U = 0.5")
ax.legend(frameon=False)

assert abs(mu.value - 1.0) / mu.stderr < 3
