"""
A part of a face
================

Water flows through a square without gathering or turning: its velocity has no divergence and no
curl. On one side half of the probes measure the flow through it, the others the flow along it.
Parts of a face are told by a predicate.
"""

import matplotlib.pyplot as plt
import numpy as np

from piscm import Box, Condition, Problem, coordinates, curl, div, field, solve

x, y = coordinates("x y")
u, v = field("u", x, y), field("v", x, y)
square = Box({x: (0, 1), y: (0, 1)})

# %%
# The probes saw the flow of the potential z + z³/3, z = x + iy.
through, along = -2 * x * y, 1 + x**2 - y**2
left, right = (square.boundary({y: 1}, where=own) for own in (x < 0.5, x >= 0.5))
problem = Problem(
    domain=square,
    equations=[div([u, v]), curl([u, v])],
    conditions=[
        Condition(v - through, on=left),
        Condition(u - along, on=right),
        Condition(u - along, on=[{x: 0}, {x: 1}]),
        Condition(v, on={y: 0}),
    ],
)
solution = solve(problem)
print(solution)

# %%
# What nobody measured: the flow through the right half of that side.
probes = np.linspace(0.5, 1, 50)
error = float(np.abs(solution(v, x=probes, y=1.0) + 2 * probes).max())
print(f"largest error of the flow through the right half {error:.1e}")

# %%
figure, ax = plt.subplots(figsize=(4.6, 4), layout="constrained")
places = np.linspace(0, 1, 41)
across, up = (solution(own, x=places[None], y=places[:, None]) for own in (u, v))
picture = ax.pcolormesh(places, places, np.hypot(across, up))
ax.streamplot(places, places, across, up, color="w", linewidth=0.7, density=0.8)
ax.plot([0, 0.5], [1, 1], "C1", linewidth=5, label="through")
ax.plot([0.5, 1], [1, 1], "C3", linewidth=5, label="along")
figure.colorbar(picture, label="speed")
ax.legend(title="measured")
ax.set(title="flow between probes", xlabel="x", ylabel="y", aspect="equal")

assert error < 1e-5
