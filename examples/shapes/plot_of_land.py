"""
A plot of land from a map
=========================

Geographic programs hand outlines over as GeoJSON or as WKT; both are shapes as they are, and so
is anything that shapely has made. Here it is a plot of land with a pond: how high does the ground
water stand under steady rain, between ditches whose levels are known?
"""

import json

import matplotlib.pyplot as plt
import numpy as np
import sympy

from piscm import (
    Condition,
    Polygon,
    Problem,
    coordinates,
    field,
    laplacian,
    normal_derivative,
    plots,
    solve,
)

x, y = coordinates("x y")
h = field("h", x, y)

# %%
# Lengths are in units of 100 m. The pond has round corners: `buffer` widens a shape.
land = Polygon(
    (x, y),
    json.loads(
        """{"type": "Polygon",
            "coordinates": [[[0, 0], [3, 0.2], [3.4, 1.6], [1.8, 2.4], [0.2, 1.7], [0, 0]]]}"""
    ),
    name="ditches",
)
pond = Polygon((x, y), "POLYGON ((1.4 1, 2 1.1, 1.7 1.4, 1.4 1))", name="shore").buffer(0.2)
domain = land - pond
print("parts of the boundary:", ", ".join(domain.parts))

# %%
# Rain N over the conductivity K of the ground: ΔH = -N/K. The levels at the ditches and at the
# shore are those of a water table that is known, so that there is something to compare with.
rain = 0.2
table = 1 + (x * (3 - x) + y * (2 - y)) * rain / 4 + 0.1 * sympy.exp(-x) * sympy.sin(y)
problem = Problem(
    domain=domain,
    equations=[laplacian(h) + rain],
    conditions=[
        Condition(h - table, on=domain.boundary("ditches")),
        Condition(h - table, on=domain.boundary("shore")),
    ],
)
solution = solve(problem)
print(solution)

# %%
# Water seeps into the ditches and the pond: as much as falls as rain. Round corners are exact;
# shapely would make polygons of them.
away = -normal_derivative(h)
ditches, shore = (
    float(solution.integral(away, over=domain.boundary(part))) for part in ("ditches", "shore")
)
fallen = rain * float(solution.integral(1, over=domain))
print(f"into the ditches {ditches:.5f}, into the pond {shore:.5f}, fallen {fallen:.5f}")
rng = np.random.default_rng(0)
points = domain.sample_inside(2000, lambda n, d: rng.random((n, d)))
names = dict(zip("xy", points.T, strict=True))
error = float(np.abs(solution(**names) - sympy.lambdify((x, y), table)(**names)).max())
print(f"largest error {error:.1e}")

# %%
figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
plots.field_map(solution, ax=ax)
ax.set(title="level of the ground water")

assert error < 1e-5
assert abs(ditches + shore - fallen) < 1e-4
