"""
An unknown function
===================

The conductivity k(x) in (k u')' = f, from measurements of u alone. An unknown function is a
field like any other: it has no equation and no observation of its own, but it stands in one.
The flux at one end is known, as it must be: u alone fixes k up to the multiple of 1/u' that
solves the equation without f.
"""

import matplotlib.pyplot as plt
import numpy as np
import sympy

from piscm import PISC3, Box, Condition, Observations, Problem, Sampling, coordinates, field, solve

x = coordinates("x")
u, k = field("u", x), field("k", x)
true_k = 1 + sympy.sin(3 * x) / 2
true_u = x + x**2 / 2
source = (true_k * true_u.diff(x)).diff(x)
measured = np.linspace(0, 1, 40)
problem = Problem(
    domain=Box({x: (0, 1)}),
    equations=[(k * u.diff(x)).diff(x) - source],
    conditions=[Condition(k * u.diff(x) - 1, on={x: 0})],  # the flux that goes in
    observations=[Observations(u, measured, measured + measured**2 / 2)],
)
solution = solve(
    problem,
    PISC3(max_nodes=60, selection="orthogonal", candidates=100),
    sampling=Sampling(interior=200),
    initial={k: 1, u: x},
)
print(solution)

# %%
places = np.linspace(0, 1, 200)
found, exact = solution(k, x=places), 1 + np.sin(3 * places) / 2
error = float(np.abs(found - exact).max())
print(f"largest error of k {error:.1e}")

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.5), layout="constrained")
left.plot(measured, measured + measured**2 / 2, ".", label="measured")
left.plot(places, solution(u, x=places), label="u")
left.set(xlabel="x")
left.legend(frameon=False)
right.plot(places, exact, color="0.7", linewidth=4, label="true k")
right.plot(places, found, "C3--", label="k found")
right.set(xlabel="x")
right.legend(frameon=False)

assert error < 1e-6
