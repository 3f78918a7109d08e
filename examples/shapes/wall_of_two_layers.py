"""
A wall of two layers
====================

Heat goes into a wall of brick and insulation when the room behind it is heated up. Each layer has a
conductivity and a heat capacity of its own: regions in x and t, which meet where the layers do.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.integrate import solve_ivp

from piscm import Box, Condition, Problem, Region, coordinates, field, plots, solve

x, t = coordinates("x t")
k, c = coordinates("k c")
u = field("u", x, t)
END = 4.0
brick = Region(Box({x: (0, 1), t: (0, END)}), {k: 1, c: 1}, name="brick")
foam = Region(Box({x: (1, 1.5), t: (0, END)}), {k: 0.1, c: 0.2}, name="foam")
room = t**2 / (1 + t**2)
problem = Problem(
    regions=[brick, foam],
    equations=[c * u.diff(t) - (k * u.diff(x)).diff(x)],
    conditions=[
        Condition(u, on={t: 0}),
        Condition(u - room, on={x: 0}),
        Condition(u, on={x: 1.5}),
    ],
)
solution = solve(problem, tol=1e-4)
print(solution)

# %%
# The same by finite volumes and SciPy.
cells = 300
width = 1.5 / cells
middle = (np.arange(cells) + 0.5) * width
conducts, holds = np.where(middle < 1, 1.0, 0.1), np.where(middle < 1, 1.0, 0.2)
between = 2 / (1 / conducts[:-1] + 1 / conducts[1:])


def warming(time, values):
    inner = between * np.diff(values) / width
    left = 2 * conducts[0] * (values[0] - time**2 / (1 + time**2)) / width
    right = -2 * conducts[-1] * values[-1] / width
    return np.diff(np.concatenate([[left], inner, [right]])) / width / holds


times = np.array([0.5, 1.0, 2.0, 4.0])
rival = solve_ivp(
    warming, (0, END), np.zeros(cells), "LSODA", times, rtol=1e-7, atol=1e-9, lband=1, uband=1
)
found = np.array([solution(x=middle, t=time) for time in times])
error = np.abs(found - rival.y.T).max()
print(f"largest difference {error:.1e}")

# %%
figure, (left, ax) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
plots.field_map(solution, ax=left)
for time, values in zip(times, found, strict=True):
    ax.plot(middle, values, label=f"t = {time:g}")
ax.axvline(1, color="0.8", zorder=0)
ax.set(xlabel="x", title="temperature in brick and foam")
ax.legend(frameon=False)

assert error < 1e-3
