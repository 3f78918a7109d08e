"""
A wave around a disk
====================

A plane wave exp(ikx) meets a disk on which the whole wave vanishes. What the disk scatters obeys
Helmholtz's equation, here in polar coordinates, and far away it runs outward: the condition on the
outer circle lets circular waves pass, but for a little (Bayliss and Turkel, second order). The
field is complex, and written so.
"""

import matplotlib.pyplot as plt
import numpy as np
import sympy
from scipy.special import hankel1, jv
from sympy import I

from piscm import Box, Condition, Problem, coordinates, field, laplacian, polar, solve

WAVES, INNER, OUTER = 3, 1, 3

r, theta = coordinates("r theta")
u = field("u", r, theta, complex=True)
plane = sympy.exp(I * WAVES * r * sympy.cos(theta))
factor = 2 * OUTER**2 * (1 / sympy.S(OUTER) - I * WAVES)
passing = u.diff(r) - (I * WAVES - 1 / sympy.S(2 * OUTER) + 1 / (4 * factor)) * u
problem = Problem(
    domain=Box({r: (INNER, OUTER), theta: (0, sympy.pi)}),  # the lower half is its image
    equations=[laplacian(u, polar(r, theta)) + WAVES**2 * u],
    conditions=[
        Condition(u + plane, on={r: INNER}),
        Condition(passing - u.diff(theta, 2) / factor, on={r: OUTER}),
        Condition(u.diff(theta), on=[{theta: 0}, {theta: sympy.pi}]),
    ],
)
solution = solve(problem, tol=1e-4)
print(solution)

# %%
# The exact wave is a sum of Hankel functions; what the outer circle reflects is all of the error.
angle = np.linspace(0, np.pi, 181)
n = np.arange(30)
factors = -np.where(n == 0, 1, 2) * 1j**n * jv(n, WAVES * INNER) / hankel1(n, WAVES * INNER)
exact = (factors * hankel1(n, WAVES * 2.0)) @ np.cos(np.outer(n, angle))
found = solution(r=2.0, theta=angle)  # complex numbers
error = np.linalg.norm(found - exact) / np.linalg.norm(exact)
print(f"relative error on the circle of radius 2: {error:.1e}")

# %%
rs, angles = np.meshgrid(np.linspace(INNER, OUTER, 120), np.linspace(-np.pi, np.pi, 240))
whole = solution(u + plane, r=rs, theta=np.abs(angles))
figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
for ax, values, title in zip(
    axes, (np.abs(whole), whole.real), ("modulus of the whole wave", "its real part"), strict=True
):
    image = ax.pcolormesh(rs * np.cos(angles), rs * np.sin(angles), values, shading="gouraud")
    ax.set(title=title, aspect="equal")
    figure.colorbar(image, ax=ax)

assert error < 3e-3
