"""
A rod in cylindrical coordinates
================================

A round rod is heated at one end and loses heat through its side (a Robin condition). Nothing
depends on the angle: two coordinates are enough, and the Laplacian is that of the three.
"""

import matplotlib.pyplot as plt
import numpy as np
import sympy
from scipy.optimize import brentq
from scipy.special import j0, j1

from piscm import Box, Condition, Problem, coordinates, cylindrical, field, laplacian, solve

r, z = coordinates("r z")
u = field("u", r, z)
LENGTH, LOSS = 3.0, 0.5  # in radii; heat that is lost for each degree of the surface

# %%
# The profile at the hot end is the one that keeps its shape along the rod: Bessel's function of
# k r, with k such that the loss is met at the side.
k = float(brentq(lambda k: k * j1(k) - LOSS * j0(k), 0.1, 2.0))
hot = sympy.besselj(0, k * r)

# %%
# The Laplacian divides by r, which vanishes on the axis: no condition is needed there.
problem = Problem(
    domain=Box({r: (0, 1), z: (0, LENGTH)}),
    equations=[laplacian(u, cylindrical(r, z=z))],
    conditions=[
        Condition(u - hot, on={z: 0}),
        Condition(u, on={z: LENGTH}),
        Condition(u.diff(r) + LOSS * u, on={r: 1}),
    ],
)
solution = solve(problem)
print(solution)


# %%
# Exactly, it falls off as a hyperbolic sine. What enters at the hot end leaves through the side and
# through the cold end; an area in these coordinates is 2π r dr, or 2π dz at r = 1.
def exact(r, z):
    return j0(k * r) * np.sinh(k * (LENGTH - z)) / np.sinh(k * LENGTH)


radii, heights = np.linspace(0, 1, 41)[:, None], np.linspace(0, LENGTH, 121)
error = float(np.abs(solution(r=radii, z=heights) - exact(radii, heights)).max())
entered, left = (
    float(solution.integral(-2 * np.pi * r * u.diff(z), over=problem.domain.boundary({z: at})))
    for at in (0, LENGTH)
)
lost = float(solution.integral(-2 * np.pi * u.diff(r), over=problem.domain.boundary({r: 1})))
print(f"largest error {error:.1e}")
print(f"entered {entered:.6f}, lost at the side {lost:.6f}, left at the end {left:.6f}")

# %%
figure, (picture, ax) = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
across = np.linspace(-1, 1, 81)
image = picture.pcolormesh(
    heights, across, solution(r=np.abs(across)[:, None], z=heights), shading="gouraud"
)
figure.colorbar(image, ax=picture)
picture.set(aspect="equal", xlabel="z", ylabel="r, both sides of the axis", title="temperature")
for at in (0.0, 1.0):
    ax.plot(heights, exact(at, heights), color="0.8", linewidth=4)
    ax.plot(heights, solution(r=at, z=heights), label=f"r = {at:g}")
ax.set(xlabel="z", title="gray: exact")
ax.legend(frameon=False)

assert error < 1e-5
assert abs(entered - lost - left) < 1e-5
