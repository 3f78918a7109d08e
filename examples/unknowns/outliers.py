"""
Data with outliers
==================

One sensor reading in ten is nonsense. Least squares is pulled away by it; ``loss="huber"``
limits the pull of each reading.
"""

import matplotlib.pyplot as plt
import numpy as np

from piscm import Box, Condition, Observations, Problem, coordinates, field, solve, unknown

rng = np.random.default_rng(2)
times = np.linspace(0.1, 6, 60)
values = np.exp(-0.25 * times) * np.cos(2 * times) + 0.02 * rng.normal(size=60)
values[::10] += 1.0

t = coordinates("t")
u = field("u", t)
c, k = unknown("c"), unknown("k", positive=True)


def fitted(loss):
    problem = Problem(
        domain=Box({t: (0, 6)}),
        equations=[u.diff(t, 2) + c * u.diff(t) + k * u],
        conditions=[Condition(u - 1, on={t: 0})],
        unknowns={c: 0.1, k: 3.0},
        observations=[Observations(u, times, values, loss=loss)],
    )
    return solve(problem, tol=1e-3)


plain, robust = fitted("square"), fitted("huber")
for name, solution in (("square", plain), ("huber", robust)):
    found = {
        key: f"{item.value:.3f} ± {item.stderr:.3f}" for key, item in solution.unknowns.items()
    }
    print(f"{name}: c = {found['c']}, k = {found['k']}; truly 0.5 and 4.0625")

# %%
dense = np.linspace(0, 6, 300)
figure, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
ax.plot(times, values, "k.", label="data")
ax.plot(dense, np.exp(-0.25 * dense) * np.cos(2 * dense), color="0.7", linewidth=4, label="truth")
ax.plot(dense, plain(t=dense), "C0--", label="square")
ax.plot(dense, robust(t=dense), "C3", label="huber")
ax.set(xlabel="t")
ax.legend(frameon=False, ncols=4, fontsize="small")

assert abs(robust.unknowns["k"].value - 4.0625) < 0.05
assert abs(plain.unknowns["k"].value - 4.0625) > abs(robust.unknowns["k"].value - 4.0625)
