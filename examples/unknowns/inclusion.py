"""
What is inside a plate
======================

A disk in a plate conducts heat better than the rest. How much better is found from temperatures on
the rim, where the heat that goes in is known: two regions, an unknown of one of them, and an error
bar that holds the truth.
"""

import matplotlib.pyplot as plt
import numpy as np

from piscm import (
    PISC3,
    Condition,
    Disk,
    Observations,
    Problem,
    Rectangle,
    Region,
    Sampling,
    coordinates,
    field,
    normal,
    normal_derivative,
    plots,
    singular_functions,
    solve,
    unknown,
)

x, y = coordinates("x y")
k, u = coordinates("k"), field("u", x, y)
inside = unknown("inside", positive=True)
disk = Disk({x: 0, y: 0}, 0.5, name="disk")
plate = Rectangle({x: (-1, 1), y: (-1, 1)}) - disk

# %%
# The data: 60 temperatures on the rim with 1 % of noise, of a disk that conducts three times as
# well.
TRUTH = 3.0
bent = (1 - TRUTH) / (1 + TRUTH) * 0.5**2
rng = np.random.default_rng(0)
along, side = rng.uniform(-1, 1, 60), np.arange(60) % 4
end = np.where(side < 2, -1.0, 1.0)
points = np.where((side % 2 == 0)[:, None], np.stack([along, end], 1), np.stack([end, along], 1))
values = points[:, 0] * (1 + bent / np.sum(points**2, axis=1))
values += 0.01 * np.sqrt(np.mean(values**2)) * rng.normal(size=60)

# %%
# Temperature and heat flux are continuous where the disk meets the plate; nobody has to say so.
far = x * (1 + bent / (x**2 + y**2))
heat = normal(x) * far.diff(x) + normal(y) * far.diff(y)
problem = Problem(
    regions=[
        Region(plate, {k: 1}, singular={u: singular_functions(plate)}),
        Region(disk, {k: inside}, singular={}),
    ],
    equations=[(k * u.diff(x)).diff(x) + (k * u.diff(y)).diff(y)],
    conditions=[Condition(normal_derivative(u) - heat, on="boundary")],
    unknowns={inside: 1.0},
    observations=[Observations(u, points, values)],
)
method = PISC3(max_nodes=40, selection="orthogonal", candidates=100)
solution = solve(problem, method, sampling=Sampling(interior=150, boundary=60))
print(solution)

# %%
found = solution.unknowns["inside"]
print(f"it conducts {found.value:.2f} ± {found.stderr:.2f} times as well; truth {TRUTH:g}")

# %%
figure, ax = plt.subplots(figsize=(4.8, 4), layout="constrained")
plots.field_map(solution, ax=ax)
ax.plot(*points.T, "k.", markersize=3, clip_on=False)
ax.set(title=f"conductivity inside {found.value:.2f} ± {found.stderr:.2f}")

assert abs(found.value - TRUTH) < 3 * found.stderr
assert found.stderr < 0.3
