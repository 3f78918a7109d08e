"""
Stress at a hole
================

A wide plate is pulled along x. Beside a round hole the stress is three times as large as far away
(Kirsch, 1898): that is where it tears. A quarter of the plate is enough; on the two sides that cut
it nothing slides and nothing moves across, the hole is free, and on the outer sides the forces of
the wide plate are given.
"""

import matplotlib.pyplot as plt
import numpy as np
import sympy

from piscm import Condition, Disk, Problem, Rectangle, coordinates, field, normal, plots, solve

NU = sympy.Rational(3, 10)

x, y = coordinates("x y")
u, v = field("u", x, y), field("v", x, y)
xx = (u.diff(x) + NU * v.diff(y)) / (1 - NU**2)
yy = (v.diff(y) + NU * u.diff(x)) / (1 - NU**2)
xy = (u.diff(y) + v.diff(x)) / (2 * (1 + NU))

# The stresses of a wide plate with a hole of radius 1, in polar coordinates.
square = x**2 + y**2
double, turned = (x**2 - y**2) / square, 2 * x * y / square
double4, turned4 = double**2 - turned**2, 2 * double * turned
given_xx = 1 - (sympy.Rational(3, 2) * double + double4) / square + 3 * double4 / (2 * square**2)
given_yy = -(double / 2 - double4) / square - 3 * double4 / (2 * square**2)
given_xy = -(turned / 2 + turned4) / square + 3 * turned4 / (2 * square**2)

hole = Disk({x: 0, y: 0}, radius=1, name="hole")
plate = Rectangle({x: (0, 3), y: (0, 3)}, name="rim") - hole
right = plate.boundary("rim", where=x > 3 - 1e-9)
top = plate.boundary("rim", where=y > 3 - 1e-9)
free = plate.boundary("hole")
problem = Problem(
    domain=plate,
    equations=[xx.diff(x) + xy.diff(y), xy.diff(x) + yy.diff(y)],
    conditions=[
        Condition(xx * normal(x) + xy * normal(y), on=free),
        Condition(xy * normal(x) + yy * normal(y), on=free),
        Condition(u, on={x: 0}),
        Condition(xy, on={x: 0}),
        Condition(v, on={y: 0}),
        Condition(xy, on={y: 0}),
        Condition(xx - given_xx, on=right),
        Condition(xy - given_xy, on=right),
        Condition(yy - given_yy, on=top),
        Condition(xy - given_xy, on=top),
    ],
)
solution = solve(problem, tol=1e-3)
print(solution)

# %%
peak = float(solution(xx, x=0.0, y=1.0))
print(f"largest stress {peak:.4f} times that far away")

# %%
figure, (left, ax) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
plots.field_map(solution, xx, ax=left)
left.set_title("stress along x")
above = np.linspace(1, 3, 100)
ax.plot(above, 1 + 0.5 / above**2 + 1.5 / above**4, color="0.7", linewidth=4, label="Kirsch")
ax.plot(above, solution(xx, x=0.0, y=above), label="piscm")
ax.set(xlabel="y above the hole", title="stress along x at x = 0")
ax.legend(frameon=False)

assert abs(peak / 3 - 1) < 5e-3
