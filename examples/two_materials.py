"""Two materials: a plate with an inclusion that conducts five times as well."""

import numpy as np

from piscm import (
    Condition,
    Disk,
    Problem,
    Rectangle,
    Region,
    coordinates,
    field,
    singular_functions,
    solve,
)

x, y, k = coordinates("x y k")
u = field("u", x, y)

# Regions lie side by side: the disk is cut out of the plate. Where their boundaries have points in
# common is the interface; nobody has to describe it.
disk = Disk({x: 0, y: 0}, radius=0.4)
plate = Rectangle({x: (-1, 1), y: (-1, 1)}) - disk

# A disk in a uniform field: the exact solution, which is also given on the outer boundary.
share = (1 - 5) / (1 + 5)
outside = x * (1 + share * 0.4**2 / (x**2 + y**2))

problem = Problem(
    regions=[
        # k is a symbol of the equation, and every region has a value for it. Outside of a small
        # hole the solution goes on into the hole: functions with poles there help a lot.
        Region(plate, {k: 1}, singular={u: singular_functions(plate)}, name="plate"),
        Region(disk, {k: 5}, name="disk"),
    ],
    # div(k grad u) = 0: so u and the flux k du/dn are continuous across the interface. Jumps would
    # be given as interface={u: 0, k*normal_derivative(u): 1}.
    equations=[(k * u.diff(x)).diff(x) + (k * u.diff(y)).diff(y)],
    conditions=[Condition(u - outside, on="boundary")],
)


def main() -> float:
    """The error of the flux along the x axis, relative to the largest."""
    print(problem)
    solution = solve(problem)
    print(solution)
    at = np.linspace(-1, 1, 201)
    flux = solution(k * u.diff(x), x=at, y=0.0)  # k means in each region what it is there
    exact = np.where(np.abs(at) <= 0.4, 5 * 2 / 6, 1 - share * 0.4**2 / np.maximum(at**2, 0.01))
    print(f"through the inclusion flows {flux[100]:.6f}, through the plate 1 far away")
    return float(np.abs(flux - exact).max() / np.abs(exact).max())


if __name__ == "__main__":
    main()
