"""
A number instead of a boundary value
====================================

Dye spreads in a dish from which nothing leaves: its concentration obeys Poisson's equation with a
flux of zero on the rim, which says nothing about its level. The total mass does.
"""

import math

import matplotlib.pyplot as plt
import sympy

from piscm import (
    Condition,
    Disk,
    Problem,
    coordinates,
    field,
    integral,
    laplacian,
    normal_derivative,
    plots,
    solve,
)

MASS = 2

x, y = coordinates("x y")
c = field("c", x, y)
dish = Disk({x: 0, y: 0}, radius=1)
source = sympy.cos(2 * x) * sympy.exp(y) + x
problem = Problem(
    domain=dish,
    # What is brought in somewhere is taken out evenly, or there would be no steady state.
    equations=[laplacian(c) + source - integral(source, over=dish) / sympy.pi],
    conditions=[
        Condition(normal_derivative(c), on="boundary"),
        Condition(integral(c, over=dish) - MASS),
    ],
)
solution = solve(problem, tol=1e-6)
print(solution)

# %%
mass = float(solution.integral(c))
leaves = float(solution.integral(normal_derivative(c), over=dish.boundary()))
print(f"mass {mass:.9f}, flux through the rim {leaves:.1e}")
print(f"mean concentration {mass / math.pi:.6f}")

# %%
figure, ax = plt.subplots(figsize=(5, 4), layout="constrained")
plots.field_map(solution, ax=ax)

assert abs(mass - MASS) < 1e-6
