"""
Helmholtz' equation: standing waves
===================================

u_xx + u_yy + k² u = q on a square, with a source that makes sin(πx) sin(4πy) the solution: the
problem on which many physics-informed networks are tried, and on which few get three digits.
"""

import matplotlib.pyplot as plt
import numpy as np
import sympy

from piscm import Box, Condition, Problem, coordinates, field, plots, solve

x, y = coordinates("x y")
u = field("u", x, y)
exact = sympy.sin(sympy.pi * x) * sympy.sin(4 * sympy.pi * y)
source = (1 - 17 * sympy.pi**2) * exact
problem = Problem(
    domain=Box({x: (-1, 1), y: (-1, 1)}),
    equations=[u.diff(x, 2) + u.diff(y, 2) + u - source],
    conditions=[Condition(u, on="boundary")],
)
solution = solve(problem, tol=1e-8)
print(solution)


# %%
def truth(x, y):
    return np.sin(np.pi * x) * np.sin(4 * np.pi * y)


xs, ys = np.meshgrid(np.linspace(-1, 1, 80), np.linspace(-1, 1, 80))
error = float(np.abs(solution(x=xs, y=ys) - truth(xs, ys)).max())
print(f"largest error {error:.1e}")

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
plots.field_map(solution, ax=left)
plots.field_map(solution, reference=truth, ax=right)

assert error < 1e-6
