"""
Navier–Stokes: flow behind a grid
=================================

Kovasznay's exact solution of the steady Navier–Stokes equations at Reynolds number 40: three
fields, two momentum equations and the continuity equation. The pressure is known only where the
flow leaves.
"""

import matplotlib.pyplot as plt
import numpy as np
import sympy

from piscm import Box, Condition, Problem, coordinates, field, solve

REYNOLDS = 40

x, y = coordinates("x y")
u, v, p = (field(name, x, y) for name in ("u", "v", "p"))
turn = 2 * sympy.pi
rate = sympy.Rational(REYNOLDS, 2) - sympy.sqrt(sympy.Rational(REYNOLDS, 2) ** 2 + turn**2)
wake = sympy.exp(rate * x)
exact = {
    u: 1 - wake * sympy.cos(turn * y),
    v: rate / turn * wake * sympy.sin(turn * y),
    p: (1 - wake**2) / 2,
}


def momentum(w, along):
    viscous = (w.diff(x, 2) + w.diff(y, 2)) / REYNOLDS
    return u * w.diff(x) + v * w.diff(y) + p.diff(along) - viscous


problem = Problem(
    domain=Box({x: (-0.5, 1), y: (-0.5, 1.5)}),
    equations=[momentum(u, x), momentum(v, y), u.diff(x) + v.diff(y)],
    conditions=[
        Condition(u - exact[u], on="boundary"),
        Condition(v - exact[v], on="boundary"),
        Condition(p - exact[p], on={x: 1}),
    ],
)
solution = solve(problem, tol=1e-4)
print(solution)

# %%
xs, ys = np.meshgrid(np.linspace(-0.5, 1, 60), np.linspace(-0.5, 1.5, 80))
error = max(
    float(np.abs(solution(item, x=xs, y=ys) - sympy.lambdify((x, y), truth)(xs, ys)).max())
    for item, truth in exact.items()
)
print(f"largest error {error:.1e}")

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4.2), layout="constrained")
speed = sympy.sqrt(u**2 + v**2)
image = left.pcolormesh(xs, ys, solution(speed, x=xs, y=ys), shading="gouraud")
velocity = [solution(item, x=xs, y=ys) for item in (u, v)]
left.streamplot(xs, ys, *velocity, color="w", density=0.7, linewidth=0.7)
figure.colorbar(image, ax=left)
left.set(xlabel="x", ylabel="y", title="speed")
image = right.pcolormesh(xs, ys, solution(v.diff(x) - u.diff(y), x=xs, y=ys), shading="gouraud")
figure.colorbar(image, ax=right)
right.set(xlabel="x", ylabel="y", title="vorticity")

assert error < 1e-3
