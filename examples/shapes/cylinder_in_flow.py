"""
Flow around a cylinder
======================

Potential flow: the velocity is the gradient of φ, Δφ = 0, nothing flows through the cylinder,
and far away the flow is even. On the sides of the cylinder the fluid is twice as fast as far
away.
"""

import matplotlib.pyplot as plt
import numpy as np
import sympy

from piscm import (
    Condition,
    Disk,
    Problem,
    Rectangle,
    coordinates,
    field,
    normal_derivative,
    plots,
    solve,
)

x, y = coordinates("x y")
phi = field("phi", x, y)
channel = Rectangle({x: (-3, 3), y: (-2, 2)}, name="rim") - Disk({x: 0, y: 0}, 1, name="cylinder")
far = x * (1 + 1 / (x**2 + y**2))  # the exact potential of an unbounded flow
problem = Problem(
    domain=channel,
    equations=[phi.diff(x, 2) + phi.diff(y, 2)],
    conditions=[
        Condition(normal_derivative(phi), on=channel.boundary("cylinder")),
        Condition(phi - far, on=channel.boundary("rim")),
    ],
)
solution = solve(problem, tol=1e-4)
print(solution)

# %%
speed = sympy.sqrt(phi.diff(x) ** 2 + phi.diff(y) ** 2)
side = float(solution(speed, x=0.0, y=1.0))
print(f"speed at the side of the cylinder {side:.4f}, exactly 2")

# %%
figure, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
plots.field_map(solution, speed, ax=ax)
xs, ys = np.meshgrid(np.linspace(-3, 3, 60), np.linspace(-2, 2, 40))
inside = channel.contains(np.stack([xs.ravel(), ys.ravel()], axis=-1)).reshape(xs.shape)
velocity = np.full((2, *xs.shape), np.nan)
for row, axis in enumerate((x, y)):
    velocity[row][inside] = solution(phi.diff(axis), x=xs[inside], y=ys[inside])
ax.streamplot(xs, ys, *velocity, color="w", linewidth=0.6, density=0.8, arrowsize=0.7)
ax.set(title="speed and streamlines")

assert abs(side - 2) < 1e-2
