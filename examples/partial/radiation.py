"""
Radiation from the end of a rod, and three thermometers
=======================================================

A conductivity that grows with the temperature, and an end that radiates with its fourth power:
equation and condition are both nonlinear. Three measurements inside the rod enter as further
rows.
"""

import matplotlib.pyplot as plt
import numpy as np
import sympy

from piscm import Box, Condition, Observations, Problem, coordinates, field, plots, solve

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
solution = solve(problem, initial={u: sympy.Rational(1, 2)})
print(solution)

# %%
xs, ts = np.meshgrid(np.linspace(0, 1, 30), np.linspace(0, 1, 30))
error = float(np.abs(solution(x=xs, t=ts) - 1 / (1 + xs + ts)).max())
print(f"largest error {error:.1e}")

# %%
figure, ax = plt.subplots(figsize=(5, 3.8), layout="constrained")
plots.field_map(solution, ax=ax)
ax.plot(*measured.T, "r^", label="thermometers")
ax.legend()

assert error < 1e-5
