"""
A cooling disk: a shape times time
==================================

``Disk(...) * Interval(t, 0, 1)`` is a cylinder in space and time. On its floor the temperature is
given, on its side heat leaves (Robin's condition). It is solved as a box is: in one piece if that
will do, or window after window along time.
"""

import matplotlib.pyplot as plt
import numpy as np
import sympy
from scipy.optimize import brentq
from scipy.special import j0, j1

from piscm import (
    Condition,
    Disk,
    Interval,
    Problem,
    coordinates,
    field,
    normal_derivative,
    solve,
)

COOLING = 2  # how fast heat leaves: Biot's number

# The slowest mode of a disk: J0(mu r), with mu J1(mu) = COOLING J0(mu).
mu = brentq(lambda m: m * j1(m) - COOLING * j0(m), 0.5, 2.4)

x, y, t = coordinates("x y t")
u = field("u", x, y, t)
disk = Disk({x: 0, y: 0}, radius=1)
cylinder = disk * Interval(t, 0, 1)
r = sympy.sqrt(x**2 + y**2)
problem = Problem(
    domain=cylinder,
    equations=[u.diff(t) - u.diff(x, 2) - u.diff(y, 2)],
    conditions=[
        Condition(u - sympy.besselj(0, mu * r), on={t: 0}),
        Condition(normal_derivative(u) + COOLING * u, on=cylinder.boundary("side")),
    ],
)
solution = solve(problem, tol=1e-4)
print(solution)

# %%
moments = np.linspace(0, 1, 11)
found = solution(x=0.3, y=0.4, t=moments)
exact = j0(0.5 * mu) * np.exp(-(mu**2) * moments)
error = np.abs(found / exact - 1).max()
print(f"largest relative error at (0.3, 0.4): {error:.1e}")
heat = solution.integral(u, over=disk, t=moments)
print(f"heat left at t = 1: {heat[-1] / heat[0]:.5f}, exactly {np.exp(-(mu**2)):.5f}")

# %%
solution.plot()

# %%
# At one place, beside the exact solution:
figure, ax = plt.subplots(figsize=(5, 3.2), layout="constrained")
ax.semilogy(moments, exact, color="0.7", linewidth=4, label="exact")
ax.semilogy(moments, found, label="piscm")
ax.set(xlabel="t", title="temperature at (0.3, 0.4)")
ax.legend(frameon=False)

assert error < 1e-3
