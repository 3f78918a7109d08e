"""Coefficients, sources and initial values given as numbers."""

import pickle

import numpy as np
import pytest
import sympy

import piscm
from piscm import (
    Box,
    Condition,
    Disk,
    Problem,
    ProblemError,
    Region,
    coordinates,
    field,
    sampled,
    solve,
)

x, y, t = coordinates("x y t")
u = field("u", x, y)
GRID = np.linspace(0, 1, 33)
FORMULA = 1 + sympy.sin(2 * x + y) / 2
EXACT = sympy.exp(x) * sympy.sin(2 * y)
SQUARE = Box({x: (0, 1), y: (0, 1)})
CLOSE = np.vstack([np.random.default_rng(0).random((30, 2)), [0, 0], [1e-300, 0]]).T


def conductivity(a, b):
    return 1 + 0.5 * np.sin(2 * a + b)


def on_grid(**options):
    values = conductivity(*np.meshgrid(GRID, GRID, indexing="ij"))
    return sampled("k", {x: GRID, y: GRID}, values, **options)


def scattered(count=400):
    points = np.random.default_rng(0).random((count, 2)).T
    return sampled("k", {x: points[0], y: points[1]}, conductivity(*points))


def conduction(k, domain=SQUARE):
    """A manufactured problem for the formula, with another form of the coefficient."""
    source = sum((FORMULA * EXACT.diff(s)).diff(s) for s in (x, y))
    equation = sum((k * u.diff(s)).diff(s) for s in (x, y)) - source
    return Problem(domain, [equation], [Condition(u - EXACT, on="boundary")])


def error(solution):
    at = np.random.default_rng(1).random((2, 500)) * 0.7
    found = solution(x=at[0], y=at[1])
    true = sympy.lambdify((x, y), EXACT)(*at)
    return np.linalg.norm(found - true) / np.linalg.norm(true)


@pytest.mark.parametrize(
    ("make", "bar"),
    [
        (on_grid, 1e-9),
        (lambda: sampled("k", {x: (0, 1), y: (0, 1)}, conductivity), 1e-9),
        (scattered, 1e-5),
    ],
    ids=["grid", "function", "scattered"],
)
def test_the_same_solution_as_with_the_formula(make, bar):
    solution = solve(conduction(make()), max_seconds=60)
    assert solution.status.ok
    assert error(solution) < bar


def test_derivatives_are_those_of_the_function():
    k, step = on_grid(), 1e-5
    at = np.random.default_rng(0).uniform(0.1, 0.9, (20, 2))
    for by, exact in (((x,), np.cos(2 * at[:, 0] + at[:, 1])), ((x, y), None)):
        derivative = k.diff(*by)
        found = derivative.samples.evaluate(*at.T, *derivative.orders)
        if exact is not None:
            assert np.allclose(found, exact, atol=1e-6)
        inner = k.diff(*by[:-1]) if len(by) > 1 else k
        ahead, behind = (
            inner.samples.evaluate(
                *(at + sign * step * np.array([by[-1] == x, by[-1] == y])).T, *inner.orders
            )
            for sign in (1, -1)
        )
        assert np.allclose(found, (ahead - behind) / (2 * step), atol=1e-5)


def test_the_chain_rule():
    k = sampled("k", {x: (0, 2)}, np.exp)
    inside = k.subs(x, x**2)
    value = inside.diff(x).subs(x, sympy.Float(0.7)).evalf()
    assert float(value) == pytest.approx(1.4 * np.exp(0.49), rel=1e-9)


def test_a_source_an_initial_value_and_a_start():
    w = field("w", x, t)
    profile = sampled("w0", {x: np.linspace(0, 1, 41)}, np.sin(np.pi * np.linspace(0, 1, 41)))
    heat = Problem(
        Box({x: (0, 1), t: (0, 0.2)}),
        [w.diff(t) - w.diff(x, 2)],
        [Condition(w - profile, on={t: 0}), Condition(w, on=[{x: 0}, {x: 1}])],
    )
    solution = solve(heat, initial={w: profile}, tol=1e-5, max_seconds=60)
    assert solution.status.ok
    exact = np.exp(-(np.pi**2) * 0.2) * np.sin(np.pi * 0.3)
    assert float(solution(x=0.3, t=0.2)) == pytest.approx(exact, rel=1e-4)


def test_saved_pickled_and_written(tmp_path):
    problem = conduction(scattered(100))
    solution = solve(problem, piscm.PISC3(max_nodes=20, scale=3.0))
    solution.save(tmp_path / "k.npz")
    for again in (piscm.load(tmp_path / "k.npz"), pickle.loads(pickle.dumps(solution))):
        assert again(x=0.3, y=0.4) == solution(x=0.3, y=0.4)
        assert again("k*u_x", 0.3, 0.4) == solution("k*u_x", 0.3, 0.4)
    problem.to_toml(tmp_path / "k.toml")
    assert Problem.from_file(tmp_path / "k.toml").equations == problem.equations


def test_elsewhere_it_is_written_with_its_orders(tmp_path):
    k = on_grid().subs(x, 1 - x)
    problem = conduction(k)
    assert "k(1 - x, y, 1, 0)" in problem.to_toml()
    problem.to_toml(tmp_path / "k.toml")
    assert Problem.from_file(tmp_path / "k.toml").equations == problem.equations


def test_samples_along_one_coordinate_may_be_as_close_as_they_are():
    fine = np.geomspace(1e-15, 1, 400)
    made = sampled("k", {x: fine}, fine**2)
    assert float(made.samples.evaluate(0.5, 0)) == pytest.approx(0.25, abs=1e-6)


def test_scattered_samples_of_a_constant():
    """All differences are round-off; relative to their range they were called rough."""
    points = np.random.default_rng(0).random((60, 2)).T
    flat = sampled("k", {x: points[0], y: points[1]}, np.full(60, 3e5))
    assert float(flat.samples.evaluate(0.4, 0.3, 0, 0)) == pytest.approx(3e5)


@pytest.mark.parametrize("kind", ["grid", "scattered"])
def test_a_table_beside_a_problem_file(tmp_path, kind):
    points = np.stack(np.meshgrid(GRID[::2], GRID[::2]), -1).reshape(-1, 2)
    if kind == "scattered":
        points = np.random.default_rng(0).random((300, 2))
    rows = "\n".join(f"{a!r},{b!r},{float(conductivity(a, b))!r}" for a, b in points.tolist())
    (tmp_path / "soil.csv").write_text(f"x,y,k\n{rows}\n")
    (tmp_path / "soil.toml").write_text(
        'equations = ["diff(k*u_x, x) + diff(k*u_y, y) + 1"]\nconditions = ["u = 0 on boundary"]\n'
        '[domain]\nx = [0, 1]\ny = [0, 1]\n[samples]\nk = {file = "soil.csv"}\n'
    )
    problem = Problem.from_file(tmp_path / "soil.toml")
    k = problem.samples["k"].samples
    assert bool(len(k.scattered)) == (kind == "scattered")
    assert float(k.evaluate(0.4, 0.3, 0, 0)) == pytest.approx(conductivity(0.4, 0.3), abs=1e-4)


def test_mistakes_in_a_problem_file_say_where(tmp_path):
    (tmp_path / "p.toml").write_text(
        'equations = ["k*u_xx + 1"]\nconditions = ["u = 0 on boundary"]\n[domain]\nx = [0, 1]\n'
        "[samples]\nk = {axes = [[0, 1, 2]], value = [1, 2, 3]}\n"
    )
    with pytest.raises(ProblemError, match=r"line 6.*'value' \(did you mean 'values'\?\)"):
        Problem.from_file(tmp_path / "p.toml")


def test_in_a_region_and_on_a_shape():
    v = field("v", x)
    c = sympy.Function("c", real=True)(x)
    left = sampled("c_left", {x: (0, 0.5)}, lambda a: 1 + a)
    rod = Problem(
        regions=[Region(Box({x: (0, 0.5)}), {c: left}), Region(Box({x: (0.5, 1)}), {c: 2})],
        equations=[(c * v.diff(x)).diff(x)],
        conditions=[Condition(v, on={x: 0}), Condition(v - 1, on={x: 1})],
    )
    # The flux q is constant: v rises by q*log(1.5) on the left, by q/4 on the right.
    middle = np.log(1.5) / (np.log(1.5) + 0.25)
    assert float(solve(rod)(x=0.5)) == pytest.approx(middle, rel=1e-6)
    disk = conduction(on_grid(), Disk({x: 0.5, y: 0.5}, 0.4))
    assert disk.samples["k"] == on_grid()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: sampled("k", {x: GRID}, np.sign(GRID - 0.4)),
            r"too rough: near x = 0\.4.*regions",
        ),
        (
            lambda: sampled("k", {x: GRID, y: GRID}, GRID),
            "33 scattered samples of k are too few, or lie on one curve .* at least 6 that spread",
        ),
        (
            lambda: sampled("k", {x: GRID, y: np.sqrt(2 - GRID**2)}, GRID),
            r"lie on one curve \(a line, a circle\)",
        ),
        (
            lambda: sampled("k", dict(zip((x, y), CLOSE, strict=True)), CLOSE[0]),
            "k has two samples at x = 1e-300, y = 0; keep one",
        ),
        (lambda: sampled("k", {x: [0, 1], y: [0, 1]}, [1, 2]), "2 scattered samples of k are too"),
        (
            lambda: sampled("k", {x: GRID}, np.random.default_rng(0).random(33)),
            "too rough: near x = ",
        ),
        (
            lambda: sampled("k", {x: (0, 1)}, lambda a: np.sign(a - 0.4)),
            r"too rough: near x = 0\.[34]",
        ),
        (lambda: sampled("k", {x: (0, 1)}, lambda a: 1 / (a - 0.5)), r"not finite at x = 0\.5"),
        (lambda: sampled("k", {x: (0, 1)}, lambda a: "no"), "The function k failed"),
        (lambda: sampled("k", {x: (0, 1)}, lambda a: 1 / 0), "The function k failed"),
        (
            lambda: sampled("k", {x: GRID, y: GRID}, np.ones((33, 4))),
            r"shape \(33, 4\).*\(33, 33\)",
        ),
        (lambda: sampled("k", {x: [0, 2, 1]}, np.ones((3, 1))), "shape"),
        (lambda: sampled("k", {x: [0, 2, 1], y: [0, 1]}, np.ones((3, 2))), "2 is followed by 1"),
        (lambda: sampled("k", {x: [0, 1, 1]}, [1, 2, 3]), "two samples at x = 1"),
        (lambda: sampled("k", {x: [0, np.nan, 1]}, [1, 2, 3]), "NaN"),
        (lambda: sampled("k", {x: GRID}, GRID, degree=0), "degree=0"),
        (lambda: sampled("sin", {x: GRID}, GRID), "known function"),
        (lambda: sampled("k", {x: GRID}, lambda a: a), "low, high"),
        (lambda: sampled("k", "x", GRID), "map coordinates"),
    ],
)
def test_bad_samples(make, message):
    with pytest.raises(ProblemError, match=message):
        make()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: conduction(on_grid(degree=1)), "differentiates k once by .* degree=2"),
        (
            lambda: conduction(sampled("k", {x: (0, 0.5), y: (0, 1)}, conductivity)),
            "sampled for x from 0 to 0.5, and the domain reaches from 0 to 1",
        ),
        (lambda: conduction(on_grid().subs(x, u)), "holds a field"),
        (
            lambda: conduction(on_grid() + sampled("k", {x: GRID}, GRID)),
            "Two different sampled functions",
        ),
        (lambda: conduction(sampled("u", {x: GRID}, GRID)), "something else too"),
    ],
)
def test_bad_uses(make, message):
    with pytest.raises(ProblemError, match=message):
        make()


def test_samples_must_be_near_the_domain():
    points = np.random.default_rng(0).random((2, 500))
    ring = points[:, np.hypot(*(points - 0.5)) > 0.3]
    k = sampled("k", {x: ring[0], y: ring[1]}, conductivity(*ring))
    with pytest.raises(ProblemError, match=r"no sample near x = 0\.\d+, y = 0\.\d+"):
        conduction(k)


def test_rough_samples_may_be_used_but_not_differentiated():
    wavy = 1 + 0.04 * np.random.default_rng(0).random(33) + GRID
    k = sampled("k", {x: GRID}, wavy)
    Problem(Box({x: (0, 1), y: (0, 1)}), [u.diff(x, 2) + k], [Condition(u, on="boundary")])
    with pytest.raises(ProblemError, match="too rough"):
        conduction(k)


def test_what_hides_between_the_points_is_told():
    v = field("v", x)
    spike = sampled("q", {x: np.linspace(0, 1, 40_001)}, _spike(np.linspace(0, 1, 40_001)))
    problem = Problem(Box({x: (0, 1)}), [v.diff(x, 2) - spike], [Condition(v, on="boundary")])
    solution = solve(problem, piscm.PISC3(max_nodes=20, scale=3.0))
    assert not solution.status.ok


def _spike(at):
    return np.sin(at) + 50 * np.exp(-(((at - 0.371) / 5e-4) ** 2))


def test_a_baseline_in_jax_says_that_it_cannot():
    pytest.importorskip("jax")
    with pytest.raises(ProblemError, match="PINN cannot use the sampled function k"):
        solve(conduction(on_grid()), piscm.baselines.PINN())
