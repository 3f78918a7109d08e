"""The problem file that ``piscm new`` writes."""

STARTER = """# A problem for piscm: check it with `piscm check FILE`, solve it with `piscm solve`.
# What may stand here: `piscm schema --markdown`.

# Equations as people write them: u_t is a derivative, ^ a power. Either two sides, or an
# expression that must vanish. laplacian(u), grad, div and curl work too.
equations = ["u_t + u*u_x = nu*u_xx"]

# Where each condition holds is part of it. Others: "u = 0 on boundary", "u(x=-1) = u(x=1)"
# (periodic), {expression = "u_x - 3*u", on = {x = 1}, weight = 10}.
conditions = [
    "u(t=0) = -sin(pi*x)",
    "u(x=-1) = 0",
    "u(x=1) = 0",
]

# Measured values, with columns x, t and value (or u) in a table beside this file (.csv, .parquet,
# .nc). Needed where there are unknowns.
# observations = [{expression = "u", file = "measured.csv", noise = 0.01}]

# Each coordinate with its bounds; texts are formulas.
[domain]
x = [-1, 1]
t = [0, 0.3]

# Numbers and expressions by name, for use above.
[constants]
nu = "0.1/pi"

# [expressions]
# q = "sin(pi*x)*exp(-t)"

# Fields and what they depend on; without this table there is one, u, of all coordinates.
# [fields]
# u = ["x", "t"]

# Parameters to be found from observations: a first guess, or {guess = 1, bounds = [0, 10]}.
# [unknowns]
# k = 0.5

# How it is solved; without this table everything is chosen automatically.
# [method]
# name = "pi-sc-iii"
# max_nodes = 300

[solve]
tol = 1e-4
max_seconds = 120
"""
