"""
Two materials
=============

A plate with an inclusion that conducts five times as well: div(k grad u) = 0, so u and the flux
k du/dn are continuous across the interface, which nobody has to describe.
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
    singular_functions,
    solve,
)

x, y, k = coordinates("x y k")
u = field("u", x, y)
disk = Disk({x: 0, y: 0}, radius=0.4)
plate = Rectangle({x: (-1, 1), y: (-1, 1)}) - disk

# %%
# A disk in a uniform field: the exact solution, which is also given on the outer boundary. In every
# region the symbol k has a value. Outside of a small hole the solution goes on into the hole:
# functions with poles there help a lot.
share = (1 - 5) / (1 + 5)
outside = x * (1 + share * 0.4**2 / (x**2 + y**2))
problem = Problem(
    regions=[
        Region(plate, {k: 1}, singular={u: singular_functions(plate)}, name="plate"),
        Region(disk, {k: 5}, name="disk"),
    ],
    equations=[(k * u.diff(x)).diff(x) + (k * u.diff(y)).diff(y)],
    conditions=[Condition(u - outside, on="boundary")],
)
solution = solve(problem)
print(solution)

# %%
at = np.linspace(-1, 1, 201)
flux = solution(k * u.diff(x), x=at, y=0.0)  # k means in each region what it is there
exact = np.where(np.abs(at) <= 0.4, 5 * 2 / 6, 1 - share * 0.4**2 / np.maximum(at**2, 0.01))
error = float(np.abs(flux - exact).max() / np.abs(exact).max())
print(f"through the inclusion flows {flux[100]:.6f}, through the plate 1 far away")
print(f"relative error of the flux {error:.1e}")

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
xs, ys = np.meshgrid(np.linspace(-1, 1, 121), np.linspace(-1, 1, 121))
image = left.pcolormesh(xs, ys, solution(u, x=xs, y=ys), shading="gouraud")
left.contour(xs, ys, solution(u, x=xs, y=ys), levels=15, colors="w", linewidths=0.6)
figure.colorbar(image, ax=left)
left.set(aspect="equal", xlabel="x", ylabel="y", title="u")
right.plot(at, exact, color="0.7", linewidth=4, label="exact")
right.plot(at, flux, "C3--", label="flux k u_x")
right.set(xlabel="x at y = 0")
right.legend(frameon=False)

assert error < 1e-5
