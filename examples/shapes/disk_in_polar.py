"""
A membrane in polar coordinates
===============================

A round membrane under a load that is not centered. Operators such as the Laplacian are written
as they are, in the coordinates of choice; no condition on the axis is needed.
"""

import matplotlib.pyplot as plt
import numpy as np
import sympy

from piscm import Box, Condition, Periodic, Problem, coordinates, field, laplacian, polar, solve

r, phi = coordinates("r phi")
u = field("u", r, phi)

# The deflection that the load below makes; it stands here to be compared with.
x, y = r * sympy.cos(phi), r * sympy.sin(phi)
exact = (1 - r**2) * (1 + x * y)
load = -sympy.simplify(laplacian(exact, polar(r, phi)))

# %%
# The Laplacian divides by r and by r². On the axis the equation is multiplied by r², so that it
# says there what it means: the deflection is regular.
problem = Problem(
    domain=Box({r: (0, 1), phi: (0, 2 * sympy.pi)}),
    equations=[laplacian(u, polar(r, phi)) + load],
    conditions=[
        Condition(u, on={r: 1}),  # held at the rim
        Periodic(u, along=phi),
        Periodic(u.diff(phi), along=phi),
    ],
)
solution = solve(problem)
print(solution)

# %%
radii, angles = np.linspace(0, 1, 21)[:, None], np.linspace(0, 2 * np.pi, 60)
found = solution(r=radii, phi=angles)
error = float(np.abs(found - sympy.lambdify((r, phi), exact)(radii, angles)).max())
print(f"largest error {error:.1e}, at the axis too")

# %%
figure, ax = plt.subplots(figsize=(4.8, 4), layout="constrained")
image = ax.pcolormesh(radii * np.cos(angles), radii * np.sin(angles), found, shading="gouraud")
figure.colorbar(image, ax=ax)
ax.set(aspect="equal", xlabel="x", ylabel="y", title="deflection")

assert error < 1e-5
