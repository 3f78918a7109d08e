"""
An electron in a smooth well
============================

Bound states of Schrödinger's equation in the well of Pöschl and Teller, whose energies are known.
"""

import matplotlib.pyplot as plt
import numpy as np
import sympy

from piscm import Box, Condition, Problem, coordinates, eigenpairs, field, unknown

x = coordinates("x")
psi, energy = field("psi", x), unknown("energy")

# %%
# The well -6/cosh(x)² binds states of energy -9/2, -2 and -1/2. At the ends the lower two have died
# out, so the wave function may be held at zero there. The unknown has a guess, and bounds.
well = Problem(
    domain=Box({x: (-8, 8)}),
    equations=[-psi.diff(x, 2) / 2 - 6 / sympy.cosh(x) ** 2 * psi - energy * psi],
    conditions=[Condition(psi, on="boundary")],
    unknowns={energy: (-5.0, -6.0, -1.0)},
)
states = eigenpairs(well, 2)
found = np.array([state.unknowns["energy"].value for state in states])
for value, state in zip(found, states, strict=True):
    spread = float(np.sqrt(state.integral(x**2 * psi**2)))
    print(f"energy {value:.9f}, width {spread:.4f}: {state.status.name.lower()}")

# %%
places = np.linspace(-8, 8, 400)
figure, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
ax.plot(places, -6 / np.cosh(places) ** 2, color="0.6", label="the well")
for value, state in zip(found, states, strict=True):
    ax.plot(places, value + state(x=places), label=f"energy {value:.4f}")
ax.set(xlabel="$x$", ylabel="energy, and the state above it")
ax.legend()

assert np.abs(found - [-4.5, -2.0]).max() < 1e-8
