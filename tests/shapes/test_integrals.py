"""Integrals in conditions, in equations and of results."""

from dataclasses import replace

import numpy as np
import pytest
import sympy

from piscm import (
    PISC3,
    Auto,
    Box,
    Condition,
    Disk,
    Interval,
    Observations,
    Polygon,
    Problem,
    ProblemError,
    Rectangle,
    Sampling,
    coordinates,
    field,
    integral,
    normal,
    normal_derivative,
    solve,
    unknown,
)
from piscm.assemble.marching import marching_coordinate, obstacle
from piscm.problem.outward import outward

x, y, t, s = coordinates("x y t s")
u, v, w = field("u", x), field("v", x, y), field("w", x, t)
k = unknown("k")
LINE = Box({x: (0, 1)})
PLACES = np.linspace(0, 1, 21)
METHOD = PISC3(selection="orthogonal", max_nodes=40, candidates=40)
STEP, ROOT = sympy.exp(x / 2), sympy.exp(sympy.Rational(1, 2))


def at(variable):
    return u.subs(x, variable)


EQUATIONS = {
    "Fredholm": (
        u - integral(x * s * at(s), over=(s, 0, 1)) - sympy.exp(x) + x,
        sympy.exp(x),
    ),
    "two kernels, with a derivative": (
        u - integral((x - s) * at(s).diff(s), over=(s, 0, 1)) - STEP + x * (ROOT - 1) + ROOT - 2,
        STEP,
    ),
    "Volterra": (
        u.diff(x) - 1 + integral(at(s), over=(s, 0, x)),
        sympy.sin(x),
    ),
    "nonlinear": (
        u - STEP + sympy.exp(x) / 4 - integral(sympy.exp(x - s) * at(s) ** 2, over=(s, 0, 1)) / 4,
        STEP,
    ),
    "over the whole range": (u.diff(x) - integral(u, over=x) - 1 + sympy.Rational(1, 2), x),
}


@pytest.mark.parametrize("name", EQUATIONS)
@pytest.mark.parametrize("method", [METHOD, Auto(max_nodes=60)], ids=["PISC3", "Auto"])
def test_equations(name, method):
    equation, exact = EQUATIONS[name]
    problem = Problem(LINE, [equation], [Condition(u - exact.subs(x, 0), on={x: 0})])
    solution = solve(problem, method, initial={u: 1} if name == "nonlinear" else None)
    true = sympy.lambdify(x, exact, "numpy")(PLACES)
    np.testing.assert_allclose(solution(x=PLACES), true, atol=1e-6)
    assert solution.error_estimate.relative < 1e-5


def test_an_unknown_in_front_of_an_integral():
    equation = u - k * integral(x * s * at(s), over=(s, 0, 1)) - sympy.exp(x) + x
    data = Observations(u, [[0.5], [0.9]], np.exp([0.5, 0.9]))
    problem = Problem(LINE, [equation], [], {k: 0.5}, [data])
    solution = solve(problem, METHOD)
    assert solution.unknowns["k"].value == pytest.approx(1, abs=1e-6)


def plate():
    rim = Polygon((x, y), [(0, 0), (2, 0), (2, 1), (0, 1)], name="rim")
    return rim - Disk({x: 1, y: 0.5}, radius=0.2, name="hole")


@pytest.mark.parametrize("over", ["domain", "part", "line of a box"])
def test_a_mean_fixes_what_fluxes_leave_open(over):
    exact = sympy.sin(x + 2 * y) + x * y
    domain = plate() if over != "line of a box" else Box({x: (0, 1), y: (0, 1)})
    flux = normal(x) * exact.diff(x) + normal(y) * exact.diff(y)
    region = {
        "domain": domain,
        "part": domain.boundary("hole") if over == "part" else None,
        "line of a box": domain.boundary({x: 0}) if over == "line of a box" else None,
    }[over]
    points, weights, *_ = region.quadrature(24)
    total = float(weights @ sympy.lambdify((x, y), exact)(*points.T))
    problem = Problem(
        domain,
        [v.diff(x, 2) + v.diff(y, 2) - exact.diff(x, 2) - exact.diff(y, 2)],
        [
            Condition(normal_derivative(v) - flux, on="boundary"),
            Condition(integral(v, over=region) - total),
        ],
    )
    method = PISC3(selection="orthogonal", max_nodes=80, candidates=40)
    solution = solve(problem, method, sampling=Sampling(interior=400, boundary=160))
    assert solution.block_residuals[2].rows == 1
    rng = np.random.default_rng(0)
    inside = domain.sample_inside(100, lambda n, d: rng.random((n, d)))
    true = sympy.lambdify((x, y), exact)(*inside.T)
    np.testing.assert_allclose(solution(x=inside[:, 0], y=inside[:, 1]), true, atol=1e-4)
    assert solution.integral(over=region) == pytest.approx(total, abs=1e-8)
    if over == "line of a box":
        assert solution.integral(over={x: 0}) == solution.integral(over=region)


def test_a_mass_at_all_times():
    """The total is given instead of a flux at the far end; windows follow each other in time."""
    exact = sympy.exp(-(sympy.pi**2) * t) * sympy.cos(sympy.pi * x) + 1
    problem = Problem(
        Box({x: (0, 1), t: (0, 0.2)}),
        [w.diff(t) - w.diff(x, 2)],
        [
            Condition(w - exact.subs(t, 0), on={t: 0}),
            Condition(w.diff(x), on={x: 0}),
            Condition(integral(w, over=x) - 1),
        ],
    )
    assert marching_coordinate(problem) == t
    solution = solve(problem, Auto(tolerance=1e-5))
    times = np.linspace(0, 0.2, 5)
    np.testing.assert_allclose(solution.integral(over=x, t=times), 1, atol=1e-5)
    np.testing.assert_allclose(
        solution(x=0.3, t=times), 1 + np.exp(-(np.pi**2) * times) * np.cos(0.3 * np.pi), atol=1e-4
    )


def test_along_lines_through_a_ring():
    """All that lies inside of a line counts: two spans where there is a hole."""
    ring = Disk({x: 0, y: 0}, 1) - Disk({x: 0.2, y: 0}, 0.4)
    problem = Problem(ring, [v - 1 - x * y - x**2], [])
    solution = solve(problem, METHOD, sampling=Sampling(200, 50))
    places = np.array([0.0, 0.3, 0.7, -0.9])
    half, hole = np.sqrt(1 - places**2), np.sqrt(np.maximum(0, 0.16 - places**2))

    def inner(a):
        return a + a**2 / 2 * places + a**3 / 3

    true = inner(half) - inner(-half) - inner(0.2 + hole) + inner(0.2 - hole)
    np.testing.assert_allclose(solution.integral(v, over=x, y=places), true, atol=1e-5)
    with pytest.raises(ProblemError, match=r"y = 1\.2 leaves"):
        solution.integral(v, over=x, y=1.2)


def test_an_equation_with_chords_of_a_disk():
    disk = Disk({x: 0, y: 0}, 1)
    exact, chord = 1 + x + y**2, 2 * sympy.sqrt(1 - y**2)
    equation = v - integral(v, over=x) / 4 - exact + chord * (1 + y**2) / 4
    solution = solve(Problem(disk, [equation], []), tol=1e-5)
    assert solution.status.ok
    places = np.array([[0.1, 0.2], [-0.7, 0.6], [0.2, -0.9]])
    true = 1 + places[:, 0] + places[:, 1] ** 2
    np.testing.assert_allclose(solution(x=places[:, 0], y=places[:, 1]), true, atol=1e-4)


def test_chords_as_a_condition_instead_of_a_rim():
    """Half of the rim is not told, but the integrals along x are."""
    disk = Disk({x: 0, y: 0}, 1, name="rim")
    exact = sympy.exp(x) * sympy.cos(y) + 1
    root = sympy.sqrt(1 - y**2)
    total = 2 * sympy.sinh(root) * sympy.cos(y) + 2 * root
    problem = Problem(
        disk,
        [v.diff(x, 2) + v.diff(y, 2)],
        [
            Condition(v - exact, on=disk.boundary(where=x < 0)),
            Condition(integral(v, over=x) - total),
        ],
    )
    method = PISC3(selection="orthogonal", max_nodes=60, candidates=40)
    solution = solve(problem, method, sampling=Sampling(300, 100))
    assert abs(solution.block_residuals[2].rows - 100) < 10
    at = np.array([[0.3, 0.2], [0.7, 0.1], [0.0, -0.8]])
    true = np.exp(at[:, 0]) * np.cos(at[:, 1]) + 1
    np.testing.assert_allclose(solution(x=at[:, 0], y=at[:, 1]), true, atol=1e-3)


def test_integrals_up_to_a_point_must_stay_inside():
    disk = Disk({x: 0, y: 0}, 1)
    rim = -sympy.sqrt(1 - y**2)
    ring = disk - Disk({x: 0, y: 0}, 0.3)
    equation = v - integral(v.subs(x, s), over=(s, rim, x)) - 1 + x - rim
    solution = solve(Problem(disk, [equation], []), METHOD, sampling=Sampling(300, 50))
    np.testing.assert_allclose(solution(x=[0.0, -0.5], y=[0.2, 0.5]), 1, atol=1e-4)
    with pytest.raises(ProblemError, match="leaves the domain, at"):
        solve(Problem(ring, [equation], []), METHOD, sampling=Sampling(300, 50))


def test_along_time_and_across_on_a_product():
    c = field("c", x, y, t)
    cylinder = Disk({x: 0, y: 0}, 1) * Interval(t, 0, 2)
    problem = Problem(cylinder, [c - x - t * y], [])
    solution = solve(problem, METHOD, sampling=Sampling(300, 50))
    assert solution.integral(c, over=t, x=0.3, y=0.2) == pytest.approx(0.6 + 0.4, abs=0.01)
    assert solution.integral(c, over=y, x=0.6, t=0.5) == pytest.approx(0.6 * 1.6, abs=0.01)
    memory = Problem(cylinder, [c - integral(c, over=t) / 4 - x / 2], [])
    solution = solve(memory, METHOD, sampling=Sampling(300, 50))
    np.testing.assert_allclose(solution(x=[0.1, -0.4], y=0.3, t=[0.2, 1.7]), [0.1, -0.4], atol=0.01)


def test_a_mass_on_a_cross_section_at_all_times():
    c = field("c", x, y, t)
    disk = Disk({x: 0, y: 0}, 1, name="rim")
    cylinder = disk * Interval(t, 0, 1)
    problem = Problem(
        cylinder,
        [c.diff(t) - c.diff(x, 2) - c.diff(y, 2) - 1],
        [Condition(c, on={t: 0}), Condition(integral(c, over=disk) - sympy.pi * t)],
    )
    assert marching_coordinate(problem) == t
    solution = solve(problem, PISC3(max_nodes=5, candidates=5), sampling=Sampling(100, 20))
    assert abs(solution.block_residuals[2].rows - 20) <= 3


def test_a_normalized_eigenfunction():
    problem = Problem(
        LINE,
        [u.diff(x, 2) + k * u],
        [
            Condition(u, on=[{x: 0}, {x: 1}]),
            Condition(integral(u**2, over=x) - sympy.Rational(1, 2)),
        ],
        {k: 8.0},
    )
    solution = solve(problem, METHOD, initial={u: 4 * x * (1 - x)})
    assert solution.unknowns["k"].value == pytest.approx(np.pi**2, rel=1e-9)


def test_the_flux_of_a_result():
    """The flux through the rim of a disk is the source inside: the divergence theorem."""
    disk = Disk({x: 0, y: 0}, 1, name="rim")
    problem = Problem(disk, [v.diff(x, 2) + v.diff(y, 2) - 4], [Condition(v - 1, on="boundary")])
    solution = solve(problem, replace(METHOD, max_nodes=80), sampling=Sampling(300, 80))
    flux = solution.integral(normal_derivative(v), over=disk.boundary("rim"))
    assert flux == pytest.approx(4 * np.pi, rel=1e-6)
    assert solution.integral(normal_derivative(v), over="boundary") == flux
    assert solution.integral() == pytest.approx(np.pi / 2, rel=1e-6)  # of x**2 + y**2
    assert solution.integral(v, over=Disk({x: 0, y: 0}, 0.5)) == pytest.approx(np.pi / 32, rel=1e-5)
    upper = solution.integral(sympy.S.One, over=disk.boundary(where=y > 0))
    assert upper == pytest.approx(np.pi)
    with pytest.raises(ProblemError, match="boundary only"):
        solution(normal_derivative(v), x=1, y=0)
    with pytest.raises(ProblemError, match=r"solution\.integral"):
        solution(integral(v, over=disk), x=1, y=0)
    with pytest.raises(ProblemError, match="leaves"):
        solution.integral(v, over=Disk({x: 1, y: 0}, 0.5))
    with pytest.raises(ProblemError, match="exactly those"):
        solution.integral(v, over=disk, y=1)


def test_a_problem_whose_integral_runs_along_time_is_not_marched():
    problem = Problem(
        Box({t: (0, 3)}),
        [field("f", t).diff(t) + integral(field("f", t), over=(t, 0, t))],
        [Condition(field("f", t) - 1, on={t: 0})],
    )
    assert "runs along it" in obstacle(problem, t)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Condition(u - 1), "say where"),
        (lambda: Condition(integral(u, over=LINE) - u), "say where"),
        (lambda: integral("u", over=LINE), "SymPy expression"),
        (lambda: integral(u, over=3), "give a domain"),
        (lambda: integral(integral(u, over=x), over=x), "name"),
        (lambda: integral(u, over=x).diff(x), "differentiated"),
        (lambda: line(u - u * integral(u, over=x)), "multiplied by a field"),
        (lambda: line(u - integral(u, over=x) ** 2), "multiplied by"),
        (lambda: line(u - integral(sympy.sin(x * at(s)), over=(s, 0, 1))), "inside|kernel"),
        (
            lambda: line(u - integral(x * at(s) + sympy.sin(s * at(s) + x), over=(s, 0, 1))),
            "kernel",
        ),
        (lambda: line(u - integral(s, over=(s, 0, 1))), "no field"),
        (lambda: line(u - integral(u, over=y)), "not a coordinate"),
        (lambda: line(u - integral(u, over=(x, 0, 2))), "leaves the domain"),
        (lambda: line(u - integral(u, over=(x, 0, k))), "limits"),
        (lambda: line(u - integral(at(s), over=(s, 0, 2 * x))), "leaves the domain"),
        (lambda: line(u - integral(normal(x) * u, over=x)), "normal"),
        (
            lambda: Problem(
                plate(),
                [v],
                [Condition(integral(v, over=Rectangle({x: (0, 1), t: (0, 1)})))],
            ),
            "not a coordinate",
        ),
        (
            lambda: Problem(
                LINE, [u.diff(x)], [], None, [Observations(integral(u, x), [[0]], [1])]
            ),
            "Condition only",
        ),
    ],
)
def test_bad_integrals(make, message):
    with pytest.raises(ProblemError, match=message):
        make()


def line(equation):
    problem = Problem(LINE, [equation], [Condition(u, on={x: 0})])
    return solve(problem, PISC3(max_nodes=2, candidates=2))


def test_an_equation_without_derivatives_needs_no_condition():
    s, w = coordinates("s"), field("w", x)
    memory = integral(x * s * w.subs(x, s), over=(s, 0, 1))
    solution = solve(Problem(Box({x: (0, 1)}), [w - sympy.exp(x) + x - memory], []))
    assert solution.status.ok
    assert float(solution(x=0.5)) == pytest.approx(np.exp(0.5), abs=1e-6)


OUTER, HOLE = Disk({x: 0, y: 0}, radius=1, name="outer"), Disk({x: 0, y: 0}, radius=0.5)
RING = OUTER - HOLE


def test_a_hole_has_one_normal_however_its_boundary_is_written():
    conditions = [Condition(v, on=RING.boundary("outer")), Condition(v - 1, on=HOLE.boundary())]
    problem = Problem(RING, [v.diff(x, 2) + v.diff(y, 2)], conditions)
    solution = solve(problem, tol=1e-4, progress=False)
    flux = solution.integral(normal_derivative(v), over=HOLE.boundary())
    assert flux == pytest.approx(2 * np.pi / np.log(2), rel=1e-3)


def test_a_flux_through_a_hole_is_that_out_of_the_domain():
    conditions = [
        Condition(v, on=RING.boundary("outer")),
        Condition(v - k, on=HOLE.boundary()),
        Condition(integral(normal_derivative(v), over=HOLE.boundary()) + 2 * sympy.pi),
    ]
    problem = Problem(RING, [v.diff(x, 2) + v.diff(y, 2)], conditions, unknowns={k: 0.0})
    solution = solve(problem, tol=1e-4, progress=False)
    assert solution.unknowns["k"].value == pytest.approx(np.log(0.5), rel=1e-3)


def test_an_integral_over_what_the_domain_does_not_have_is_refused():
    inner = Disk({x: 0, y: 0}, radius=0.2)
    conditions = [Condition(v - k, on="boundary"), Condition(integral(v, over=inner) - 1)]
    problem = Problem(RING, [v.diff(x, 2) + v.diff(y, 2)], conditions, unknowns={k: 0.0})
    with pytest.raises(ProblemError, match="leaves the domain"):
        solve(problem, progress=False)


@pytest.mark.parametrize("seconds", [1.0, 3e7, 1e10])
def test_normals_point_out_of_a_domain_however_long_time_is(seconds):
    domain = RING * Interval(t, 0, seconds)
    angle = np.linspace(0, 6, 20)
    normals = np.column_stack([np.cos(angle), np.sin(angle), 0 * angle])
    points = 0.5 * normals + [0, 0, seconds / 2]
    np.testing.assert_array_equal(outward(domain, points, normals), -normals)
    inside = points + 0.25 * normals
    np.testing.assert_array_equal(outward(domain, inside, normals), normals)
