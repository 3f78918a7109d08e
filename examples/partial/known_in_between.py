"""
Known in between
================

Conditions need not stand on the boundary. A string is photographed twice at t = 1/2, which tells
where it is and how fast: its past and its future follow. Of a rod the total heat is known for all
times, in place of the temperature at one of its ends.
"""

import matplotlib.pyplot as plt
import numpy as np
import sympy

from piscm import Box, Condition, Problem, coordinates, field, integral, solve

x, t = coordinates("x t")
u = field("u", x, t)

# %%
# A line inside the domain is a place like any other.
note = sympy.sin(sympy.pi * x) * sympy.cos(sympy.pi * t)
overtone = sympy.sin(2 * sympy.pi * x) * sympy.sin(2 * sympy.pi * t) / 2
exact = note + overtone
middle = sympy.Rational(1, 2)
string = solve(
    Problem(
        domain=Box({x: (0, 1), t: (0, 1)}),
        equations=[u.diff(t, 2) - u.diff(x, 2)],
        conditions=[
            Condition(u, on={x: 0}),
            Condition(u, on={x: 1}),
            Condition(u - exact.subs(t, middle), on={t: middle}),
            Condition(u.diff(t) - exact.diff(t).subs(t, middle), on={t: middle}),
        ],
    )
)
print(string)

# %%
# An integral over one coordinate is a function of the others: one condition for each time.
warm = sympy.exp(-t) * sympy.cos(x)
rod = solve(
    Problem(
        domain=Box({x: (0, 1), t: (0, 1)}),
        equations=[u.diff(t) - u.diff(x, 2)],
        conditions=[
            Condition(u - warm, on={t: 0}),
            Condition(u.diff(x), on={x: 0}),
            Condition(integral(u, over=x) - sympy.sin(1) * sympy.exp(-t)),
        ],
    )
)
print(rod)

# %%
places, times = np.linspace(0, 1, 101), np.linspace(0, 1, 61)[:, None]
errors = [
    float(np.abs(found(x=places, t=times) - sympy.lambdify((x, t), true)(places, times)).max())
    for found, true in ((string, exact), (rod, warm))
]
print("largest errors {:.1e}, {:.1e}".format(*errors))

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
left.pcolormesh(places, times[:, 0], string(x=places, t=times), shading="gouraud")
left.axhline(0.5, color="w", linestyle="--")
left.set(xlabel="x", ylabel="t", title="a string, known at the dashed line")
for time in (0, 0.3, 1):
    right.plot(places, rod(x=places, t=time), label=f"t = {time:g}")
right.set(xlabel="x", title="a rod, its total heat known")
right.legend(frameon=False)

assert max(errors) < 1e-5
