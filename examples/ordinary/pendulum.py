"""
A large swing of a pendulum
===========================

Released from rest at an angle of two radians, a pendulum swings far beyond where sin u ≈ u
holds: u'' + sin u = 0 with u(0) = 2 and u'(0) = 0. Half a period is 2 K(sin 1), with the
complete elliptic integral K.
"""

import matplotlib.pyplot as plt
import numpy as np
import sympy
from scipy.special import ellipk

from piscm import Box, Condition, Problem, coordinates, field, solve

t = coordinates("t")
u = field("u", t)
problem = Problem(
    domain=Box({t: (0, 8)}),
    equations=[u.diff(t, 2) + sympy.sin(u)],
    conditions=[Condition(u - 2, on={t: 0}), Condition(u.diff(t), on={t: 0})],
)
solution = solve(problem)
print(solution)

# %%
# After half a period the pendulum has reached the other side.
half_period = 2 * ellipk(np.sin(1.0) ** 2)
angle = float(solution(t=half_period))
print(f"u after half a period ({half_period:.4f}): {angle:.8f}, exactly -2")

# %%
# Any expression of the solution can be evaluated, here the energy, which should not change.
times = np.linspace(0, 8, 400)
energy = solution(u.diff(t) ** 2 / 2 - sympy.cos(u), t=times)
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
left.plot(times, solution(t=times), label="u, angle")
left.plot(times, solution(u.diff(t), t=times), label="u', angular velocity")
left.axvline(half_period, color="0.7", linestyle=":")
left.set(xlabel="t")
left.legend(frameon=False)
right.semilogy(times, np.abs(energy + np.cos(2.0)) + 1e-17)
right.set(xlabel="t", title="error of the energy")

assert abs(angle + 2) < 1e-6
