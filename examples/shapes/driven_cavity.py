"""
The driven cavity
=================

A square full of fluid under a lid that moves at speed 1, Re = 100: one equation of the fourth order
for the stream function ψ, with u = ψ_y and v = -ψ_x. Where the lid meets the walls the velocity
jumps. The flow of slow fluids in such a corner is known (Taylor, 1962): it is taken out, and the
network has to find the rest.
"""

import matplotlib.pyplot as plt
import numpy as np
import sympy

from piscm import Box, Condition, Problem, coordinates, field, polar_power, solve
from piscm.zoo.cavity import GHIA_U, GHIA_V

REYNOLDS = 100
x, y = coordinates("x y")
rest = field("rest", x, y)


# %%
# A lid along b = 0 that leaves the corner at speed 1: stream function r f(θ), velocity, and
# Laplacian. Derivatives of the angle are b/r² and a/r², which ``polar_power`` keeps short.
def corner(a, b):
    c = 1 / (1 - np.pi**2 / 4)
    d, wide = c * np.pi / 2, c * a + c * np.pi / 2 * b
    angle = sympy.atan2(b, a)
    up, over = polar_power(a, b, -1, 0), polar_power(a, b, -1, sympy.pi / 2)
    stream = (1 - c) * b + angle * wide
    return stream, 1 - c + up * wide + d * angle, over * wide - c * angle, 2 * (d * up - c * over)


(left, along, down, turn), (right, back, rise, turned) = corner(x, 1 - y), corner(1 - x, 1 - y)
psi = rest - left - right
u, v = along + back + rest.diff(y), rise - down - rest.diff(x)
own = rest.diff(x, 2) + rest.diff(y, 2)
curl = own - turn - turned

# %%
# Inertia makes the equation as large as 1/r² at the corners, and its rows there would be all that
# counts. They are weighed with the cube of the distance, which is 1 further away.
squares = x**2 + (1 - y) ** 2, (1 - x) ** 2 + (1 - y) ** 2
near = sympy.Mul(*(own / (own + 0.3**2) for own in squares)) ** sympy.Rational(3, 2)
inertia = REYNOLDS * near * (u * curl.diff(x) + v * curl.diff(y))
problem = Problem(
    domain=Box({x: (0, 1), y: (0, 1)}),
    equations=[near * (own.diff(x, 2) + own.diff(y, 2)) - inertia],
    conditions=[
        Condition(psi, on="boundary"),
        Condition(v, on={x: 0}),
        Condition(v, on={x: 1}),
        Condition(u, on={y: 0}),
        Condition(u - 1, on={y: 1}),
    ],
)
solution = solve(problem, tol=1e-2)
print(solution)

# %%
# Velocities on the center lines: the table of Ghia, Ghia and Shin (1982), and the extremes by
# Botella and Peyret (1998), which are good to all their digits.
across = np.linspace(0.02, 0.98, 500)
u_middle, v_middle = solution(u, x=0.5, y=across), solution(v, x=across, y=0.5)
found = np.array([u_middle.min(), v_middle.max(), v_middle.min()])
published = np.array([-0.2140424, 0.1795728, -0.2538030])
for name, one, other in zip(("least u", "largest v", "least v"), found, published, strict=True):
    print(f"{name:10} {one:.4f}, published {other:.4f}")

# %%
figure, (picture, ax) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
xs, ys = np.meshgrid(np.linspace(0.005, 0.995, 100), np.linspace(0.005, 0.995, 100))
speed = [solution(own, x=xs, y=ys) for own in (u, v)]
image = picture.pcolormesh(xs, ys, np.hypot(*speed), shading="gouraud")
picture.streamplot(xs, ys, *speed, color="w", linewidth=0.6, density=0.9, arrowsize=0.7)
figure.colorbar(image, ax=picture)
picture.set(aspect="equal", xlabel="x", ylabel="y", title="speed")
ax.plot(across, u_middle, label="u at x = 1/2")
ax.plot(across, v_middle, label="v at y = 1/2")
ax.plot(*GHIA_U.T, "C0o", *GHIA_V.T, "C1o", markersize=4)
ax.set(xlabel="y or x", title="dots: published")
ax.legend(frameon=False)

assert np.abs(found / published - 1).max() < 2e-2
