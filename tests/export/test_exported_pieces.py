"""Formulas and source code of solutions on regions, on patches, and with singular functions."""

import ctypes
import math
import shutil
import subprocess

import numpy as np
import pytest
import sympy
from onnx.reference import ReferenceEvaluator

from piscm import (
    PISC3,
    Box,
    Condition,
    Disk,
    Ellipse,
    Interval,
    Patches,
    Polygon,
    Problem,
    ProblemError,
    Rectangle,
    Region,
    Sampling,
    coordinates,
    field,
    polar_power,
    solve,
)
from piscm.export.membership import membership

x, y, t, k = coordinates("x y t k")
u = field("u", x, y)
METHOD = PISC3(max_nodes=10, scale=2.0, candidates=5)
SQUARE = Rectangle({x: (-1, 1), y: (-1, 1)})
DISK = Disk({x: 0, y: 0}, radius=0.4)
STEADY = (k * u.diff(x)).diff(x) + (k * u.diff(y)).diff(y) + 1


def on_regions(*domains):
    values = [Region(own, {k: 1 + number}) for number, own in enumerate(domains)]
    problem = Problem(regions=values, equations=[STEADY], conditions=[Condition(u, on="boundary")])
    return solve(problem, METHOD, sampling=Sampling(80, 12))


def on_patches():
    problem = Problem(
        Box({x: (-1, 1), y: (-1, 1)}),
        [u.diff(x, 2) + u.diff(y, 2) + sympy.cos(x + y)],
        [Condition(u, on="boundary")],
    )
    return solve(problem, Patches({x: 1, y: 2}), tol=1e-1, max_seconds=60)


def at_a_corner():
    corner = polar_power(x - 2, y, sympy.Rational(2, 3), 0)
    problem = Problem(
        SQUARE,
        [u.diff(x, 2) + u.diff(y, 2) + 1],
        [Condition(u, on="boundary")],
        singular={u: [corner]},
    )
    return solve(problem, METHOD, sampling=Sampling(80, 12))


MADE = {
    "regions": lambda: on_regions(SQUARE - DISK, DISK),
    "one of them a polygon": lambda: on_regions(
        Polygon((x, y), [(-1, -1), (1, -1), (1, 1), (-1, 1)]) - DISK, DISK
    ),
    "patches": on_patches,
    "singular functions": at_a_corner,
}
NAMES = ["u", "u_x", "u_y", "u_xx", "u_xy", "u_yy"]
POINTS = 2 * np.random.default_rng(0).random((40, 2)) - 1


@pytest.fixture(scope="module", params=MADE)
def solution(request):
    return MADE[request.param]()


def test_the_formula(solution):
    made = solution.to_sympy()
    for name, expression in (("u", made), ("u_x", made.diff(x))):
        function = sympy.lambdify([x, y], expression, "numpy")
        np.testing.assert_allclose(function(*POINTS.T), solution(name, *POINTS.T), atol=1e-8)


def test_python_source(solution):
    names: dict = {}
    exec(compile(solution.to_function(), "exported.py", "exec"), names)
    for name in NAMES:
        values = [names[name](*point) for point in POINTS.tolist()]
        np.testing.assert_allclose(values, solution(name, *POINTS.T), rtol=1e-8, atol=1e-8)
    assert math.isnan(names["u"](2.0, 0.5))


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no compiler")
def test_c_source(solution, tmp_path):
    path, library = tmp_path / "plant.c", tmp_path / "plant.so"
    solution.to_function("c", path=path)
    strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1"]
    command = ["cc", *strict, "-shared", "-fPIC", str(path), "-o", str(library), "-lm"]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    loaded = ctypes.CDLL(str(library))
    for name in NAMES:
        function = getattr(loaded, f"piscm_{name}")
        function.argtypes, function.restype = [ctypes.c_double] * 2, ctypes.c_double
        values = [function(*point) for point in POINTS.tolist()]
        np.testing.assert_allclose(values, solution(name, *POINTS.T), rtol=1e-8, atol=1e-8)


def test_onnx(solution, tmp_path):
    solution.to_onnx(tmp_path / "u.onnx")
    found = ReferenceEvaluator(str(tmp_path / "u.onnx")).run(
        NAMES, {"x": POINTS[:, 0], "y": POINTS[:, 1]}
    )
    for name, values in zip(NAMES, found, strict=True):
        np.testing.assert_allclose(values, solution(name, *POINTS.T), rtol=1e-8, atol=1e-8)


def test_regions_without_inequalities_are_told():
    left = Polygon((x, y), [(-1, -1), (0, -1), (0, 1), (-1, 1)])
    right = Polygon((x, y), [(0, -1), (1, -1), (1, 1), (0, 1)])
    made = on_regions(left, right)
    with pytest.raises(ProblemError, match="to_xarray"):
        made.to_sympy()


@pytest.mark.parametrize(
    "domain",
    [
        Box({x: (0, 1), y: (-1, 0.5)}),
        DISK,
        Ellipse({x: 0.1, y: 0}, (0.9, 0.3), angle=0.5),
        SQUARE - DISK,
        DISK | Disk({x: 0.5, y: 0}, radius=0.3),
        DISK & Disk({x: 0.5, y: 0}, radius=0.3),
    ],
    ids=str,
)
def test_membership(domain):
    many = 2 * np.random.default_rng(1).random((500, 2)) - 1
    inside = sympy.lambdify([x, y], membership(domain), "numpy")(*many.T)
    np.testing.assert_array_equal(inside, domain.contains(many))


def test_membership_of_a_product():
    many = 2 * np.random.default_rng(1).random((500, 3)) - 1
    domain = DISK * Interval(t, 0, 1)
    inside = sympy.lambdify([x, y, t], membership(domain), "numpy")(*many.T)
    np.testing.assert_array_equal(inside, domain.contains(many))
