"""
Where is the source?
====================

Somewhere in a room something evaporates: Δu = -s exp(-r²/w²) around a place that nobody knows.
Twenty-five sensors with noise give the place, the strength, and how certain they are.
"""

import matplotlib.pyplot as plt
import numpy as np
import sympy

from piscm import (
    PISC3,
    Box,
    Condition,
    Observations,
    Problem,
    Sampling,
    coordinates,
    field,
    plots,
    solve,
    unknown,
)

PLACE, STRENGTH, WIDTH = (0.62, 0.35), 20.0, 0.2

x, y = coordinates("x y")
u = field("u", x, y)
room = Box({x: (0, 1), y: (0, 1)})
wall = Condition(u, on="boundary")


def source(a, b, s):
    return s * sympy.exp(-((x - a) ** 2 + (y - b) ** 2) / WIDTH**2)


# %%
# The measurements are made with another solution, of the problem in which all is known, plus
# noise.
known = Problem(room, [u.diff(x, 2) + u.diff(y, 2) + source(*PLACE, STRENGTH)], [wall])
truth = solve(known, tol=1e-5)
rng = np.random.default_rng(1)
sensors = np.stack(np.meshgrid(*2 * [np.linspace(0.1, 0.9, 5)]), axis=-1).reshape(-1, 2)
exact = truth(x=sensors[:, 0], y=sensors[:, 1])
noise = 0.02 * exact.max()
measured = exact + noise * rng.normal(size=len(sensors))

# %%
a, b, s = unknown("a b s")
problem = Problem(
    domain=room,
    equations=[u.diff(x, 2) + u.diff(y, 2) + source(a, b, s)],
    conditions=[wall],
    unknowns={a: (0.5, 0, 1), b: (0.5, 0, 1), s: 10.0},
    observations=[Observations(u, sensors, measured, noise=noise)],
)
method = PISC3(max_nodes=200, selection="orthogonal", candidates=100)
solution = solve(problem, method, sampling=Sampling(interior=600, boundary=150))
print(solution)

# %%
figure, ax = plt.subplots(figsize=(5.5, 4.4), layout="constrained")
plots.field_map(solution, ax=ax)
ax.scatter(*sensors.T, c="w", s=12, label="sensors")
found = solution.unknowns
ax.errorbar(
    found["a"].value,
    found["b"].value,
    xerr=2 * found["a"].stderr,
    yerr=2 * found["b"].stderr,
    fmt="o",
    color="C3",
    label="found, 95 %",
)
ax.plot(*PLACE, "k+", markersize=12, label="truth")
ax.legend(loc="upper left", fontsize="small")

missed = [
    (found[n].value - v) / found[n].stderr for n, v in zip("abs", (*PLACE, STRENGTH), strict=True)
]
assert max(map(abs, missed)) < 4
