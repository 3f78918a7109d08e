"""
Many periods, in windows
========================

Over a long time one network would need very many nodes. The default method cuts the time into
windows as it goes, each beginning where the last one ended, and answers as one solution. Here
it does so for a Van der Pol oscillator, and SciPy says how right it is.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.integrate import solve_ivp

from piscm import Box, Condition, Problem, coordinates, field, solve

END = 20

t = coordinates("t")
u = field("u", t)
problem = Problem(
    domain=Box({t: (0, END)}),
    equations=[u.diff(t, 2) - (1 - u**2) * u.diff(t) + u],
    conditions=[Condition(u - 1, on={t: 0}), Condition(u.diff(t), on={t: 0})],
)
solution = solve(problem, tol=1e-5)
print(solution)

# %%
times = np.linspace(0, END, 401)
path = solve_ivp(
    lambda _, y: [y[1], (1 - y[0] ** 2) * y[1] - y[0]],
    (0, END),
    [1.0, 0.0],
    t_eval=times,
    rtol=1e-12,
    atol=1e-12,
).y[0]
error = np.abs(solution(t=times) - path)
size = np.sqrt(np.mean(path**2))
print(f"relative error {np.sqrt(np.mean(error**2)) / size:.1e}", end=", ")
print(f"estimated {solution.error_estimate.relative:.1e}")

# %%
figure, (above, below) = plt.subplots(2, 1, figsize=(9, 5), sharex=True, layout="constrained")
above.plot(times, path, color="0.7", linewidth=4, label="SciPy")
above.plot(times, solution(t=times), "C3--", label="piscm")
above.legend(frameon=False, loc="upper left")
below.semilogy(times, error + 1e-16)
below.set(xlabel="t", ylabel="error")

assert error.max() < 1e-4
