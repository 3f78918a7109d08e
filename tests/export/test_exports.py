"""A solution in other forms: each gives the same numbers."""

import ctypes
import math
import pickle
import shutil
import subprocess
import sys

import numpy as np
import pytest
import sympy
from onnx.reference import ReferenceEvaluator

from piscm import (
    PISC3,
    Auto,
    Box,
    Condition,
    Disk,
    Observations,
    Problem,
    ProblemError,
    Sampling,
    Windows,
    coordinates,
    field,
    solve,
    unknown,
)
from piscm.export.vtk import write_vtk

x, t = coordinates("x t")
u, v = field("u", x, t), field("v", t)
k = unknown("k")


def heat(activation="sin", method=None, **options):
    problem = Problem(
        Box({x: (0, 1), t: (0, 1)}),
        [u.diff(t) - u.diff(x, 2) / 9 + u * v, v.diff(t) + v],
        [
            Condition(u - sympy.sin(3 * x), on={t: 0}),
            Condition(u, on={x: 0}),
            Condition(v - 1, on={t: 0}),
        ],
    )
    chosen = method or PISC3(max_nodes=12, scale=3.0, activation=activation, candidates=5)
    return solve(problem, chosen, sampling=Sampling(60, 12), **options)


@pytest.fixture(scope="module")
def grown():
    """One network, with starting values."""
    return heat(initial={u: sympy.sin(3 * x) * sympy.exp(-t), v: 1 - t})


@pytest.fixture(scope="module")
def marched():
    """Three windows of a few nodes."""
    each = PISC3(max_nodes=8, scale=3.0, candidates=5)
    return heat(method=Windows(t, 3, method=each))


@pytest.fixture(scope="module")
def measured():
    """An inverse problem, with error bars."""
    at = np.linspace(0, 1, 30)
    rng = np.random.default_rng(0)
    w = field("w", t)
    data = Observations(w, points=at, values=np.exp(-2 * at) + 0.01 * rng.normal(size=30))
    problem = Problem(
        Box({t: (0, 1)}), [w.diff(t) + k * w], [Condition(w - 1, on={t: 0})], {k: 1.0}, [data]
    )
    return solve(problem, Auto(tolerance=1e-4), max_seconds=60)


RNG = np.random.default_rng(1)
POINTS = np.concatenate([RNG.random((20, 2)), [[0, 0], [1, 1], [0.5, 1 / 3], [0.5, 2 / 3]]])


def everywhere(solution, name):
    return solution(name, x=POINTS[:, 0], t=POINTS[:, 1])


@pytest.mark.parametrize("which", ["grown", "marched"])
def test_the_formula(which, request):
    solution = request.getfixturevalue(which)
    made = solution.to_sympy()
    assert list(made) == ["u", "v"]
    for name, expression in made.items():
        function = sympy.lambdify([x, t], expression, "numpy")
        np.testing.assert_allclose(function(*POINTS.T), everywhere(solution, name), atol=1e-9)
    slope = sympy.lambdify([x, t], made["u"].diff(x), "numpy")
    np.testing.assert_allclose(slope(*POINTS.T), everywhere(solution, "u_x"), atol=1e-7)


def module(source):
    names = {}
    exec(compile(source, "exported.py", "exec"), names)
    return names


NAMES = ["u", "u_x", "u_t", "u_xx", "u_xt", "u_tt", "v", "v_t", "v_tt"]


@pytest.mark.parametrize("which", ["grown", "marched", "tanh", "sigmoid", "gaussian"])
def test_python_source(which, request):
    made_here = which in ("tanh", "sigmoid", "gaussian")
    solution = heat(which) if made_here else request.getfixturevalue(which)
    source = solution.to_function()
    assert [line for line in source.splitlines() if "import" in line] == ["import math"]
    names = module(source)
    for name in NAMES:
        values = [names[name](*point) for point in POINTS.tolist()]
        np.testing.assert_allclose(values, everywhere(solution, name), rtol=1e-8, atol=1e-8)
    assert math.isnan(names["u"](2.0, 0.5))
    assert "u_xxx" not in names


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no compiler")
@pytest.mark.parametrize("which", ["grown", "marched", "tanh", "sigmoid", "gaussian"])
def test_c_source(which, request, tmp_path):
    made_here = which in ("tanh", "sigmoid", "gaussian")
    solution = heat(which) if made_here else request.getfixturevalue(which)
    path, library = tmp_path / "plant.c", tmp_path / "plant.so"
    assert solution.to_function("C", path=path, name="plant") == path.read_text()
    strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1"]
    command = ["cc", *strict, "-shared", "-fPIC", str(path), "-o", str(library), "-lm"]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    loaded = ctypes.CDLL(str(library))
    for name in NAMES:
        function = getattr(loaded, f"plant_{name}")
        function.restype, function.argtypes = ctypes.c_double, [ctypes.c_double] * 2
        values = [function(*point) for point in POINTS.tolist()]
        np.testing.assert_allclose(values, everywhere(solution, name), rtol=1e-8, atol=1e-8)
    assert math.isnan(function(2.0, 0.5))


@pytest.mark.parametrize("which", ["grown", "marched", "tanh", "sigmoid", "gaussian"])
def test_onnx(which, request, tmp_path):
    made_here = which in ("tanh", "sigmoid", "gaussian")
    solution = heat(which) if made_here else request.getfixturevalue(which)
    solution.to_onnx(tmp_path / "u.onnx")
    model = ReferenceEvaluator(str(tmp_path / "u.onnx"))
    assert model.input_names == ["x", "t"]
    assert sorted(model.output_names) == sorted(NAMES)
    found = model.run(NAMES, dict(zip("xt", POINTS.T, strict=True)))
    for name, values in zip(NAMES, found, strict=True):
        np.testing.assert_allclose(values, everywhere(solution, name), rtol=1e-8, atol=1e-8)
    assert np.isnan(model.run(["u"], {"x": np.array([2.0]), "t": np.array([0.5])})[0])


def test_onnx_names_its_extra(grown, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r"piscm\[onnx\]"):
        grown.to_onnx(tmp_path / "u.onnx")
    assert not (tmp_path / "u.onnx").exists()


def test_onnx_of_a_starting_value(tmp_path):
    w = field("w", t)
    start = sympy.Piecewise((sympy.Max(t, 0.3), t < 0.5), (sympy.Abs(t - 2), True))
    found = solve(
        Problem(Box({t: (0, 1)}), [w.diff(t) + w], [Condition(w - 1, on={t: 0})]),
        PISC3(max_nodes=3, scale=1.0, candidates=3),
        initial={w: start},
    )
    found.to_onnx(tmp_path / "w.onnx", derivatives=0)
    at = np.linspace(0, 1, 11)
    (values,) = ReferenceEvaluator(str(tmp_path / "w.onnx")).run(None, {"t": at})
    np.testing.assert_allclose(values, found(at), atol=1e-12)


def test_unknowns_are_in_the_source(measured, tmp_path):
    assert module(measured.to_function())["k"] == measured.unknowns["k"].value
    assert f"const double piscm_k = {measured.unknowns['k'].value!r};" in measured.to_function("c")


def test_what_was_not_solved_is_nan_in_every_form(tmp_path):
    w = field("w", t)
    problem = Problem(
        Box({t: (0, 2)}), [w.diff(t) - w**2], [Condition(w - 1, on={t: 0})]
    )  # infinite at 1
    each = PISC3(max_nodes=10, scale=3.0, candidates=5, tolerance=1e-3)
    solution = solve(problem, Windows(t, 4, method=each), callback=_after_a_window)
    if solution.network.solved_everywhere:
        pytest.skip("it was not stopped in time")
    beyond = 1.99
    assert np.isnan(solution(beyond))
    assert math.isnan(module(solution.to_function())["w"](beyond))
    assert solution.to_sympy().subs(t, beyond) is sympy.nan
    solution.to_onnx(tmp_path / "w.onnx")
    (values,) = ReferenceEvaluator(str(tmp_path / "w.onnx")).run(["w"], {"t": np.array([beyond])})
    assert np.isnan(values)


def _after_a_window(progress):
    return progress.windows >= 1


def test_bad_exports_are_refused(grown, refused):
    refused(lambda: grown.to_function("fortran"), "language='fortran'")
    refused(lambda: grown.to_function(derivatives=-1), "derivatives=-1")
    refused(lambda: grown.to_onnx("u.onnx", derivatives=-1), "derivatives=-1")
    refused(lambda: grown.to_function("c", name="double"), "name='double'")


# --- arrays and tables ------------------------------------------------------------------------


def test_all_fields_at_once(grown):
    made = grown.to_xarray(x=[0.0, 0.5], t=[0.0, 0.5, 1.0])
    assert set(made.data_vars) == {"u", "v"}
    assert made["u"].dims == ("x", "t")
    assert float(made["u"].sel(x=0.5, t=1.0)) == pytest.approx(float(grown("u", 0.5, 1.0)))
    assert grown.to_xarray().sizes == {"x": 101, "t": 101}
    assert grown.to_xarray("u_x", x=[0.5]).sizes == {"x": 1, "t": 201}


def test_error_bars_come_along(measured, tmp_path):
    made = measured.to_xarray(t=[0.2, 0.4])
    assert set(made.data_vars) == {"w", "w_std"}
    np.testing.assert_array_equal(made["w_std"], measured.std(t=[0.2, 0.4]))
    assert made.attrs["k"] == measured.unknowns["k"].value
    made.to_netcdf(tmp_path / "w.nc")
    frame = measured.to_dataframe(["w_t"], t=[0.2, 0.4])
    assert list(frame.columns) == ["t", "w", "w_std", "w_t"]
    np.testing.assert_array_equal(frame["w_t"], measured("w_t", [0.2, 0.4]))


def test_a_table_of_points_is_matched_by_name(grown, refused):
    import pandas

    swapped = pandas.DataFrame({"t": [0.25], "x": [0.75], "label": ["a"]})
    made = grown.to_dataframe(points=swapped)
    assert made["u"][0] == pytest.approx(float(grown("u", x=0.75, t=0.25)))
    refused(lambda: grown.to_dataframe(points=swapped.rename(columns={"x": "X"})), "column 'x'")
    refused(lambda: grown.to_dataframe(points=swapped, x=[0.0]), "not both")


def test_a_forward_problem_has_its_estimated_error_as_a_band():
    problem = Problem(Box({t: (0, 1)}), [v.diff(t) + v], [Condition(v - 1, on={t: 0})])
    solution = solve(problem)
    made = solution.to_xarray()
    assert list(made) == ["v", "v_error"]
    assert made.v.attrs["estimated_error"] == solution.error_estimate.by_field["v"]
    np.testing.assert_array_equal(made.v_error, solution.error_at(made.t.values))


def test_vtk(grown, tmp_path, refused):
    import meshio

    grown.to_vtk(tmp_path / "u.vtu", x=np.linspace(0, 1, 5), t=np.linspace(0, 1, 4))
    made = meshio.read(tmp_path / "u.vtu")
    assert made.cells_dict["quad"].shape == (12, 4)
    values = grown("u", made.points[:, 0], made.points[:, 1])
    np.testing.assert_allclose(made.point_data["u"], values, rtol=1e-9)
    grown.to_vtk(tmp_path / "s.pvd", time="t", t=[0.0, 0.5], x=np.linspace(0, 1, 5))
    assert 'timestep="0.5"' in (tmp_path / "s.pvd").read_text()
    made = meshio.read(tmp_path / "s-0001.vtu")
    np.testing.assert_allclose(made.point_data["u"], grown("u", made.points[:, 0], 0.5), rtol=1e-9)
    refused(lambda: grown.to_vtk(tmp_path / "s.vtu", time="t"), ".pvd")


def test_vtk_has_the_cells_inside_a_shape_only(tmp_path):
    import meshio

    w = field("w", x, t)
    disk = Disk({x: 0, t: 0}, 1)
    problem = Problem(disk, [w.diff(x, 2) + w.diff(t, 2)], [Condition(w - x, on="boundary")])
    solution = solve(problem, PISC3(max_nodes=3, scale=2.0), sampling=Sampling(60, 30))
    solution.to_vtk(tmp_path / "w.vtu")
    made = meshio.read(tmp_path / "w.vtu")
    corners = made.points[np.unique(made.cells_dict["quad"])]
    assert np.all(np.hypot(corners[:, 0], corners[:, 1]) <= 1 + 1e-9)
    area = len(made.cells_dict["quad"]) * 0.02**2
    assert math.pi * 0.95 < area < math.pi
    frame = solution.to_dataframe()
    assert np.isfinite(frame["w"]).all()
    assert np.isnan(solution.to_xarray()["w"]).any()


def test_vtk_without_standard_errors_that_are_not_known(tmp_path):
    import meshio

    axes = {"x": np.arange(3.0), "y": np.arange(4.0)}
    inside = np.ones((3, 4))
    inside[0, 0] = np.nan
    values = {"u": inside, "u_std": np.full((3, 4), np.nan)}
    write_vtk(tmp_path / "u.vtu", axes, values)
    made = meshio.read(tmp_path / "u.vtu")
    assert list(made.point_data) == ["u"]
    assert len(made.cells_dict["quad"]) == 5
    with pytest.raises(ProblemError, match="No cell"):
        write_vtk(tmp_path / "u.vtu", axes, {"u": values["u_std"]})


def test_pickles(measured):
    again = pickle.loads(pickle.dumps(measured))
    assert again(0.5) == measured(0.5)
    function = pickle.loads(pickle.dumps(measured.as_function("w")))
    assert function(0.5) == measured(0.5)


def test_a_network_of_several_layers_has_no_formula(refused, grown):
    from dataclasses import replace

    class Other:
        pass

    with pytest.raises(ProblemError, match="no sum of nodes"):
        replace(grown, network=Other()).to_sympy()
