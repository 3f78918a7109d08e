"""
A film that slips
=================

A film of slow fluid runs down a slope that is not along the axes. At the ground it slips: nothing
flows through, and the shear stress is as large as friction makes it. On its surface there is no
stress along it. The pressure is fixed at one point inside, since only its gradient appears.
"""

import matplotlib.pyplot as plt
import numpy as np
import sympy

from piscm import Condition, Polygon, Problem, coordinates, field, laplacian, normal, plots, solve

x, y = coordinates("x y")
u, v, p = field("u", x, y), field("v", x, y), field("p", x, y)
FRICTION, SLOPE = 4.0, np.radians(30)
down, up = np.array([np.cos(SLOPE), -np.sin(SLOPE)]), np.array([np.sin(SLOPE), np.cos(SLOPE)])
film = Polygon((x, y), [0 * down, 2 * down, 2 * down + up, up], name="film")
ground, out, surface, inlet = (film.boundary(f"film[{side}]") for side in range(4))

# %%
# With the normal n of a boundary the tangent is (-n_y, n_x).
nx, ny = normal(x), normal(y)
through, along = u * nx + v * ny, v * nx - u * ny
stress_x = 2 * u.diff(x) * nx + (u.diff(y) + v.diff(x)) * ny
stress_y = (u.diff(y) + v.diff(x)) * nx + 2 * v.diff(y) * ny
shear = stress_y * nx - stress_x * ny

# The exact speed along the slope at a height above the ground, given where the film begins and ends
height = float(up[0]) * x + float(up[1]) * y
speed = height - height**2 / 2 + 1 / FRICTION
ends = [
    Condition(part - float(share) * speed, on=place)
    for part, share in ((u, down[0]), (v, down[1]))
    for place in (inlet, out)
]
problem = Problem(
    domain=film,
    equations=[
        p.diff(x) - laplacian(u) - float(down[0]),
        p.diff(y) - laplacian(v) - float(down[1]),
        u.diff(x) + v.diff(y),
    ],
    conditions=[
        Condition(through, on=ground),
        Condition(shear + FRICTION * along, on=ground),
        Condition(through, on=surface),
        Condition(shear, on=surface),
        *ends,
        Condition(p, on={x: 1.0, y: 0.0}),
    ],
)
solution = solve(problem)
print(solution)

# %%
heights = np.linspace(0, 1, 80)
xs, ys = down[:, None] + up[:, None] * heights
found = solution(u, x=xs, y=ys) * down[0] + solution(v, x=xs, y=ys) * down[1]
exact = heights - heights**2 / 2 + 1 / FRICTION
error = float(np.abs(found - exact).max())
print(f"speed at the ground {found[0]:.6f}, exactly {1 / FRICTION}; largest error {error:.1e}")

# %%
figure, (picture, ax) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
plots.field_map(solution, sympy.sqrt(u**2 + v**2), ax=picture)
picture.set(title="speed")
ax.plot(exact, heights, color="0.7", linewidth=4, label="exact")
ax.plot(found, heights, "C3--", label="piscm")
ax.set(xlabel="speed along the slope", ylabel="height", xlim=(0, None))
ax.legend(frameon=False)

assert error < 1e-5
