"""
Buckling of a column
====================

A column that is clamped at its foot and hinged at its top bends under its load P where
w'''' + P w'' = 0 has a solution that is not zero: an eigenvalue problem of fourth order. The first
loads at which it buckles are squares of the roots of tan(k) = k.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import brentq

from piscm import Box, Condition, Problem, coordinates, eigenpairs, field, unknown

x = coordinates("x")
w, load = field("w", x), unknown("P")
column = Problem(
    domain=Box({x: (0, 1)}),
    equations=[w.diff(x, 4) + load * w.diff(x, 2)],
    conditions=[
        Condition(w, on="boundary"),
        Condition(w.diff(x), on={x: 0}),  # clamped
        Condition(w.diff(x, 2), on={x: 1}),  # hinged
    ],
    unknowns={load: 20.0},
)
modes = eigenpairs(column, 3, tol=1e-6)
found = np.array([mode.unknowns["P"].value for mode in modes])
between = ((4, 5), (7, 8), (10, 11))
roots = [brentq(lambda k: np.sin(k) - k * np.cos(k), *ends) for ends in between]
exact = np.array(roots) ** 2
for value, true in zip(found, exact, strict=True):
    print(f"P = {value:.8f}, exactly {true:.8f}")

# %%
places = np.linspace(0, 1, 200)
figure, ax = plt.subplots(figsize=(5, 3.6), layout="constrained")
for mode, value in zip(modes, found, strict=True):
    bent = mode(x=places)
    ax.plot(places, bent / bent[np.argmax(np.abs(bent))], label=f"P = {value:.3f}")
ax.set(xlabel="x", title="how it bends")
ax.legend(frameon=False)

assert np.abs(found / exact - 1).max() < 1e-6
