"""
Predator and prey, from noisy counts
====================================

Lotka and Volterra's equations u' = a u - b u v and v' = c u v - d v with all four rates
unknown. Fifty noisy counts of each species give the rates, their standard errors, and how these
hang together.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.integrate import solve_ivp

from piscm import (
    PISC3,
    Box,
    Condition,
    Observations,
    Problem,
    Sampling,
    coordinates,
    field,
    solve,
    unknown,
)

TRUTH = {"a": 1.1, "b": 0.4, "c": 0.1, "d": 0.4}
NOISE = 0.1

rng = np.random.default_rng(0)
times = np.sort(rng.random(50)) * 12


def rates(_, y):
    a, b, c, d = TRUTH.values()
    return [a * y[0] - b * y[0] * y[1], c * y[0] * y[1] - d * y[1]]


path = solve_ivp(rates, (0, 12), [6.0, 3.0], rtol=1e-10, atol=1e-10, dense_output=True).sol
counted = path(times) + NOISE * rng.normal(size=(2, 50))

# %%
t = coordinates("t")
u, v = field("u", t), field("v", t)
a, b, c, d = (unknown(name, positive=True) for name in TRUTH)
problem = Problem(
    domain=Box({t: (0, 12)}),
    equations=[u.diff(t) - a * u + b * u * v, v.diff(t) - c * u * v + d * v],
    conditions=[Condition(u - 6, on={t: 0}), Condition(v - 3, on={t: 0})],
    unknowns={a: 1.0, b: 0.5, c: 0.2, d: 0.5},
    observations=[Observations(u, times, counted[0]), Observations(v, times, counted[1])],
)
method = PISC3(max_nodes=120, selection="orthogonal", candidates=100)
solution = solve(problem, method, sampling=Sampling(interior=400))
print(solution)

# %%
print("correlation of the errors:")
print(np.array2string(solution.correlation, precision=2, suppress_small=True))

# %%
figure, (left, right) = plt.subplots(
    1, 2, figsize=(11, 3.8), layout="constrained", width_ratios=(3, 2)
)
dense = np.linspace(0, 12, 300)
for item, data, color in zip((u, v), counted, ("C0", "C1"), strict=True):
    center, width = solution(item, t=dense), 2 * solution.std(item, t=dense)
    left.fill_between(dense, center - width, center + width, color=color, alpha=0.4)
    left.plot(dense, center, color=color, label={"u": "prey", "v": "predators"}[str(item.func)])
    left.plot(times, data, ".", color=color)
left.set(xlabel="t")
left.legend(frameon=False)
for row, (name, found) in enumerate(solution.unknowns.items()):
    right.errorbar(found.value / TRUTH[name], row, xerr=2 * found.stderr / TRUTH[name], fmt="o")
right.axvline(1, color="0.7")
right.set(yticks=range(4), yticklabels=TRUTH, xlabel="found / truth, with 95 % bars")

worst = max(abs(item.value - TRUTH[name]) / item.stderr for name, item in solution.unknowns.items())
assert worst < 4
