"""
A population with memory
========================

An equation may integrate over all of the past: u' = -∫ u(s) ds from 0 to t, with u(0) = 1, is
solved by the cosine.
"""

import matplotlib.pyplot as plt
import numpy as np

from piscm import Box, Condition, Problem, coordinates, field, integral, solve

t, s = coordinates("t s")
u = field("u", t)
problem = Problem(
    domain=Box({t: (0, 6)}),
    equations=[u.diff(t) + integral(u.subs(t, s), over=(s, 0, t))],
    conditions=[Condition(u - 1, on={t: 0})],
)
solution = solve(problem)
print(solution)

# %%
times = np.linspace(0, 6, 200)
error = float(np.abs(solution(t=times) - np.cos(times)).max())
print(f"largest error {error:.1e}")

# %%
figure, ax = plt.subplots(figsize=(6, 3.5), layout="constrained")
ax.plot(times, np.cos(times), color="0.7", linewidth=4, label="cos t")
ax.plot(times, solution(t=times), "C3--", label="piscm")
ax.set(xlabel="t")
ax.legend(frameon=False)

assert error < 1e-6
