"""What is inside? The conductivity of an inclusion, from noisy temperatures on the boundary."""

import numpy as np
import sympy

from piscm import (
    Condition,
    Disk,
    Observations,
    Problem,
    Rectangle,
    Region,
    coordinates,
    field,
    normal_derivative,
    singular_functions,
    solve,
    unknown,
)

x, y, k = coordinates("x y k")
u = field("u", x, y)
inside = unknown("inside", positive=True)
TRUE, RADIUS = 5.0, 0.5

disk = Disk({x: 0, y: 0}, radius=RADIUS)
plate = Rectangle({x: (-1, 1), y: (-1, 1)}, name="rim") - disk

# The truth: a disk in a uniform field. Temperatures are kept on the left, heat flows in elsewhere.
truth = x * (1 + (1 - TRUE) / (1 + TRUE) * RADIUS**2 / (x**2 + y**2))
flow = normal_derivative(u).subs(u, truth).doit()


def problem(seed: int, sensors: int = 30, noise: float = 0.01) -> Problem:
    """Measured temperatures on three sides, with noise of 1 % of the largest."""
    rng = np.random.default_rng(seed)
    along = np.linspace(-0.95, 0.95, sensors // 3)
    ones = np.ones_like(along)
    points = np.concatenate(
        [np.stack(side, axis=1) for side in ((along, ones), (along, -ones), (ones, along))]
    )
    values = sympy.lambdify((x, y), truth)(*points.T)
    sigma = noise * np.abs(values).max()
    values = values + sigma * rng.standard_normal(len(values))
    return Problem(
        regions=[
            Region(plate, {k: 1}, singular={u: singular_functions(plate)[:9]}, name="plate"),
            Region(disk, {k: inside}, name="disk"),  # an unknown as the value of a coefficient
        ],
        equations=[(k * u.diff(x)).diff(x) + (k * u.diff(y)).diff(y)],
        conditions=[
            Condition(u - truth, on={x: -1}),
            Condition(normal_derivative(u) - flow, on=plate.boundary("rim", where=x > -1)),
        ],
        unknowns={inside: 1.0},
        observations=[Observations(u, points, values)],
    )


def main() -> float:
    """How many standard errors the conductivity is off."""
    solution = solve(problem(seed=0), tol=1e-4)
    print(solution)
    found = solution.unknowns["inside"]
    print(f"conductivity {found.value:.3f} ± {found.stderr:.3f}, in truth {TRUE}")
    return abs(found.value - TRUE) / found.stderr


if __name__ == "__main__":
    main()
