"""
Side by side with SciPy
=======================

A nonlinear boundary value problem, y'' = 1.5 y² with y(0) = 4 and y(1) = 1, which 4/(1 + x)²
solves. SciPy's collocation and piscm get the same answer; SciPy is faster, piscm says how wrong
it is and takes any order.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.integrate import quad, solve_bvp
from scipy.optimize import brentq

from piscm import Box, Condition, Problem, coordinates, field, solve

places = np.linspace(0, 1, 200)
exact = 4 / (1 + places) ** 2
mesh = np.linspace(0, 1, 11)
theirs = solve_bvp(
    lambda x, y: [y[1], 1.5 * y[0] ** 2],
    lambda a, b: [a[0] - 4, b[0] - 1],
    mesh,
    [4 - 3 * mesh, np.full(11, -3.0)],
    tol=1e-6,
)

x = coordinates("x")
y = field("y", x)
problem = Problem(
    domain=Box({x: (0, 1)}),
    equations=[y.diff(x, 2) - 1.5 * y**2],
    conditions=[Condition(y - 4, on={x: 0}), Condition(y - 1, on={x: 1})],
)
ours = solve(problem, initial={y: 4 - 3 * x})
print(ours)

# %%
errors = {
    "solve_bvp": np.abs(theirs.sol(places)[0] - exact),
    "piscm": np.abs(ours(x=places) - exact),
}
for name, error in errors.items():
    print(f"{name:>9}: largest error {error.max():.1e}")

# %%
# The solution is a function that SciPy's own routines accept.
f = ours.as_function("y")
print(f"integral {quad(f, 0, 1)[0]:.8f}, exactly 2")
print(f"y = 2 at x = {brentq(lambda at: f(at) - 2, 0, 1):.8f}, exactly {np.sqrt(2) - 1:.8f}")

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.5), layout="constrained")
left.plot(places, exact, color="0.7", linewidth=4, label="exact")
left.plot(places, ours(x=places), "C3--", label="piscm")
left.plot(theirs.x, theirs.y[0], "k.", label="solve_bvp")
left.legend(frameon=False)
for name, error in errors.items():
    right.semilogy(places, error + 1e-17, label=name)
right.set(title="error")
right.legend(frameon=False)

assert errors["piscm"].max() < 1e-5
