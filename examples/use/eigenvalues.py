"""
Eigenvalues
===========

The frequency of a string whose mass is not even, -y'' = λ (1 + x) y with y = 0 at both ends.
The eigenvalue is an unknown, and one more condition fixes the size of the mode. A start near a
mode finds that mode; the exact values come from Airy functions.
"""

import matplotlib.pyplot as plt
import numpy as np
import sympy
from scipy.optimize import brentq
from scipy.special import airy

from piscm import Box, Condition, Problem, coordinates, field, solve, unknown

x = coordinates("x")
y = field("y", x)
eigenvalue = unknown("lambda_", positive=True)


def mode(number):
    problem = Problem(
        domain=Box({x: (0, 1)}),
        equations=[y.diff(x, 2) + eigenvalue * (1 + x) * y],
        conditions=[Condition(y, on="boundary"), Condition(y.diff(x) - 1, on={x: 0})],
        unknowns={eigenvalue: (number * np.pi) ** 2 / 1.5},
    )
    start = sympy.sin(number * sympy.pi * x) / (number * sympy.pi)
    return solve(problem, tol=1e-6, initial={y: start})


def exact(number):
    def determinant(value):
        root = value ** (1 / 3)
        (a0, _, b0, _), (a1, _, b1, _) = airy(-root), airy(-2 * root)
        return a0 * b1 - a1 * b0

    near = (number * np.pi) ** 2 / 1.5
    return brentq(determinant, 0.85 * near, 1.1 * near)


modes = {number: mode(number) for number in (1, 2, 3)}
for number, solution in modes.items():
    found = solution.unknowns["lambda_"].value
    print(f"mode {number}: {found:.6f}, exactly {exact(number):.6f}, {solution.status.name}")

# %%
places = np.linspace(0, 1, 200)
figure, ax = plt.subplots(figsize=(6, 3.5), layout="constrained")
for number, solution in modes.items():
    values = solution(x=places)
    ax.plot(places, values / np.abs(values).max(), label=f"mode {number}")
ax.set(xlabel="x")
ax.legend(frameon=False)

for number, solution in modes.items():
    assert abs(solution.unknowns["lambda_"].value / exact(number) - 1) < 1e-5
