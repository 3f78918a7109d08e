"""
A surrogate for another program
===============================

The solution becomes source code that depends on nothing: a Python module that imports ``math``,
or C for a controller; or an ONNX model, which runtimes in many languages evaluate. Here the
temperature in a rod, for every heating power P and place x.
"""

import ctypes
import shutil
import subprocess
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from onnx.reference import ReferenceEvaluator

from piscm import Box, Condition, Problem, coordinates, field, solve

x, P = coordinates("x P")
u = field("u", x, P)
problem = Problem(
    domain=Box({x: (0, 1), P: (0, 3)}),
    equations=[u.diff(x, 2) - u**3 + P],  # heated with P, radiates
    conditions=[Condition(u, on={x: 0}), Condition(u.diff(x), on={x: 1})],
)
solution = solve(problem, tol=1e-5)
print(solution)

# %%
# As a Python module:
source = solution.to_function("python", derivatives=1)
module = {}
exec(source, module)
print(f"{len(source)} characters; u(0.5, 2) = {module['u'](0.5, 2.0):.8f}")
print(f"piscm itself:           {float(solution(x=0.5, P=2.0)):.8f}")

# %%
# As C99, without allocation and without state; compiled, if there is a compiler, and called:
folder = Path(tempfile.mkdtemp())
code = solution.to_function("c", derivatives=1, path=folder / "rod.c")
print(code[:600])
compiled = None
if shutil.which("cc"):
    library = folder / "rod.so"
    subprocess.run(
        ["cc", "-O2", "-shared", "-fPIC", "-o", library, folder / "rod.c", "-lm"], check=True
    )
    compiled = ctypes.CDLL(str(library)).piscm_u
    compiled.restype, compiled.argtypes = ctypes.c_double, [ctypes.c_double] * 2
    print(f"compiled: u(0.5, 2) = {compiled(0.5, 2.0):.8f}")

# %%
# As ONNX, in double precision. An input for each coordinate, an output for each derivative; all are
# vectors. ``onnxruntime.InferenceSession`` takes the place of the evaluator that comes with ONNX.
solution.to_onnx(folder / "rod.onnx", derivatives=1)
model = ReferenceEvaluator(str(folder / "rod.onnx"))
at = {"x": np.linspace(0, 1, 5), "P": np.full(5, 2.0)}
value, slope = model.run(["u", "u_x"], at)
print(value, slope)

# %%
places = np.linspace(0, 1, 100)
figure, ax = plt.subplots(figsize=(6, 3.5), layout="constrained")
for power in (0.5, 1, 2, 3):
    ax.plot(places, [module["u"](place, power) for place in places], label=f"P = {power}")
ax.set(xlabel="x", title="temperature, from the exported function")
ax.legend(frameon=False)

# The same to round-off: the sums are taken in another order.
assert np.abs(value - solution(**at)).max() < 1e-9
assert abs(module["u"](0.5, 2.0) - solution(x=0.5, P=2.0)) < 1e-9
assert compiled is None or abs(compiled(0.5, 2.0) - solution(x=0.5, P=2.0)) < 1e-9
