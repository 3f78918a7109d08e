"""
Where to measure next
=====================

An oscillator with unknown damping and stiffness, a few measurements, and money for one more:
the best time is where the prediction is most uncertain. The covariance of the fit tells before
anything is measured.
"""

import matplotlib.pyplot as plt
import numpy as np

from piscm import Box, Condition, Observations, Problem, coordinates, field, solve, unknown

NOISE = 0.02

t = coordinates("t")
u = field("u", t)
c, k = unknown("c", positive=True), unknown("k", positive=True)
rng = np.random.default_rng(4)


def measure(times):
    """The experiment: u'' + c u' + k u = 0 with c = 0.4, k = 4 and u(0) = 1, u'(0) = 0."""
    times = np.asarray(times, dtype=float)
    wave = np.sqrt(4 - 0.04)
    exact = np.exp(-0.2 * times) * (np.cos(wave * times) + 0.2 / wave * np.sin(wave * times))
    return exact + NOISE * rng.normal(size=times.shape)


def fit(times, values):
    return solve(
        Problem(
            domain=Box({t: (0, 6)}),
            equations=[u.diff(t, 2) + c * u.diff(t) + k * u],
            conditions=[Condition(u - 1, on={t: 0}), Condition(u.diff(t), on={t: 0})],
            unknowns={c: 0.3, k: 3.5},
            observations=[Observations(u, times, values, noise=NOISE)],
        ),
        tol=1e-2,
    )


# %%
# Six measurements at the beginning; then the standard error of the prediction over the whole time.
times = np.linspace(0.2, 1.2, 6)
values = measure(times)
first = fit(times, values)
dense = np.linspace(0, 6, 300)
uncertainty = first.std(t=dense)
best = float(dense[uncertainty.argmax()])
print(f"measure at t = {best:.2f}")


# %%
# One measurement there, or one more where the others are:
def added(time):
    return fit(np.append(times, time), np.append(values, measure([time])))


good, poor = added(best), added(1.0)
for name, solution in (("before", first), ("at the best time", good), ("at t = 1", poor)):
    k_found = solution.unknowns["k"]
    print(f"{name:>17}: k = {k_found.value:.3f} ± {k_found.stderr:.3f}")

# %%
figure, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
for name, solution in (("before", first), ("one more at the best time", good), ("at t = 1", poor)):
    ax.plot(dense, solution.std(t=dense), label=name)
ax.plot(times, np.zeros(6), "k|", markersize=12)
ax.axvline(best, color="0.7", linestyle=":")
ax.set(xlabel="t", ylabel="standard error of u")
ax.legend(frameon=False)

stderr = {name: s.unknowns["k"].stderr for name, s in (("good", good), ("poor", poor))}
assert stderr["good"] < stderr["poor"] / 2
