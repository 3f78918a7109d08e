"""
The tones of an L
=================

The membrane over an L has no eigenvalues in closed form but the third, 2π². The first mode has an
infinite gradient at the corner that points inward: smooth nodes alone are not enough. With the
singular functions of the corner, r^(2/3) and its kin, they are. ``eigenpairs`` tries these by
itself where smooth nodes fail; to name them saves that attempt.
"""

import matplotlib.pyplot as plt
import numpy as np

from piscm import (
    Condition,
    Polygon,
    Problem,
    coordinates,
    eigenpairs,
    field,
    laplacian,
    plots,
    singular_functions,
    unknown,
)

x, y = coordinates("x y")
u, lam = field("u", x, y), unknown("lam")
shape = Polygon((x, y), [(0, 0), (0, -1), (-1, -1), (-1, 1), (1, 1), (1, 0)])
membrane = Problem(
    domain=shape,
    equations=[laplacian(u) + lam * u],
    conditions=[Condition(u, on="boundary")],
    unknowns={lam: 0.0},
    singular={u: singular_functions(shape)},
)
modes = eigenpairs(membrane, 3, tol=1e-3)
found = np.array([mode.unknowns["lam"].value for mode in modes])

# %%
# The eigenvalues as published by Trefethen and Betcke (2006).
published = np.array([9.6397238440, 15.1972519265, 2 * np.pi**2])
for value, exact, mode in zip(found, published, modes, strict=True):
    print(f"lam = {value:.5f}, published {exact:.5f}, {mode.status.name}")

# %%
figure, axes = plt.subplots(1, 3, figsize=(10, 3.2), layout="constrained")
for ax, mode, value in zip(axes, modes, found, strict=True):
    plots.field_map(mode, ax=ax)
    ax.set_title(f"lam = {value:.4f}")

assert np.abs(found / published - 1).max() < 1e-3
