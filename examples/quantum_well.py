"""An electron in a smooth well: bound states of Schroedinger's equation."""

import numpy as np
import sympy

from piscm import Box, Condition, Problem, coordinates, eigenpairs, field, unknown

x = coordinates("x")
psi, energy = field("psi", x), unknown("energy")

# The well -6/cosh(x)**2 of Poeschl and Teller binds states of energy -9/2, -2 and -1/2. At the ends
# the lower two have died out, so that the wave function may be held at zero there.
well = Problem(
    domain=Box({x: (-8, 8)}),
    equations=[-psi.diff(x, 2) / 2 - 6 / sympy.cosh(x) ** 2 * psi - energy * psi],
    conditions=[Condition(psi, on="boundary")],
    unknowns={energy: (-5.0, -6.0, -1.0)},  # a guess, and bounds
)


def main() -> float:
    """The largest error of the two energies."""
    states = eigenpairs(well, 2)
    found = np.array([state.unknowns["energy"].value for state in states])
    for value, state in zip(found, states, strict=True):
        spread = float(np.sqrt(state.integral(x**2 * psi**2)))
        print(f"energy {value:.9f}, width {spread:.4f}: {state.status.name.lower()}")
    return float(np.abs(found - [-4.5, -2.0]).max())


if __name__ == "__main__":
    print(f"largest error {main():.1e}")
