"""
Poisson's equation in a cube
============================

Three dimensions cost nodes, not code: -Δu = f with a source that makes the solution known.
"""

import matplotlib.pyplot as plt
import numpy as np
import sympy

from piscm import Box, Condition, Problem, coordinates, field, plots, solve

x, y, z = coordinates("x y z")
u = field("u", x, y, z)
exact = sympy.sin(sympy.pi * x) * sympy.sin(sympy.pi * y) * sympy.exp(-z)
source = sum(exact.diff(axis, 2) for axis in (x, y, z))
problem = Problem(
    domain=Box({x: (0, 1), y: (0, 1), z: (0, 1)}),
    equations=[u.diff(x, 2) + u.diff(y, 2) + u.diff(z, 2) - source],
    conditions=[Condition(u - exact, on="boundary")],
)
solution = solve(problem, tol=1e-5)
print(solution)

# %%
points = np.random.default_rng(0).random((3, 2000))
truth = sympy.lambdify((x, y, z), exact, "numpy")
error = float(np.abs(solution(x=points[0], y=points[1], z=points[2]) - truth(*points)).max())
print(f"largest error {error:.1e} at 2000 points")

# %%
figure, axes = plt.subplots(1, 3, figsize=(11, 3.3), layout="constrained")
for ax, height in zip(axes, (0.1, 0.5, 0.9), strict=True):
    plots.field_map(solution, at={"z": height}, ax=ax).set_title(f"z = {height}")

assert error < 1e-4
