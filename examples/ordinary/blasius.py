"""
Blasius' boundary layer
=======================

The flow along a flat plate: 2 f''' + f f'' = 0 with f(0) = f'(0) = 0 and f' → 1 far away. The
friction at the wall, f''(0) = 0.332057336…, is in every textbook. No shooting is needed: the
third condition is written where it holds.
"""

import matplotlib.pyplot as plt
import numpy as np

from piscm import Box, Condition, Problem, coordinates, field, solve

FAR = 12  # f' is 1 to ten digits there

y = coordinates("y")
f = field("f", y)
problem = Problem(
    domain=Box({y: (0, FAR)}),
    equations=[2 * f.diff(y, 3) + f * f.diff(y, 2)],
    conditions=[
        Condition(f, on={y: 0}),
        Condition(f.diff(y), on={y: 0}),
        Condition(f.diff(y) - 1, on={y: FAR}),
    ],
)
solution = solve(problem, initial={f: y})
print(solution)

# %%
friction = float(solution(f.diff(y, 2), y=0.0))
print(f"f''(0) = {friction:.7f}")

# %%
heights = np.linspace(0, 8, 200)
figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
for order, name in enumerate(["f", "f', velocity", "f'', shear"]):
    values = solution(f.diff(y, order) if order else f, y=heights)
    ax.plot(values, heights, label=name)
ax.set(xlim=(0, 2), ylabel="distance from the wall")
ax.legend(frameon=False)

assert abs(friction - 0.3320573362) < 1e-5
