"""
Burgers' equation: a front that steepens and moves
==================================================

u_t + u u_x = ν u_xx is the simplest flow with friction. Between u = 1 on the left and u = 0 on
the right stands a front of width 4ν that moves with speed 1/2. (For ν = 0.01/π from a sine, a
shock, ask ``piscm solve burgers --tol 1e-4``: that takes minutes.)
"""

import matplotlib.pyplot as plt
import numpy as np
import sympy

from piscm import Box, Condition, Problem, coordinates, field, solve

VISCOSITY = sympy.Rational(1, 25)

x, t = coordinates("x t")
u = field("u", x, t)
exact = (1 - sympy.tanh((x - t / 2) / (4 * VISCOSITY))) / 2
problem = Problem(
    domain=Box({x: (-1, 1), t: (0, 1)}),
    equations=[u.diff(t) + u * u.diff(x) - VISCOSITY * u.diff(x, 2)],
    conditions=[
        Condition(u - exact.subs(t, 0), on={t: 0}),
        Condition(u - exact, on=[{x: -1}, {x: 1}]),
    ],
)
solution = solve(problem, tol=1e-5)
print(solution)

# %%
truth = sympy.lambdify((x, t), exact, "numpy")
xs, ts = np.meshgrid(np.linspace(-1, 1, 120), np.linspace(0, 1, 60))
error = float(np.abs(solution(x=xs, t=ts) - truth(xs, ts)).max())
print(
    f"largest error {error:.1e}, estimated {solution.error_estimate.relative:.1e} (relative, rms)"
)

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
image = left.pcolormesh(xs, ts, solution(x=xs, t=ts), shading="gouraud")
figure.colorbar(image, ax=left)
left.set(xlabel="x", ylabel="t", title="u")
for moment in (0, 0.5, 1):
    (line,) = right.plot(xs[0], solution(x=xs[0], t=moment), label=f"t = {moment}")
    right.plot(xs[0, ::6], truth(xs[0, ::6], moment), ".", color=line.get_color())
right.set(xlabel="x", title="dots: exact")
right.legend(frameon=False)

assert error < 1e-4
