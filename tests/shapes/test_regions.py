"""Regions: coefficients of their own, tied where they meet."""

import pickle

import numpy as np
import pytest
import sympy

import piscm
from piscm import (
    PISC3,
    Box,
    Condition,
    Disk,
    Observations,
    Problem,
    ProblemError,
    Rectangle,
    Region,
    Sampling,
    Windows,
    coordinates,
    field,
    integral,
    normal_derivative,
    solve,
    unknown,
    zoo,
)
from piscm.text.document import problem_from_document, problem_to_document

x, y, z, k = coordinates("x y z k")
u = field("u", x)
LEFT, RIGHT = Box({x: (0, 1)}), Box({x: (1, 2)})
FLOW = [(k * u.diff(x)).diff(x) + 1]


def rods(left=1, right=4, **options):
    """``k u'' = -1`` with u = 0 at both ends."""
    return Problem(
        regions=[Region(LEFT, {k: left}, name="left"), Region(RIGHT, {k: right}, name="right")],
        equations=FLOW,
        conditions=[Condition(u, on="boundary")],
        **options,
    )


def test_rod_and_its_flux():
    benchmark = zoo.load("conduction-rod")
    solution = solve(benchmark.problem)
    assert solution.status.ok
    assert benchmark.relative_error(solution) < 1e-9
    at = np.linspace(0, 2, 41)
    flux = solution(k * field("u", x).diff(x), x=at)
    assert np.ptp(flux - np.cos(3 * at) / 3) < 1e-8
    assert solution.error_estimate.by_field.keys() == {"u"}


def test_given_jumps():
    solution = solve(rods(1, 1, interface={u: 0.5, k * normal_derivative(u): -2}))
    at = np.array([1 - 1e-12, 1 + 1e-7])
    assert np.diff(solution(x=at)) == pytest.approx(0.5, abs=1e-5)
    assert np.diff(solution(u.diff(x), x=at)) == pytest.approx(-2, abs=1e-5)


def test_what_is_tied_is_shown():
    assert "u_right(x) = 0 on the interface of left and right" in repr(rods())


def test_varying_coefficient():
    """``((1 + x) u')' = 0`` beside ``u'' = 0``: the logarithm, then a line."""
    c = field("c", x)
    problem = Problem(
        regions=[Region(LEFT, {c: 1 + x}), Region(RIGHT, {c: 2})],
        equations=[(c * u.diff(x)).diff(x)],
        conditions=[Condition(u, on={x: 0}), Condition(c * u.diff(x) - 1, on={x: 2})],
    )
    solution = solve(problem)
    assert float(solution(x=1.0)) == pytest.approx(np.log(2), abs=1e-8)
    assert float(solution(x=2.0)) == pytest.approx(np.log(2) + 0.5, abs=1e-8)


def test_unknown_of_one_region():
    a = unknown("a")
    truth = solve(rods(1, 3))
    points = np.linspace(0.1, 1.9, 12)[:, None]
    data = Observations(u, points, truth(x=points[:, 0]))
    problem = rods(1, a, unknowns={a: 1.0}, observations=[data])
    found = solve(problem).unknowns["a"]
    assert found.value == pytest.approx(3, rel=1e-5)


def test_saved_pickled_and_written(tmp_path):
    solution = solve(rods())
    at = np.linspace(0, 2, 7)
    solution.save(tmp_path / "rods.npz")
    assert np.array_equal(piscm.load(tmp_path / "rods.npz")(x=at), solution(x=at))
    assert np.array_equal(pickle.loads(pickle.dumps(solution))(x=at), solution(x=at))
    document = problem_to_document(rods(interface=[u, k * normal_derivative(u)]))
    assert repr(problem_from_document(document)) == repr(
        rods(interface=[u, k * normal_derivative(u)])
    )


def test_integrals_and_residuals():
    problem = Problem(
        regions=[Region(LEFT, {k: 1}), Region(RIGHT, {k: 1})],
        equations=[(k * u.diff(x)).diff(x)],
        conditions=[
            Condition(u, on={x: 0}),
            Condition(integral(u, over=LEFT) + integral(u, over=RIGHT) - 2),
        ],
    )
    solution = solve(problem)
    assert float(solution(x=2.0)) == pytest.approx(2, abs=1e-8)
    assert float(solution.integral(u)) == pytest.approx(2, abs=1e-8)
    assert np.abs(solution.residual(points=[[0.5], [1.5]])).max() < 1e-6


def layers_in_time(right=4, **options):
    """The slowest mode of heat in two rods: exp(-rate**2 t) times a sine in each."""
    t, start = coordinates("t"), coordinates("start")
    v, rate = field("v", x, t), 2.3005239830219515
    factor = np.sin(rate) / np.sin(rate / 2)
    first, second = sympy.sin(rate * x), factor * sympy.sin(rate * (2 - x) / 2)
    problem = Problem(
        regions=[
            Region(Box({x: (0, 1), t: (0, 1)}), {k: 1, start: first}),
            Region(Box({x: (1, 2), t: (0, 1)}), {k: right, start: second}),
        ],
        equations=[v.diff(t) - (k * v.diff(x)).diff(x)],
        conditions=[
            Condition(v, on={x: 0}),
            Condition(v, on={x: 2}),
            Condition(v - start, on={t: 0}),
        ],
        **options,
    )
    at = np.linspace(0, 2, 41)
    exact = np.where(at <= 1, np.sin(rate * at), factor * np.sin(rate * (2 - at) / 2))
    return problem, at, np.exp(-(rate**2) * 0.5) * exact


def test_regions_in_time():
    problem, at, exact = layers_in_time()
    each = PISC3(max_nodes=80, selection="orthogonal", tolerance=1e-4)
    for method in (None, Windows(problem.domain.coordinates[1], 2, method=each)):
        solution = solve(problem, method, tol=None if method else 1e-4)
        assert solution.status.ok
        assert np.abs(solution(x=at, t=0.5) - exact).max() < 1e-3 * exact.max()


def test_points_lie_on_the_interface():
    disk = Disk({x: 0, y: 0}, 0.4)
    plate = Rectangle({x: (-1, 1), y: (-1, 1)}) - disk
    v = field("v", x, y)
    problem = Problem(
        regions=[Region(plate, {k: 1}), Region(disk, {k: 2})],
        equations=[(k * v.diff(x)).diff(x) + (k * v.diff(y)).diff(y)],
        conditions=[Condition(v, on="boundary")],
    )
    mosaic = problem.domain
    assert mosaic.interfaces == ((0, 1),)
    rng = np.random.default_rng(0)
    points, normals = mosaic.interface(0, 1).drawn(plate, 50, lambda n, d: rng.random((n, d)))
    assert np.allclose(np.hypot(*points.T), 0.4)
    assert np.allclose(normals, -points / 0.4)
    outer, _ = mosaic.sample_boundary(40, lambda n, d: rng.random((n, d)))
    assert np.abs(outer).max(axis=1) == pytest.approx(1.0)
    assert len(problem.conditions) == 3  # the rim, and two for the interface


@pytest.mark.parametrize(
    ("regions", "message"),
    [
        ([Region(Box({x: (0, 1.2)}), {k: 1}), Region(RIGHT, {k: 2})], r"overlap, for instance at"),
        ([Region(LEFT, {k: 1}), Region(Box({x: (1.1, 2)}), {k: 2})], "no boundary in common"),
        ([Region(LEFT, {k: 1}), Region(RIGHT)], "region 2 has no value for k"),
        ([Region(LEFT, {k: 1 + x}), Region(RIGHT, {k: 1})], r"k = field\('k', x\)"),
        ([Region(LEFT, {k: 1})], "fewer than two"),
        ([Region(LEFT, {k: 1}, name="a"), Region(RIGHT, {k: 1}, name="a")], "the name 'a'"),
    ],
)
def test_bad_regions(regions, message):
    with pytest.raises(ProblemError, match=message):
        Problem(regions=regions, equations=FLOW, conditions=[Condition(u, on="boundary")])


def test_what_is_continuous_must_be_clear():
    with pytest.raises(ProblemError, match="interface="):
        Problem(
            regions=[Region(LEFT, {k: 1}), Region(RIGHT, {k: 2})],
            equations=[k * u.diff(x, 3)],
            conditions=[Condition(u, on="boundary")],
        )
    c = field("c", x)
    with pytest.raises(ProblemError, match="not of the form"):
        Problem(
            regions=[Region(LEFT, {c: 1}), Region(RIGHT, {c: 2})],
            equations=[c * u.diff(x, 2) - c.diff(x) * u.diff(x)],
            conditions=[Condition(u, on="boundary")],
        )


def test_a_piecewise_coefficient_is_told_about_regions():
    jumping = sympy.Piecewise((1, x < 1), (2, True))
    problem = Problem(
        Box({x: (0, 2)}), [(jumping * u.diff(x)).diff(x) + 1], [Condition(u, on="boundary")]
    )
    with pytest.raises(ProblemError, match=r"Problem\(regions="):
        solve(problem)


def test_steep_nodes_are_put_where_the_residual_is_in_every_region():
    disk = Disk({x: 0, y: 0}, 0.5, name="rim")
    plate = Rectangle({x: (-1, 1), y: (-1, 1)}) - disk
    v = field("v", x, y)
    problem = Problem(
        regions=[Region(plate, {k: 1}, singular={}), Region(disk, {k: 3}, singular={})],
        equations=[(k * v.diff(x)).diff(x) + (k * v.diff(y)).diff(y)],
        conditions=[Condition(v - x, on="boundary")],
    )
    method = PISC3(max_nodes=30, selection="orthogonal", candidates=60, activation="tanh")
    found = solve(problem, method, sampling=Sampling(interior=150, boundary=40))
    assert found.residual < 0.5 * float(found.history["residual"][0])


def test_in_three_dimensions():
    lower = Box({x: (0, 1), y: (0, 1), z: (0, 0.4)})
    upper = Box({x: (0, 1), y: (0, 1), z: (0.4, 1)})
    v = field("v", x, y, z)
    problem = Problem(
        regions=[Region(lower, {k: 1}, name="lower"), Region(upper, {k: 4}, name="upper")],
        equations=[sum((k * v.diff(s)).diff(s) for s in (x, y, z))],
        conditions=[
            Condition(v, on={z: 0}),
            Condition(v - 1, on={z: 1}),
            Condition(normal_derivative(v), on=[{x: 0}, {x: 1}, {y: 0}, {y: 1}]),
        ],
    )
    solution = solve(problem, tol=1e-4, max_seconds=100)
    # The flux q is the same everywhere: 0.4 q + 0.6 q / 4 = 1.
    flux = 1 / (0.4 + 0.15)
    assert float(solution(x=0.3, y=0.6, z=0.4)) == pytest.approx(0.4 * flux, rel=1e-4)
    both = solution(k * v.diff(z), x=0.5, y=0.5, z=np.array([0.2, 0.7]))
    assert both == pytest.approx([flux, flux], rel=1e-3)


def test_a_beam_whose_stiffness_and_load_jump():
    x, stiff, load = coordinates("x stiff load")
    w = field("w", x)
    left, right = Box({x: (0, 1)}), Box({x: (1, 2)})
    cantilever = Problem(
        regions=[Region(left, {stiff: 1, load: 0}), Region(right, {stiff: 3, load: 6})],
        equations=[(stiff * w.diff(x, 2)).diff(x, 2) - load],
        conditions=[
            Condition(w, on={x: 0}),
            Condition(w.diff(x), on={x: 0}),
            Condition(w.diff(x, 2), on={x: 2}),
            Condition(w.diff(x, 3), on={x: 2}),
        ],
    )
    solution = solve(cantilever)
    # The moment is 3 (2 - x)^2 beyond 1, and has the slope -6 before: 9 - 6x.
    z = np.array([0.0, 0.5, 1.0])
    before = 9 * z**2 / 2 - z**3
    after = 7 / 2 + 6 * z + z**2 / 2 - z**3 / 3 + z**4 / 12
    assert solution.status.ok
    assert np.abs(solution(x=z) - before).max() < 1e-6
    assert np.abs(solution(x=1 + z[1:]) - after[1:]).max() < 1e-6


def test_a_source_that_jumps_in_an_equation_of_first_order():
    x, source = coordinates("x source")
    u = field("u", x)
    problem = Problem(
        regions=[Region(Box({x: (0, 1)}), {source: 0}), Region(Box({x: (1, 2)}), {source: 1})],
        equations=[u.diff(x) + u - source],
        conditions=[Condition(u - 1, on={x: 0})],
    )
    solution = solve(problem)
    assert solution.status.ok
    assert float(solution(x=2)) == pytest.approx(np.exp(-2) + 1 - np.exp(-1), abs=1e-6)


def test_a_value_with_coordinates_is_a_function_in_files(tmp_path):
    path = tmp_path / "rods.toml"
    path.write_text("""
equations = ["diff(k*u_x, x) + 1 = 0"]
conditions = ["u = 0 on boundary"]
region = [
    {name = "copper", domain = {x = [0, 1]}, values = {k = 4}},
    {name = "steel", domain = {x = [1, 2]}, values = {k = "1 + x"}},
]
""")
    problem = Problem.from_file(path)
    assert Problem.from_file(_written(problem, tmp_path)).to_toml() == problem.to_toml()
    solution = solve(problem, max_seconds=60)
    # -k u' = x - c on both sides, and u(2) = 0
    c = (0.125 + (1 - np.log(1.5))) / (0.25 + np.log(1.5))
    assert float(solution(x=1.0)) == pytest.approx(c / 4 - 0.125, rel=1e-6)


def _written(problem, folder):
    problem.to_toml(folder / "again.toml")
    return folder / "again.toml"
