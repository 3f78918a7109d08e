"""
A capsule
=========

Shapes in space are put together with ``|``, ``-`` and ``&``: a capsule is a cylinder with a ball at
either end. The temperature of its surface is known; that inside follows, and as much heat enters as
leaves.
"""

import matplotlib.pyplot as plt
import numpy as np
import sympy

from piscm import (
    Ball,
    Condition,
    Cylinder,
    Problem,
    coordinates,
    field,
    laplacian,
    normal_derivative,
    plots,
    solve,
)

x, y, z = coordinates("x y z")
u = field("u", x, y, z)
RADIUS, LENGTH = 0.5, 1.0

# %%
# The round ends of the cylinder lie inside the balls: they are no boundary any more.
capsule = (
    Cylinder({x: 0, y: 0, z: (0, LENGTH)}, radius=RADIUS)
    | Ball({x: 0, y: 0, z: 0}, RADIUS)
    | Ball({x: 0, y: 0, z: LENGTH}, RADIUS)
)
print(capsule, "with the parts", ", ".join(capsule.parts))
surface = sympy.exp(z) * sympy.sin(x) + y
problem = Problem(
    domain=capsule,
    equations=[laplacian(u)],
    conditions=[Condition(u - surface, on="boundary")],
)
solution = solve(problem)
print(solution)

# %%
# The surface was chosen such that the same formula holds inside.
points = capsule.sample_inside(1000, lambda count, d: np.random.default_rng(0).random((count, d)))
exact = np.exp(points[:, 2]) * np.sin(points[:, 0]) + points[:, 1]
error = float(np.abs(solution(x=points[:, 0], y=points[:, 1], z=points[:, 2]) - exact).max())
through = float(solution.integral(normal_derivative(u), over="boundary"))
print(f"largest error {error:.1e}; heat through the surface {through:.1e}")

# %%
figure, ax = plt.subplots(figsize=(4, 4), layout="constrained")
plots.field_map(solution, ax=ax, at={"y": 0.0})
ax.set(title="a section of a capsule")

assert error < 1e-5
assert abs(through) < 1e-3
