"""
Two species, one front
======================

Two species diffuse, multiply and compete; each alone is a stable state. Where they meet, one
drives out the other behind a front that moves with speed 3/2 and is known exactly (Rodrigo and
Mimura, 2000).
"""

import matplotlib.pyplot as plt
import numpy as np
import sympy

from piscm import Box, Condition, Problem, coordinates, field, solve

x, t = coordinates("x t")
u, v = field("u", x, t), field("v", x, t)
front = (1 + sympy.tanh(x - sympy.Rational(3, 2) * t)) / 2
exact = {u: front, v: (1 - front) ** 2}
problem = Problem(
    domain=Box({x: (-3, 3), t: (0, 1)}),
    equations=[
        u.diff(t) - u.diff(x, 2) - u * (1 - u - 8 * v),
        v.diff(t) - v.diff(x, 2) / 2 - v * (12 - 14 * u - 12 * v),
    ],
    conditions=[
        Condition(species - shape, on=place)
        for place in ({t: 0}, [{x: -3}, {x: 3}])
        for species, shape in exact.items()
    ],
)
solution = solve(problem, tol=1e-4)
print(solution)

# %%
xs, ts = np.meshgrid(np.linspace(-3, 3, 100), np.linspace(0, 1, 60))
truth = {item: sympy.lambdify((x, t), shape, "numpy") for item, shape in exact.items()}
error = max(
    float(np.abs(solution(item, x=xs, t=ts) - truth[item](xs, ts)).max()) for item in (u, v)
)
print(f"largest error {error:.1e}")

# %%
figure, axes = plt.subplots(1, 3, figsize=(12, 3.6), layout="constrained")
for ax, item in zip(axes, (u, v), strict=False):
    image = ax.pcolormesh(xs, ts, solution(item, x=xs, t=ts), shading="gouraud")
    figure.colorbar(image, ax=ax)
    ax.set(xlabel="x", ylabel="t", title=str(item.func))
for moment, style in ((0, "-"), (1, "--")):
    for item, color in ((u, "C0"), (v, "C1")):
        values = solution(item, x=xs[0], t=moment)
        axes[2].plot(xs[0], values, style, color=color, label=f"{item.func}, t = {moment}")
axes[2].set(xlabel="x")
axes[2].legend(frameon=False)

assert error < 1e-3
