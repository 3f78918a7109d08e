"""
To ParaView
===========

``solution.to_vtk`` writes all fields on a grid, for ParaView, VisIt and PyVista: everything at
once, or one file for each moment and an index of them. Cells outside of a shape are left out. Here
a block with a round hole is heated from its boundary, and what was written is read again.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import meshio
import numpy as np

from piscm import Condition, Disk, Interval, Problem, Rectangle, coordinates, field, solve

x, y, t = coordinates("x y t")
u = field("u", x, y, t)
block = Rectangle({x: (-1, 1), y: (-1, 1)}, name="rim") - Disk({x: 0, y: 0}, 0.4, name="hole")
domain = block * Interval(t, 0, 0.5)
exact = (x**2 + y**2) / 4 + t  # solves u_t = laplacian(u), with its own values on the boundary
problem = Problem(
    domain=domain,
    equations=[u.diff(t) - u.diff(x, 2) - u.diff(y, 2)],
    conditions=[
        Condition(u - exact, on={t: 0}),
        Condition(u - exact, on=domain.boundary("side")),
    ],
)
solution = solve(problem, tol=1e-4)
print(solution)

# %%
# A series in time: ``block.pvd`` is what ParaView opens.
folder = Path(tempfile.mkdtemp())
axis = np.linspace(-1, 1, 81)
solution.to_vtk(folder / "block.pvd", time="t", t=np.linspace(0, 0.5, 6), x=axis, y=axis)
print(*sorted(path.name for path in folder.iterdir()), sep="\n")

# %%
# The last moment, as meshio reads it: points, cells and values.
mesh = meshio.read(folder / "block-0005.vtu")
cells = mesh.cells_dict["quad"]
corners = mesh.points[np.unique(cells)]
values = mesh.point_data["u"][np.unique(cells)]
area = len(cells) * (axis[1] - axis[0]) ** 2
error = np.abs(values - (corners[:, 0] ** 2 + corners[:, 1] ** 2) / 4 - 0.5).max()
print(f"{len(cells)} cells, an area of {area:.3f} (exactly {4 - np.pi * 0.4**2:.3f})")
print(f"largest error of the values {error:.1e}")

# %%
figure, ax = plt.subplots(figsize=(5, 4), layout="constrained")
centers = mesh.points[cells].mean(axis=1)
image = ax.scatter(*centers.T[:2], c=mesh.point_data["u"][cells].mean(axis=1), s=6, marker="s")
figure.colorbar(image, ax=ax)
ax.set(xlabel="x", ylabel="y", title="u at t = 0.5, from the file", aspect="equal")

assert error < 1e-3
assert abs(area - (4 - np.pi * 0.4**2)) < 0.1
