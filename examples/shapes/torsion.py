"""
Torsion of an elliptic bar
==========================

A bar that is twisted carries a torque that Prandtl's stress function gives: Δφ = -2 in the
cross section, φ = 0 on its rim, and the stiffness is twice the integral of φ. For an ellipse
with the half axes a and b it is π a³b³/(a² + b²).
"""

import math

import matplotlib.pyplot as plt
import sympy

from piscm import Condition, Ellipse, Problem, coordinates, field, plots, solve

A, B = 2.0, 1.0

x, y = coordinates("x y")
phi = field("phi", x, y)
section = Ellipse({x: 0, y: 0}, (A, B))
problem = Problem(
    domain=section,
    equations=[phi.diff(x, 2) + phi.diff(y, 2) + 2],
    conditions=[Condition(phi, on="boundary")],
)
solution = solve(problem)
print(solution)

# %%
stiffness = 2 * float(solution.integral(phi))
exact = math.pi * A**3 * B**3 / (A**2 + B**2)
print(f"stiffness {stiffness:.8f}, exactly {exact:.8f}")

# %%
# The shear stress is the slope of φ: largest where the rim is nearest to the axis.
figure, ax = plt.subplots(figsize=(7, 3.8), layout="constrained")
plots.field_map(solution, sympy.sqrt(phi.diff(x) ** 2 + phi.diff(y) ** 2), ax=ax)
ax.set_title("shear stress")

assert abs(stiffness / exact - 1) < 1e-6
