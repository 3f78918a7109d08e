"""
Schrödinger's equation: an oscillating wave packet
==================================================

In the potential x²/2 a displaced Gaussian swings to and fro without spreading (a coherent
state, the most classical motion that quantum mechanics has). A complex field is written as it is;
behind it are two real ones, and i ψ_t = -ψ_xx/2 + x²ψ/2 becomes two coupled equations.
"""

import matplotlib.pyplot as plt
import numpy as np
import sympy
from sympy import I

from piscm import PISC3, Box, Condition, Problem, Sampling, coordinates, field, solve

START = 1

x, t = coordinates("x t")
psi = field("psi", x, t, complex=True)
packet = sympy.exp(-((x - START) ** 2) / 2) / sympy.pi ** sympy.Rational(1, 4)
well = x**2 / 2
ends = [{x: -4.5}, {x: 4.5}]
problem = Problem(
    domain=Box({x: (-4.5, 4.5), t: (0, sympy.pi / 2)}),
    equations=[I * psi.diff(t) + psi.diff(x, 2) / 2 - well * psi],
    conditions=[Condition(psi - packet, on={t: 0}), Condition(psi, on=ends)],
)
method = PISC3(max_nodes=300, selection="orthogonal", candidates=100, activation="gaussian")
solution = solve(problem, method, sampling=Sampling(interior=1500, boundary=200))
print(solution)

# %%
# After a quarter of a period the packet is in the middle: its mean place follows the cosine.
density = sympy.Abs(psi) ** 2
moments = np.linspace(0, np.pi / 2, 9)
place = solution.integral(x * density, over=x, t=moments)
error = float(np.abs(place - START * np.cos(moments)).max())
print(f"largest error of the mean place {error:.1e}")
print(f"norm at the end {float(solution.integral(density, over=x, t=np.pi / 2)):.6f}")

# %%
xs, ts = np.meshgrid(np.linspace(-4.5, 4.5, 150), np.linspace(0, np.pi / 2, 80))
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
image = left.pcolormesh(xs, ts, solution(density, x=xs, t=ts), shading="gouraud")
left.plot(place, moments, "w.--")
figure.colorbar(image, ax=left)
left.set(xlabel="x", ylabel="t", title="|ψ|², and its mean place")
values = solution(x=xs[0], t=1.0)  # complex numbers
right.plot(xs[0], values.real, label="real part at t = 1")
right.plot(xs[0], values.imag, label="imaginary part at t = 1")
right.set(xlabel="x")
right.legend(frameon=False)

assert error < 5e-3
