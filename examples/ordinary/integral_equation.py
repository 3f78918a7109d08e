"""
A population with memory
========================

An equation may integrate over all of the past (Volterra): u' = -∫ u(s) ds from 0 to t, with
u(0) = 1, is solved by the cosine. It may also integrate over everything (Fredholm).
"""

import matplotlib.pyplot as plt
import numpy as np
import sympy

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
# Fredholm's equation of the second kind holds no derivative and needs no condition:
# w(t) = e^t - t + ∫ t s w(s) ds from 0 to 1 is solved by e^t, since ∫ s e^s ds = 1.
w = field("w", t)
second = solve(
    Problem(
        domain=Box({t: (0, 1)}),
        equations=[w - sympy.exp(t) + t - integral(t * s * w.subs(t, s), over=(s, 0, 1))],
        conditions=[],
    )
)
print(second)
short = np.linspace(0, 1, 100)
other = float(np.abs(second(t=short) - np.exp(short)).max())
print(f"largest error {other:.1e}")

# %%
figure, ax = plt.subplots(figsize=(6, 3.5), layout="constrained")
ax.plot(times, np.cos(times), color="0.7", linewidth=4, label="cos t")
ax.plot(times, solution(t=times), "C3--", label="piscm")
ax.set(xlabel="t")
ax.legend(frameon=False)

assert error < 1e-6
assert other < 1e-6
