"""
The tones of a drum
===================

Eigenvalues of the Laplacian on a disk, with their modes: squares of zeros of Bessel functions.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import jn_zeros

from piscm import (
    Condition,
    Disk,
    Problem,
    coordinates,
    eigenpairs,
    field,
    laplacian,
    plots,
    unknown,
)

x, y = coordinates("x y")
u, lam = field("u", x, y), unknown("lam")

# %%
# Every term holds the field, and the unknown is the eigenvalue. Its first guess says near which
# value eigenvalues are sought: the lowest are those nearest to zero.
drum = Problem(
    domain=Disk({x: 0, y: 0}, radius=1),
    equations=[laplacian(u) + lam * u],
    conditions=[Condition(u, on="boundary")],
    unknowns={lam: 0.0},
)
modes = eigenpairs(drum, 3, tol=1e-5)
found = np.array([mode.unknowns["lam"].value for mode in modes])
for value in found:
    print(f"lam = {value:.9f}, tone {np.sqrt(value / found[0]):.4f}")

# %%
figure, axes = plt.subplots(1, 3, figsize=(10, 3.2), layout="constrained")
for ax, mode, value in zip(axes, modes, found, strict=True):
    plots.field_map(mode, ax=ax)
    ax.set_title(f"lam = {value:.5f}")

exact = np.array([jn_zeros(0, 1)[0], jn_zeros(1, 1)[0], jn_zeros(1, 1)[0]]) ** 2
assert np.abs(found / exact - 1).max() < 1e-7
