"""
What the data cannot tell
=========================

Two unknowns of which only the product shows: no amount of data can separate them, and the
solution says so instead of guessing. Solve for the product, and all is well.
"""

import matplotlib.pyplot as plt
import numpy as np

from piscm import Box, Condition, Observations, Problem, coordinates, field, solve, unknown

t = coordinates("t")
u = field("u", t)
rate, strength = unknown("rate strength")
times = np.linspace(0.1, 2, 20)
start = Condition(u - 1, on={t: 0})
data = [Observations(u, times, np.exp(-1.5 * times))]
problem = Problem(
    domain=Box({t: (0, 2)}),
    equations=[u.diff(t) + rate * strength * u],
    conditions=[start],
    unknowns={rate: 1.0, strength: 1.0},
    observations=data,
)
solution = solve(problem)
print(solution)

# %%
# The combination that can be had:
product = unknown("product")
better = Problem(
    problem.domain, [u.diff(t) + product * u], [start], {product: 1.0}, observations=data
)
answer = solve(better)
print(f"{answer.status.name}: the product is {answer.unknowns['product'].value:.6f}")

# %%
# Every pair on the hyperbola fits as well as any other.
rates = np.linspace(0.3, 4, 100)
figure, ax = plt.subplots(figsize=(5, 3.6), layout="constrained")
ax.plot(rates, answer.unknowns["product"].value / rates, label="all that fit")
pair = [solution.unknowns[name].value for name in ("rate", "strength")]
ax.plot(*pair, "o", label="the pair that was returned")
ax.set(xlabel="rate", ylabel="strength")
ax.legend(frameon=False)

assert "rate, strength (only their combination rate*strength)" in solution.undetermined
assert abs(answer.unknowns["product"].value - 1.5) < 1e-5
