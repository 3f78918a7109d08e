"""
A cell in an electric field
===========================

A membrane holds a voltage between the inside of a cell and the fluid around it: the potential
jumps there by a given amount, while the current through it does not.
"""

import matplotlib.pyplot as plt
import numpy as np

from piscm import (
    Condition,
    Disk,
    Problem,
    Rectangle,
    Region,
    coordinates,
    field,
    normal_derivative,
    singular_functions,
    solve,
)

x, y, k = coordinates("x y k")
phi = field("phi", x, y)
VOLTAGE, CONDUCTS = -0.3, 0.2
cell = Disk({x: 0, y: 0}, radius=0.4)
fluid = Rectangle({x: (-1, 1), y: (-1, 1)}) - cell

# %%
# What jumps is given with ``interface``: in the later region minus the earlier one. The potential
# far away is that of the exact solution, to compare with.
share = (1 - CONDUCTS) / (1 + CONDUCTS)
outside = x * (1 + share * 0.4**2 / (x**2 + y**2))
problem = Problem(
    regions=[
        Region(fluid, {k: 1}, singular={phi: singular_functions(fluid)}, name="fluid"),
        Region(cell, {k: CONDUCTS}, name="cell"),
    ],
    equations=[(k * phi.diff(x)).diff(x) + (k * phi.diff(y)).diff(y)],
    conditions=[Condition(phi - outside, on="boundary")],
    interface={phi: VOLTAGE, k * normal_derivative(phi): 0},
)
solution = solve(problem)
print(solution)

# %%
at = np.linspace(-1, 1, 400)  # none of them on the membrane
found = solution(phi, x=at, y=0.0)
exact = np.where(
    np.abs(at) <= 0.4,
    at * (1 + share) + VOLTAGE,
    at * (1 + share * 0.4**2 / np.maximum(at**2, 0.01)),
)
error = float(np.abs(found - exact).max())
print(f"largest error {error:.1e}")

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
xs, ys = np.meshgrid(np.linspace(-1, 1, 201), np.linspace(-1, 1, 201))
image = left.pcolormesh(xs, ys, solution(phi, x=xs, y=ys), shading="nearest")
figure.colorbar(image, ax=left)
left.set(aspect="equal", xlabel="x", ylabel="y", title="potential")
right.plot(at, exact, color="0.7", linewidth=4, label="exact")
right.plot(at, found, "C3--", label="piscm")
right.set(xlabel="x at y = 0")
right.legend(frameon=False)

assert error < 1e-5
