"""
A soap film on a bent wire
==========================

A minimal surface: the film over a disk whose rim is bent up and down. The equation is nonlinear
in the slopes of the height u, (1 + u_y²) u_xx - 2 u_x u_y u_xy + (1 + u_x²) u_yy = 0. Scherk's
surface ln(cos x / cos y) solves it exactly.
"""

import matplotlib.pyplot as plt
import numpy as np
import sympy

from piscm import Condition, Disk, Problem, coordinates, field, plots, solve

x, y = coordinates("x y")
u = field("u", x, y)
wire = sympy.log(sympy.cos(x) / sympy.cos(y))
ux, uy = u.diff(x), u.diff(y)
disk = Disk({x: 0, y: 0}, radius=1)
problem = Problem(
    domain=disk,
    equations=[(1 + uy**2) * u.diff(x, 2) - 2 * ux * uy * ux.diff(y) + (1 + ux**2) * u.diff(y, 2)],
    conditions=[Condition(u - wire, on="boundary")],
)
solution = solve(problem)
print(solution)

# %%
# The error, and the area of the film.
angles, radii = np.meshgrid(np.linspace(0, 2 * np.pi, 60), np.linspace(0, 0.999, 30))
xs, ys = radii * np.cos(angles), radii * np.sin(angles)
error = float(np.abs(solution(x=xs, y=ys) - np.log(np.cos(xs) / np.cos(ys))).max())
area = float(solution.integral(sympy.sqrt(1 + ux**2 + uy**2)))
print(f"largest error {error:.1e}, area {area:.5f} (flat: {np.pi:.5f})")

# %%
figure = plt.figure(figsize=(9, 4), layout="constrained")
ax = figure.add_subplot(1, 2, 1, projection="3d")
ax.plot_surface(xs, ys, solution(x=xs, y=ys), cmap="viridis")
ax.set(xlabel="x", ylabel="y")
plots.field_map(solution, ax=figure.add_subplot(1, 2, 2))

assert error < 1e-5
