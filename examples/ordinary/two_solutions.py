"""
Two solutions of one problem
============================

Bratu's equation u'' + λ eᵘ = 0 with u = 0 at both ends has two solutions for λ < 3.51. The
default start finds the lower one; starting values lead to the upper. Both are known in closed
form.
"""

import matplotlib.pyplot as plt
import numpy as np
import sympy
from scipy.optimize import brentq

from piscm import Box, Condition, Problem, coordinates, field, solve

x = coordinates("x")
u = field("u", x)
problem = Problem(
    domain=Box({x: (0, 1)}),
    equations=[u.diff(x, 2) + sympy.exp(u)],
    conditions=[Condition(u, on="boundary")],
)
lower = solve(problem)
upper = solve(problem, initial={u: 16 * x * (1 - x)}, tol=1e-5)
print(upper)


# %%
# The exact solutions are u = -2 ln(cosh(θ (x - 1/2)) / cosh(θ/2)) with 2 θ² = cosh²(θ/2), scaled.
def middle(low, high):
    angle = brentq(lambda a: a - np.sqrt(0.5) * np.cosh(a / 2), low, high)
    return 2 * np.log(np.cosh(angle / 2))


heights = {"lower": (lower, middle(0.1, 2)), "upper": (upper, middle(4, 12))}
for name, (found, exact) in heights.items():
    print(f"{name}: u(1/2) = {float(found(x=0.5)):.6f}, exactly {exact:.6f}")

# %%
places = np.linspace(0, 1, 200)
figure, ax = plt.subplots(figsize=(6, 3.5), layout="constrained")
for name, (found, _) in heights.items():
    ax.plot(places, found(x=places), label=name)
ax.set(xlabel="x", ylabel="u")
ax.legend(frameon=False)

assert all(abs(float(found(x=0.5)) - exact) < 1e-4 for found, exact in heights.values())
