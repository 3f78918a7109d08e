"""
A cantilever beam
=================

A beam of length 1 is clamped at its left end, free at the right, and carries an even load q: EI
w'''' = q. Four conditions fix the four constants; moment and shear force are derivatives of the
same closed-form solution. The tip sinks by q/(8 EI).
"""

import matplotlib.pyplot as plt
import numpy as np

from piscm import Box, Condition, Problem, coordinates, field, solve

STIFFNESS, LOAD = 2.0, 3.0

x = coordinates("x")
w = field("w", x)
problem = Problem(
    domain=Box({x: (0, 1)}),
    equations=[STIFFNESS * w.diff(x, 4) - LOAD],
    conditions=[
        Condition(w, on={x: 0}),
        Condition(w.diff(x), on={x: 0}),  # clamped
        Condition(w.diff(x, 2), on={x: 1}),
        Condition(w.diff(x, 3), on={x: 1}),  # free: no moment, no shear force
    ],
)
solution = solve(problem, tol=1e-8)
print(solution)

# %%
tip = float(solution(x=1.0))
print(f"the tip sinks by {tip:.8f}; exactly {LOAD / (8 * STIFFNESS)}")

# %%
places = np.linspace(0, 1, 200)
figure, axes = plt.subplots(1, 3, figsize=(11, 3.2), layout="constrained")
curves = {
    "deflection w": w,
    "moment EI w''": STIFFNESS * w.diff(x, 2),
    "shear force EI w'''": STIFFNESS * w.diff(x, 3),
}
for ax, (title, expression) in zip(axes, curves.items(), strict=True):
    ax.plot(places, solution(expression, x=places))
    ax.set(xlabel="x", title=title)
axes[0].invert_yaxis()

assert abs(tip - LOAD / (8 * STIFFNESS)) < 1e-7
