"""
A ball that cools, in spherical coordinates
===========================================

Heat leaves a ball through its surface. If nothing depends on the angles, one coordinate is left
beside time: the distance from the center, where the Laplacian divides by r.
"""

import matplotlib.pyplot as plt
import numpy as np
import sympy

from piscm import Box, Condition, Problem, coordinates, field, laplacian, solve, spherical

r, t = coordinates("r t")
u = field("u", r, t)
print("the Laplacian:", laplacian(u, spherical(r)))

# %%
# It begins as the slowest mode, sin(πr)/(πr), which keeps its form. No condition is needed at the
# center: the equation is multiplied by r there, and says that the temperature is regular.
problem = Problem(
    domain=Box({r: (0, 1), t: (0, 0.2)}),
    equations=[u.diff(t) - laplacian(u, spherical(r))],
    conditions=[
        Condition(sympy.pi * r * u - sympy.sin(sympy.pi * r), on={t: 0}),
        Condition(u, on={r: 1}),
    ],
)
solution = solve(problem)
print(solution)

# %%
radii, times = np.linspace(0, 1, 101), np.array([0.0, 0.02, 0.05, 0.1, 0.2])[:, None]
exact = np.sinc(radii) * np.exp(-(np.pi**2) * times)
found = solution(r=radii, t=times)
error = float(np.abs(found - exact).max())
print(f"largest error {error:.1e}, at the center too")

# %%
figure, ax = plt.subplots(figsize=(5, 3.4), layout="constrained")
for time, own in zip(times[:, 0], found, strict=True):
    ax.plot(radii, own, label=f"t = {time:g}")
ax.set(xlabel="r", ylabel="temperature")
ax.legend(frameon=False)

assert error < 1e-5
