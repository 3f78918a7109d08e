"""
A fin for every loss of heat
============================

A shape times an interval of a parameter is a domain too: one solution for every value. The sides
of a polygon have numbers; here side 3 is the hot base, the others are insulated.
"""

import matplotlib.pyplot as plt
import numpy as np

from piscm import (
    Condition,
    Interval,
    Polygon,
    Problem,
    coordinates,
    field,
    normal_derivative,
    solve,
)

x, y, m = coordinates("x y m")
u = field("u", x, y, m)
fin = Polygon((x, y), [(0, 0), (1, 0), (1, 0.2), (0, 0.2)], name="fin")
domain = fin * Interval(m, 0.5, 3)

# %%
# The fin loses m² u to the air above and below it.
problem = Problem(
    domain=domain,
    equations=[u.diff(x, 2) + u.diff(y, 2) - m**2 * u],
    conditions=[
        Condition(u - 1, on=domain.boundary("fin[3]")),
        *(
            Condition(normal_derivative(u), on=domain.boundary(f"fin[{side}]"))
            for side in (0, 1, 2)
        ),
    ],
)
solution = solve(problem, tol=1e-4)
print(solution)

# %%
# The heat that flows in through the base for each of its lengths: m tanh m exactly.
losses = np.linspace(0.5, 3, 100)
heat = -solution(u.diff(x), x=0.0, y=0.1, m=losses)
error = float(np.abs(heat - losses * np.tanh(losses)).max())
print(f"largest error of the heat {error:.1e}")

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
along = np.linspace(0, 1, 80)
for loss in (0.5, 1, 2, 3):
    left.plot(along, solution(x=along, y=0.1, m=loss), label=f"m = {loss:g}")
left.set(xlabel="x", title="temperature along the fin")
left.legend(frameon=False)
right.plot(losses, losses * np.tanh(losses), color="0.7", linewidth=4, label="exact")
right.plot(losses, heat, "C3--", label="piscm")
right.set(xlabel="m", title="heat through the base")
right.legend(frameon=False)

assert error < 1e-3
