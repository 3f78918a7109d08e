"""A heated plate, cooled through a hole: shapes, parts of the boundary, fluxes, a balance."""

import math

from piscm import (
    Condition,
    Disk,
    Polygon,
    Problem,
    coordinates,
    field,
    normal_derivative,
    solve,
)

x, y = coordinates("x y")
u = field("u", x, y)

# A shape is written with its coordinates and combined with |, - and &. Its boundary is that of its
# primitives, exactly: the hole is a circle, and "hole" is the name of this part of the boundary.
rim = Polygon((x, y), [(0, 0), (2, 0), (2, 1), (0, 1)], name="rim")
plate = rim - Disk({x: 1, y: 0.5}, radius=0.3, name="hole")

problem = Problem(
    domain=plate,
    equations=[u.diff(x, 2) + u.diff(y, 2) + 1],  # heated evenly
    conditions=[
        Condition(normal_derivative(u) + 5 * u, on=plate.boundary("hole")),  # cooled
        Condition(u, on={x: 0}),  # kept at zero
        Condition(normal_derivative(u), on=plate.boundary("rim", where=x > 0)),  # insulated
    ],
)


def main() -> float:
    """What is produced minus what leaves, as a fraction."""
    solution = solve(problem, tol=1e-3)
    print(solution)
    produced = 2 - math.pi * 0.3**2
    leaves = -float(solution.integral(normal_derivative(u), over=plate.boundary()))
    print(f"{produced:.4f} is produced, {leaves:.4f} leaves")
    print(f"mean temperature {float(solution.integral(u)) / produced:.4f}")
    return abs(produced - leaves) / produced


if __name__ == "__main__":
    main()
