"""
Refit as data arrive
====================

Measurements come in batches. Each new fit begins with the last solution (``initial=solution``)
and with the values found so far as first guesses, and the error bars shrink.
"""

import matplotlib.pyplot as plt
import numpy as np

from piscm import Box, Condition, Observations, Problem, coordinates, field, solve, unknown

RATE, NOISE = 1.7, 0.02

t = coordinates("t")
u = field("u", t)
rate = unknown("rate", positive=True)
rng = np.random.default_rng(0)
times = np.linspace(0.2, 4, 60)
measured = 1 / (1 + 9 * np.exp(-RATE * times)) + NOISE * rng.normal(size=60)  # logistic growth


def problem_of(count, guess):
    return Problem(
        domain=Box({t: (0, 4)}),
        equations=[u.diff(t) - rate * u * (1 - u)],
        conditions=[Condition(u - 0.1, on={t: 0})],
        unknowns={rate: guess},
        observations=[Observations(u, times[:count], measured[:count], noise=NOISE)],
    )


# %%
fits, guess, last = {}, 1.0, None
for count in (10, 20, 60):
    last = solve(problem_of(count, guess), tol=2e-2, initial=last)
    guess = last.unknowns["rate"].value
    fits[count] = last
    print(f"{count:3} measurements: rate = {guess:.3f} ± {last.unknowns['rate'].stderr:.3f}")

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
dense = np.linspace(0, 4, 200)
left.plot(times, measured, "k.", markersize=3)
for count in (10, 60):
    center, width = fits[count](t=dense), 2 * fits[count].std(t=dense)
    left.fill_between(dense, center - width, center + width, alpha=0.5, label=f"{count} data")
left.set(xlabel="t", title="95 % bands")
left.legend(frameon=False)
values = [fit.unknowns["rate"] for fit in fits.values()]
right.errorbar(
    list(fits), [v.value for v in values], yerr=[2 * v.stderr for v in values], fmt="o", capsize=3
)
right.axhline(RATE, color="0.7")
right.set(xlabel="measurements", ylabel="rate, 95 % bars")

assert abs(values[-1].value - RATE) < 4 * values[-1].stderr
assert values[-1].stderr < values[0].stderr / 2
