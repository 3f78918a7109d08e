"""
A wave on a string
==================

A string that is held at both ends is released from a bump: u_tt = u_xx. The bump splits into
two that run apart, are reflected upside down, and meet again, as d'Alembert's formula says.
"""

import matplotlib.pyplot as plt
import numpy as np
import sympy

from piscm import Box, Condition, Problem, coordinates, field, solve

x, t = coordinates("x t")
u = field("u", x, t)
bump = sympy.sin(sympy.pi * x) ** 5
problem = Problem(
    domain=Box({x: (0, 1), t: (0, 1)}),
    equations=[u.diff(t, 2) - u.diff(x, 2)],
    conditions=[
        Condition(u - bump, on={t: 0}),
        Condition(u.diff(t), on={t: 0}),
        Condition(u, on=[{x: 0}, {x: 1}]),
    ],
)
solution = solve(problem)
print(solution)


# %%
# D'Alembert: half of the bump to the right, half to the left, continued oddly beyond the ends.
def exact(x, t):
    return (np.sin(np.pi * (x - t)) ** 5 + np.sin(np.pi * (x + t)) ** 5) / 2


xs, ts = np.meshgrid(np.linspace(0, 1, 80), np.linspace(0, 1, 80))
error = float(np.abs(solution(x=xs, t=ts) - exact(xs, ts)).max())
print(f"largest error {error:.1e}")

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
image = left.pcolormesh(xs, ts, solution(x=xs, t=ts), shading="gouraud", cmap="RdBu_r")
figure.colorbar(image, ax=left)
left.set(xlabel="x", ylabel="t")
for moment in (0, 0.25, 0.5, 0.75, 1):
    right.plot(xs[0], solution(x=xs[0], t=moment), label=f"t = {moment}")
right.set(xlabel="x")
right.legend(frameon=False)

assert error < 1e-5
