"""
A wire in a duct
================

A polygon may have holes: the potential in the ground around a square duct with a charged wire in
it. The wire is not in the ground; all that is known of it is the potential at the edges.
"""

import matplotlib.pyplot as plt
import numpy as np
import sympy

from piscm import Condition, Polygon, Problem, coordinates, field, normal_derivative, plots, solve

x, y = coordinates("x y")
u = field("u", x, y)

# %%
# The ground, and the duct as a hole of it. The wire lies at (0.1, 0).
ground = Polygon(
    (x, y),
    [(-1, -1), (1, -1), (1, 1), (-1, 1)],
    holes=[[(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]],
)
wire = sympy.log((x - 0.1) ** 2 + y**2) / 2
problem = Problem(
    domain=ground,
    equations=[u.diff(x, 2) + u.diff(y, 2)],
    conditions=[Condition(u - wire, on="boundary")],
)
solution = solve(problem, tol=1e-3)
print(solution)

# %%
# What flows out through the outer edge tells the charge of the wire: 2π.
outer = ground.boundary(where=lambda at: np.abs(at).max(axis=1) > 0.99)
charge = float(solution.integral(normal_derivative(u), over=outer))
error = abs(float(solution(x=0.7, y=0.2)) - np.log(0.6**2 + 0.2**2) / 2)
print(f"charge {charge:.5f}, exactly {2 * np.pi:.5f}; error of the potential {error:.1e}")

# %%
figure, ax = plt.subplots(figsize=(4.6, 3.8), layout="constrained")
plots.field_map(solution, ax=ax)
ax.plot(0.1, 0, "k.")
ax.set(title="potential around a duct")

assert abs(charge - 2 * np.pi) < 1e-2
assert error < 1e-3
