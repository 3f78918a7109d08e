"""
A bracket from an STL file
==========================

The surface of a part comes as triangles, in a file of a CAD program. Read, it is a domain like any
other: it knows what is inside, points and normals on the surface, integrals. A surface that does
not close is refused.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import sympy
import trimesh

from piscm import Condition, Mesh, Problem, coordinates, field, solve

x, y, z = coordinates("x y z")
u = field("u", x, y, z)

# %%
# A file to read: an angle, 0.3 thick, extruded along y.
side = np.array([(0, 0), (1, 0), (1, 0.3), (0.5, 0.3), (0.3, 0.5), (0.3, 1), (0, 1)])
count = len(side)
front = np.stack([side[:, 0], np.zeros(count), side[:, 1]], axis=1)
caps = np.array([(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5), (0, 5, 6)])
after = np.roll(np.arange(count), -1)
one = np.stack([np.arange(count), np.arange(count) + count, after], axis=1)
two = np.stack([after, np.arange(count) + count, after + count], axis=1)
faces = np.concatenate([caps, caps[:, ::-1] + count, one, two])
back = front + np.array([0, 0.6, 0])
surface = trimesh.Trimesh(np.concatenate([front, back]), faces)
path = Path(tempfile.mkdtemp()) / "bracket.stl"
surface.export(path)

# %%
# Poisson's equation with a known solution, which is given on the surface.
bracket = Mesh((x, y, z), path)
exact = sympy.sin(x + 2 * y) * sympy.exp(z) + x * z
problem = Problem(
    domain=bracket,
    equations=[sum(u.diff(s, 2) - exact.diff(s, 2) for s in (x, y, z))],
    conditions=[Condition(u - exact, on="boundary")],
)
solution = solve(problem, tol=1e-4)
print(solution)

# %%
points = np.random.default_rng(0).random((4000, 3)) * [1, 0.6, 1]
inside = points[bracket.contains(points)]
found = solution(x=inside[:, 0], y=inside[:, 1], z=inside[:, 2])
true = sympy.lambdify((x, y, z), exact)(*inside.T)
error = np.linalg.norm(found - true) / np.linalg.norm(true)
print(f"{len(inside)} of {len(points)} points lie inside; relative error {error:.1e}")

# %%
figure = plt.figure(figsize=(5, 4), layout="constrained")
ax = figure.add_subplot(projection="3d")
image = ax.scatter(*inside.T, c=found, s=4)
figure.colorbar(image, ax=ax, shrink=0.7)
ax.set(xlabel="x", ylabel="y", zlabel="z", title="u at points inside")

assert error < 1e-4
