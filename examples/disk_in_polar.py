"""A membrane under a load that is not centered, in polar coordinates: operators and the axis."""

import numpy as np
import sympy

from piscm import Box, Condition, Periodic, Problem, coordinates, field, laplacian, polar, solve

r, phi = coordinates("r phi")
u = field("u", r, phi)

# The deflection that the load below makes; it stands here to be compared with.
x, y = r * sympy.cos(phi), r * sympy.sin(phi)
exact = (1 - r**2) * (1 + x * y)
load = -sympy.simplify(laplacian(exact, polar(r, phi)))

# The Laplacian divides by r and by r**2. On the axis the equation is multiplied by r**2, so that it
# says there what it means: the deflection is regular. No condition at r = 0 is needed.
problem = Problem(
    domain=Box({r: (0, 1), phi: (0, 2 * sympy.pi)}),
    equations=[laplacian(u, polar(r, phi)) + load],
    conditions=[
        Condition(u, on={r: 1}),  # held at the rim
        Periodic(u, along=phi),
        Periodic(u.diff(phi), along=phi),
    ],
)


def main() -> float:
    """The largest error, at the axis too."""
    solution = solve(problem)
    print(solution)
    at = np.linspace(0, 1, 21)[:, None], np.linspace(0, 2 * np.pi, 40)
    found = solution(r=at[0], phi=at[1])
    return float(np.abs(found - sympy.lambdify((r, phi), exact)(*at)).max())


if __name__ == "__main__":
    print(f"largest error {main():.1e}")
