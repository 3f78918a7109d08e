"""
A body known by scanned points
==============================

A scanner gives points of a surface and the directions away from the body, no formula and no
mesh. That is a domain of last resort: inside is where the nearest point looks away.
"""

import matplotlib.pyplot as plt
import numpy as np
import sympy

from piscm import Condition, PointCloud, Problem, coordinates, field, laplacian, solve

x, y = coordinates("x y")
u = field("u", x, y)

# %%
# What a scanner would tell of a pear: 400 points on its outline, with outward normals.
angle = np.linspace(0, 2 * np.pi, 400, endpoint=False)
radius = 1 + 0.25 * np.cos(3 * angle) - 0.15 * np.sin(angle)
slope = -0.75 * np.sin(3 * angle) - 0.15 * np.cos(angle)
ray = np.stack([np.cos(angle), np.sin(angle)], axis=1)
around = np.stack([-np.sin(angle), np.cos(angle)], axis=1)
points = radius[:, None] * ray
normals = radius[:, None] * ray - slope[:, None] * around
pear = PointCloud((x, y), points, normals, name="skin")

# %%
# The skin has a temperature that is known; inside heat flows without sources. Conditions hold at
# the scanned points.
exact = sympy.exp(x) * sympy.cos(y) - y
problem = Problem(
    domain=pear,
    equations=[laplacian(u)],
    conditions=[Condition(u - exact, on=pear.boundary("skin"))],
)
solution = solve(problem)
print(solution)

# %%
# The scan tells the inside only as sharply as its points are dense; the solution does not mind.
xs, ys = np.meshgrid(np.linspace(-1.2, 1.3, 160), np.linspace(-1.3, 1.3, 160))
inside = pear.contains(np.stack([xs.ravel(), ys.ravel()], axis=1)).reshape(xs.shape)
found = np.full(xs.shape, np.nan)
found[inside] = solution(x=xs[inside], y=ys[inside])
error = float(np.nanmax(np.abs(found - sympy.lambdify((x, y), exact)(xs, ys))))
print(f"largest error inside {error:.1e}")

# %%
figure, ax = plt.subplots(figsize=(5, 4), layout="constrained")
image = ax.pcolormesh(xs, ys, found, shading="gouraud")
figure.colorbar(image, ax=ax)
ax.quiver(*points[::8].T, *normals[::8].T, color="0.5", width=0.004)
ax.plot(*points.T, "k.", markersize=2)
ax.set(aspect="equal", xlabel="x", ylabel="y", title="temperature, scanned points, normals")

assert error < 1e-5
