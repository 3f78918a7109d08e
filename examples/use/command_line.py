"""
From the command line
=====================

The same without Python: a problem file, ``piscm check``, ``solve``, ``eval``, ``export`` and
``compare``. Each command is run as a shell would run it.
"""

import csv
import io
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

folder = Path(tempfile.mkdtemp())


def shell(line, lines=40):
    """Run a command in the folder and show the beginning of what it prints."""
    program = [sys.executable, "-m", *shlex.split(line)]
    done = subprocess.run(program, cwd=folder, capture_output=True, text=True, check=True)
    shown = done.stdout.splitlines()
    print(f"$ {line}", *shown[:lines], *(["..."] if len(shown) > lines else []), sep="\n")
    return done.stdout


# %%
# A file, and what is understood of it:
(folder / "rod.toml").write_text("""\
equations = ["u_t = u_xx/10"]
conditions = ["u(t=0) = sin(pi*x)", "u(x=0) = 0", "u(x=1) = 0"]

[domain]
x = [0, 1]
t = [0, 1]

[solve]
tol = 1e-4
""")
shell("piscm check rod.toml")

# %%
# Solve it; ``out/index.html`` shows everything without a server.
shell("piscm solve rod.toml --out out")
saved = "out/rod-auto-seed0.npz"

# %%
# Values at the points of a table, whose columns are matched by name; derivatives cost nothing.
times = np.linspace(0, 1, 21)
with (folder / "points.csv").open("w", newline="") as file:
    csv.writer(file).writerows([("t", "x"), *((moment, 0.5) for moment in times)])
table = shell(f"piscm eval {saved} --at points.csv --expression u_t", lines=5)
rows = list(csv.DictReader(io.StringIO(table)))
values = np.array([float(row["u"]) for row in rows])
error = np.abs(values - np.exp(-(np.pi**2) / 10 * times)).max()

# %%
# To another program: Python source that depends on nothing, and a table of a grid.
shell(f"piscm export {saved} --to rod.py")
shell(f"piscm export {saved} --to rod.csv")
module = {}
exec((folder / "rod.py").read_text(), module)
print(f"rod.py: u(0.5, 1) = {module['u'](0.5, 1.0):.8f}")

# %%
# How far are two solutions apart, of another method or seed?
shell("piscm solve rod.toml --method pi-sc-iii --nodes 60 --out other", lines=0)
shell(f"piscm compare {saved} other/rod-pi-sc-iii-seed0.npz")

# %%
figure, ax = plt.subplots(figsize=(6, 3.5), layout="constrained")
ax.plot(times, values, "o", label="piscm eval")
ax.plot(times, np.exp(-(np.pi**2) / 10 * times), color="0.5", label="exact")
ax.set(xlabel="t", ylabel="u at x = 0.5")
ax.legend(frameon=False)

assert error < 1e-4
assert abs(module["u"](0.5, 1.0) - np.exp(-(np.pi**2) / 10)) < 1e-4
