"""
A rod that cools through its end
================================

Heat conduction u_t = a u_xx in a rod that is insulated at x = 0 and loses heat to its
surroundings at x = 1, where u_x + B u = 0 (a Robin condition, B the Biot number). A rod that
begins as cos(λx), with λ tan λ = B, keeps its shape and decays with the rate a λ².
"""

import matplotlib.pyplot as plt
import numpy as np
import sympy
from scipy.optimize import brentq

from piscm import Box, Condition, Problem, coordinates, field, solve

DIFFUSIVITY, BIOT = 0.3, 2.0
WAVE = brentq(lambda k: k * np.tan(k) - BIOT, 0.1, 1.5)

x, t = coordinates("x t")
u = field("u", x, t)
problem = Problem(
    domain=Box({x: (0, 1), t: (0, 2)}),
    equations=[u.diff(t) - DIFFUSIVITY * u.diff(x, 2)],
    conditions=[
        Condition(u - sympy.cos(WAVE * x), on={t: 0}),
        Condition(u.diff(x), on={x: 0}),  # insulated
        Condition(u.diff(x) + BIOT * u, on={x: 1}),  # cooled
    ],
)
solution = solve(problem)
print(solution)

# %%
xs, ts = np.meshgrid(np.linspace(0, 1, 60), np.linspace(0, 2, 60))
exact = np.cos(WAVE * xs) * np.exp(-DIFFUSIVITY * WAVE**2 * ts)
error = float(np.abs(solution(x=xs, t=ts) - exact).max())
print(f"largest error {error:.1e}")

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
image = left.pcolormesh(xs, ts, solution(x=xs, t=ts), shading="gouraud")
figure.colorbar(image, ax=left)
left.set(xlabel="x", ylabel="t", title="temperature")
loss = -DIFFUSIVITY * solution(u.diff(x), x=1.0, t=ts[:, 0])
right.plot(ts[:, 0], loss)
right.set(xlabel="t", title="heat lost through the end, per time")

assert error < 1e-6
