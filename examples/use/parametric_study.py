"""
A parametric study with a slider
================================

A parameter can be a coordinate: one solve gives the solution for all of its values, and its
derivative by the parameter, the sensitivity, for nothing. Here the damping D of an oscillator,
u'' + 2D u' + u = 0.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.animation import FuncAnimation

from piscm import Box, Condition, Problem, coordinates, field, solve

t, D = coordinates("t D")
u = field("u", t, D)
problem = Problem(
    domain=Box({t: (0, 10), D: (0.05, 0.8)}),
    equations=[u.diff(t, 2) + 2 * D * u.diff(t) + u],
    conditions=[Condition(u - 1, on={t: 0}), Condition(u.diff(t), on={t: 0})],
)
solution = solve(problem, tol=1e-4)
print(solution)


# %%
def exact(t, D):
    wave = np.sqrt(1 - D**2)
    return np.exp(-D * t) * (np.cos(wave * t) + D / wave * np.sin(wave * t))


times = np.linspace(0, 10, 300)
dampings = np.linspace(0.05, 0.8, 20)
error = float(
    np.abs(solution(t=times, D=dampings[:, None]) - exact(times, dampings[:, None])).max()
)
print(f"largest error over all dampings {error:.1e}")

# %%
# The slider below the picture moves through the dampings. In a notebook, ``ipywidgets.interact``
# does the same.
figure, ax = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
(curve,) = ax.plot(times, solution(t=times, D=dampings[0]), label="u")
(slope,) = ax.plot(times, solution(u.diff(D), t=times, D=dampings[0]), label="∂u/∂D, sensitivity")
ax.set(xlabel="t", ylim=(-8, 8))
ax.legend(frameon=False, loc="upper left")


def show(damping):
    curve.set_ydata(solution(t=times, D=damping))
    slope.set_ydata(solution(u.diff(D), t=times, D=damping))
    ax.set_title(f"D = {damping:.2f}")


animation = FuncAnimation(figure, show, frames=dampings, interval=150)

# %%
# The whole family at once:
figure, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
image = ax.pcolormesh(
    times, dampings, solution(t=times, D=dampings[:, None]), shading="gouraud", cmap="RdBu_r"
)
figure.colorbar(image, ax=ax)
ax.set(xlabel="t", ylabel="damping D", title="u")

assert error < 1e-3
