"""
A corner that points inward
===========================

A membrane over an L under an even load: at the inner corner the gradient is infinite, and a smooth
network does not follow. Singular functions there do: they are found by themselves, or named by
hand.
"""

import matplotlib.pyplot as plt
import sympy

from piscm import Condition, Polygon, Problem, coordinates, field, plots, polar_power, solve

x, y = coordinates("x y")
u = field("u", x, y)
domain = Polygon((x, y), [(0, 0), (0, -1), (-1, -1), (-1, 1), (1, 1), (1, 0)])


def membrane(**options):
    return Problem(
        domain, [u.diff(x, 2) + u.diff(y, 2) + 1], [Condition(u, on="boundary")], **options
    )


# %%
# Near the corner u is like r^(2/3) cos(2/3 angle), the angle taken from the middle of the L.
along, across = (-x + y) / sympy.sqrt(2), (-x - y) / sympy.sqrt(2)
by_hand = [polar_power(along, across, sympy.Rational(2, 3), 0)]
solutions = {
    "named": solve(membrane(singular={u: by_hand}), tol=1e-3),
    "automatic": solve(membrane(), tol=1e-5),
}
for name, solution in solutions.items():
    value = float(solution(x=-0.5, y=0.5))
    print(f"{name:10} {value:.6f}, estimated error {solution.error_estimate.relative:.0e}")

# %%
# How singular it is: the factor of the first function.
intensity = max(solution.amplitudes["u"].values(), key=abs)
print(f"intensity of the corner {intensity:.4f}")

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
plots.field_map(solution, ax=left)
plots.field_map(solution, sympy.sqrt(u.diff(x) ** 2 + u.diff(y) ** 2), ax=right)
right.set_title("slope: largest at the corner")

# The value at (-1/2, 1/2), from a series around the corners that fits the sides to 2e-11.
assert abs(value / 0.1310530 - 1) < 1e-4
