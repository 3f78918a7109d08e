"""
Save, load, export
==================

A solution is saved in one file without pickle, with its problem; it comes back with the same
digits, and leaves as xarray, as a table, as a formula.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import sympy

import piscm
from piscm import Box, Condition, Problem, coordinates, field, solve

x, t = coordinates("x t")
u = field("u", x, t)
problem = Problem(
    domain=Box({x: (0, 1), t: (0, 1)}),
    equations=[u.diff(t) - u.diff(x, 2) / 10],
    conditions=[
        Condition(u - sympy.sin(sympy.pi * x), on={t: 0}),
        Condition(u, on=[{x: 0}, {x: 1}]),
    ],
)
solution = solve(problem, tol=1e-4)
folder = Path(tempfile.mkdtemp())
solution.save(folder / "rod.npz")
again = piscm.load(folder / "rod.npz")
same = bool(again(x=0.3, t=0.7) == solution(x=0.3, t=0.7))
print(f"the same digits: {same}, {(folder / 'rod.npz').stat().st_size} bytes")

# %%
# On a grid, with names, for whatever reads xarray or pandas:
array = again.to_xarray(u, x=np.linspace(0, 1, 5), t=[0.0, 0.5, 1.0])
print(array)

# %%
print(again.to_dataframe(x=np.linspace(0, 1, 3), t=[0.0, 1.0]))

# %%
# The closed form itself, a sum of simple functions that SymPy can handle like any other:
formula = solution.to_sympy()
print(str(formula)[:200], "...")
value = float(formula.subs({x: 0.3, t: 0.7}))
print(value, float(solution(x=0.3, t=0.7)))

# %%
figure, ax = plt.subplots(figsize=(5, 3.6), layout="constrained")
ax.pcolormesh(
    *np.meshgrid(np.linspace(0, 1, 50), np.linspace(0, 1, 50)),
    again(x=np.linspace(0, 1, 50), t=np.linspace(0, 1, 50)[:, None]),
    shading="gouraud",
)
ax.set(xlabel="x", ylabel="t", title="read back")

assert same
assert abs(value - np.sin(0.3 * np.pi) * np.exp(-0.07 * np.pi**2)) < 1e-4
