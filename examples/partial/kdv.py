"""
Korteweg–de Vries: a solitary wave
==================================

On shallow water a single hump can travel without changing its shape: u_t + 6 u u_x + u_xxx = 0
has the solution u = c/2 sech²(√c (x - ct)/2). The third derivative asks for one condition on
the left and two on the right.
"""

import matplotlib.pyplot as plt
import numpy as np
import sympy

from piscm import Box, Condition, Problem, coordinates, field, solve

SPEED = 2

x, t = coordinates("x t")
u = field("u", x, t)
exact = sympy.Rational(SPEED, 2) / sympy.cosh(sympy.sqrt(SPEED) / 2 * (x - SPEED * t)) ** 2
problem = Problem(
    domain=Box({x: (-6, 8), t: (0, 1)}),
    equations=[u.diff(t) + 6 * u * u.diff(x) + u.diff(x, 3)],
    conditions=[
        Condition(u - exact.subs(t, 0), on={t: 0}),
        Condition(u - exact, on=[{x: -6}, {x: 8}]),
        Condition(u.diff(x) - exact.diff(x), on={x: 8}),
    ],
)
solution = solve(problem, tol=1e-4)
print(solution)

# %%
truth = sympy.lambdify((x, t), exact, "numpy")
xs, ts = np.meshgrid(np.linspace(-6, 8, 150), np.linspace(0, 1, 60))
error = float(np.abs(solution(x=xs, t=ts) - truth(xs, ts)).max())
print(f"largest error {error:.1e}")

# %%
# The mass and the energy of the wave do not change; both are integrals of the solution.
for moment in (0.0, 0.5, 1.0):
    mass, energy = (float(solution.integral(e, over=x, t=moment)) for e in (u, u**2))
    print(f"t = {moment}: mass {mass:.5f}, energy {energy:.5f}")

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
image = left.pcolormesh(xs, ts, solution(x=xs, t=ts), shading="gouraud")
figure.colorbar(image, ax=left)
left.set(xlabel="x", ylabel="t", title="height of the water")
for moment in (0, 0.5, 1):
    right.plot(xs[0], solution(x=xs[0], t=moment), label=f"t = {moment}")
right.set(xlabel="x")
right.legend(frameon=False)

assert error < 1e-3
