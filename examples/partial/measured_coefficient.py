"""
A coefficient that was measured
===============================

Heat spreads in a rod whose conductivity is known at 25 places, from an initial temperature that a
Python function gives. ``sampled`` turns such numbers into an expression that stands in equations
and conditions like any other; its derivatives are those of a spline.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.integrate import solve_ivp

from piscm import Box, Condition, Problem, ProblemError, coordinates, field, sampled, solve

x, t = coordinates("x t")
u = field("u", x, t)

places = np.linspace(0, 1, 25)
measured = 0.1 + 0.05 * np.sin(3 * places)  # a table, as from a laboratory
k = sampled("k", {x: places}, measured)
start = sampled("start", {x: (0, 1)}, lambda place: np.sin(np.pi * place) ** 3)
problem = Problem(
    domain=Box({x: (0, 1), t: (0, 1)}),
    equations=[u.diff(t) - (k * u.diff(x)).diff(x)],
    conditions=[Condition(u - start, on={t: 0}), Condition(u, on=[{x: 0}, {x: 1}])],
)
solution = solve(problem, tol=1e-4)
print(solution)

# %%
# The same by the method of lines, with the formula behind the table.
grid = np.linspace(0, 1, 401)
middle = (grid[1:] + grid[:-1]) / 2


def rates(_, inside):
    values = np.concatenate([[0], inside, [0]])
    flux = (0.1 + 0.05 * np.sin(3 * middle)) * np.diff(values) / grid[1]
    return np.diff(flux) / grid[1]


begin = np.sin(np.pi * grid[1:-1]) ** 3
lines = solve_ivp(rates, (0, 1), begin, "BDF", rtol=1e-7, atol=1e-9)
error = np.abs(solution(x=grid[1:-1], t=1.0) - lines.y[:, -1]).max()
print(f"largest difference from the method of lines at t = 1: {error:.1e}")

# %%
# What is too rough for the equation is refused, with where.
try:
    sampled("k", {x: places}, np.where(places < 0.4, 1.0, 5.0))
except ProblemError as refused:
    print(refused)

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
left.plot(places, measured, "o", ms=4, label="measured")
left.plot(grid, solution(k, x=grid, t=0.0), label="k")
left.set(xlabel="x")
left.legend(frameon=False)
for moment in (0, 0.2, 0.5, 1):
    right.plot(grid, solution(x=grid, t=moment), label=f"t = {moment}")
right.set(xlabel="x", title="temperature")
right.legend(frameon=False)

assert error < 1e-4
