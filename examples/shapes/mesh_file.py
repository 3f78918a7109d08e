"""
A duct from a mesh file
=======================

A mesh generator writes triangles, and names for parts of the boundary (physical groups). Read, the
triangles are a domain without a mesh, and the groups are parts of its boundary: potential flow
through a duct that widens.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import meshio
import numpy as np
import sympy

from piscm import (
    Condition,
    Problem,
    coordinates,
    field,
    normal_derivative,
    plots,
    read_mesh,
    solve,
)

x, y = coordinates("x y")
phi = field("phi", x, y)

# %%
# A file to read: a duct that widens, of 8 triangles. Lines of group 1 are its inlet, of 2 its
# outlet, of 3 its walls.
lower = [(a, 0) for a in (1, 1.5, 2, 2.5, 3)]
upper = [(a, 0.4 * a) for a in (1, 1.5, 2, 2.5, 3)]
triangles = [corner for i in range(4) for corner in ((i, i + 1, i + 5), (i + 1, i + 6, i + 5))]
walls = [(i, i + 1) for i in (0, 1, 2, 3, 5, 6, 7, 8)]
groups = [np.array([1, 2, *[3] * len(walls)]), np.full(len(triangles), 4)]
mesh = meshio.Mesh(
    np.column_stack([np.array(lower + upper, dtype=float), np.zeros(10)]),
    [("line", np.array([(0, 5), (4, 9), *walls])), ("triangle", np.array(triangles))],
    cell_data={"gmsh:physical": groups, "gmsh:geometrical": groups},
    field_data={
        "inlet": np.array([1, 1]),
        "outlet": np.array([2, 1]),
        "walls": np.array([3, 1]),
        "duct": np.array([4, 2]),
    },
)
path = Path(tempfile.mkdtemp()) / "duct.msh"
meshio.write(path, mesh, file_format="gmsh22", binary=False)

# %%
# Nothing flows through the walls. The flow comes from where they would meet, with the potential
# log(r), which is given at both ends.
duct = read_mesh((x, y), path)
print("parts of the boundary:", ", ".join(duct.parts))
source = sympy.log(x**2 + y**2) / 2
problem = Problem(
    domain=duct,
    equations=[phi.diff(x, 2) + phi.diff(y, 2)],
    conditions=[
        Condition(phi - source, on=duct.boundary("inlet")),
        Condition(phi - source, on=duct.boundary("outlet")),
        Condition(normal_derivative(phi), on=duct.boundary("walls")),
    ],
)
solution = solve(problem)
print(solution)

# %%
# What comes in goes out: the angle between the walls.
came, left = (
    float(solution.integral(normal_derivative(phi), over=duct.boundary(name)))
    for name in ("inlet", "outlet")
)
print(f"in {-came:.6f}, out {left:.6f}, exactly {np.arctan(0.4):.6f}")

# %%
figure, ax = plt.subplots(figsize=(6, 3.2), layout="constrained")
plots.field_map(solution, ax=ax)
ax.set(title="potential in a duct from a .msh file")

assert abs(left - np.arctan(0.4)) < 1e-5
assert abs(came + left) < 1e-5
