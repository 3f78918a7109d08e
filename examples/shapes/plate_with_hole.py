"""
A plate with a hole
===================

A plate is heated evenly, kept at zero on its left side, insulated on the others, and cooled
through a hole. Shapes are written with their coordinates and combined with ``|``, ``-`` and
``&``; every part of the boundary keeps its name. In the end, what is produced must leave.
"""

import math

import matplotlib.pyplot as plt

from piscm import (
    Condition,
    Disk,
    Polygon,
    Problem,
    coordinates,
    field,
    normal_derivative,
    plots,
    solve,
)

x, y = coordinates("x y")
u = field("u", x, y)
rim = Polygon((x, y), [(0, 0), (2, 0), (2, 1), (0, 1)], name="rim")
plate = rim - Disk({x: 1, y: 0.5}, radius=0.3, name="hole")
problem = Problem(
    domain=plate,
    equations=[u.diff(x, 2) + u.diff(y, 2) + 1],  # heated evenly
    conditions=[
        Condition(normal_derivative(u) + 5 * u, on=plate.boundary("hole")),  # cooled
        Condition(u, on={x: 0}),  # kept at zero
        Condition(normal_derivative(u), on=plate.boundary("rim", where=x > 0)),  # insulated
    ],
)
solution = solve(problem, tol=1e-3)
print(solution)

# %%
produced = 2 - math.pi * 0.3**2
leaves = -float(solution.integral(normal_derivative(u), over=plate.boundary()))
print(f"{produced:.4f} is produced, {leaves:.4f} leaves")
print(f"mean temperature {float(solution.integral(u)) / produced:.4f}")

# %%
figure, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
plots.field_map(solution, ax=ax)

assert abs(produced - leaves) / produced < 1e-3
