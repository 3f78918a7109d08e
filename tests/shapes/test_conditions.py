"""Conditions on parts of boundaries, with normals, on boxes and on shapes."""

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
    Periodic,
    Polygon,
    Problem,
    ProblemError,
    Rectangle,
    Sampling,
    coordinates,
    field,
    normal,
    normal_derivative,
    solve,
)

x, y, t = coordinates("x y t")
u, v, w = field("u", x, y), field("v", x, y), field("w", x, y, t)
EXACT = sympy.sin(x + 2 * y) + x * y
LAPLACE = u.diff(x, 2) + u.diff(y, 2)
SOURCE = EXACT.diff(x, 2) + EXACT.diff(y, 2)
METHOD = PISC3(selection="orthogonal", max_nodes=120, candidates=60)
SAMPLING = Sampling(interior=500, boundary=150)


def flux(of):
    return normal(x) * of.diff(x) + normal(y) * of.diff(y)


def error(solution, exact, count=400):
    domain = solution.problem.domain
    rng = np.random.default_rng(3)
    points = domain.sample_inside(count, lambda n, d: rng.random((n, d)))
    names = [symbol.name for symbol in domain.coordinates]
    true = sympy.lambdify(domain.coordinates, exact, "numpy")(*points.T)
    found = solution(**dict(zip(names, points.T, strict=True)))
    return np.linalg.norm(found - true) / np.linalg.norm(true)


def plate():
    rim = Polygon((x, y), [(0, 0), (2, 0), (2, 1), (0, 1)], name="rim")
    return rim - Disk({x: 1, y: 0.5}, radius=0.2, name="hole")


@pytest.mark.parametrize("where", ["shape", "box"])
def test_a_flux_on_a_part_of_the_boundary(where):
    if where == "shape":
        domain = plate()
        given, free = domain.boundary("rim"), domain.boundary("hole")
    else:
        domain = Box({x: (0, 2), y: (0, 1)})
        given, free = domain.boundary(where=x < 1), domain.boundary(where=x >= 1)
    problem = Problem(
        domain,
        [LAPLACE - SOURCE],
        [
            Condition(u - EXACT, on=given),
            Condition(normal_derivative(u) - flux(EXACT), on=free),
        ],
    )
    assert error(solve(problem, METHOD, sampling=SAMPLING), EXACT) < 1e-5


def test_robin_on_the_whole_boundary_of_a_disk():
    robin = normal_derivative(u) + 2 * u - (flux(EXACT) + 2 * EXACT)
    problem = Problem(Disk({x: 0, y: 0}, 1), [LAPLACE - SOURCE], [Condition(robin, on="boundary")])
    solution = solve(problem)
    assert error(solution, EXACT) < 1e-6
    assert solution.status.ok


def test_radiation_is_nonlinear():
    radiation = normal_derivative(u) + u**4 - (flux(EXACT) + EXACT**4)
    domain = Disk({x: 0, y: 0}, 1)
    problem = Problem(domain, [LAPLACE - SOURCE], [Condition(radiation, on="boundary")])
    assert error(solve(problem, METHOD, sampling=SAMPLING, initial={u: EXACT + 0.1}), EXACT) < 1e-4


def test_slip_on_a_circle():
    """A fluid that turns in a disk: no flow through the wall."""
    disk = Disk({x: 0, y: 0}, 1)
    problem = Problem(
        disk,
        [u.diff(x) + v.diff(y), v.diff(x) - u.diff(y) - 2],
        [Condition(u * normal(x) + v * normal(y), on="boundary")],
    )
    solution = solve(problem, METHOD, sampling=SAMPLING)
    points = dict(x=np.array([1.0, 0.0, 0.3]), y=np.array([0.0, 1.0, -0.7]))
    np.testing.assert_allclose(solution(u, **points), -points["y"], atol=1e-5)
    np.testing.assert_allclose(solution(v, **points), points["x"], atol=1e-5)


def test_on_a_face_of_a_box():
    box = Box({x: (0, 1), y: (0, 1)})
    problem = Problem(
        box,
        [LAPLACE - SOURCE],
        [
            Condition(u - EXACT, on=[{y: 0}, {y: 1}]),
            Condition(normal_derivative(u) - flux(EXACT), on=[{x: 0}, {x: 1}]),
        ],
    )
    assert error(solve(problem, METHOD, sampling=SAMPLING), EXACT) < 1e-6


def test_on_a_part_of_a_face_of_a_box():
    box = Box({x: (0, 1), y: (0, 1)})
    part = box.boundary({x: 0}, where=y < 0.5)
    rest = box.boundary({x: 0}, where=y >= 0.5)
    problem = Problem(
        box,
        [LAPLACE - SOURCE],
        [
            Condition(u - EXACT, on=[{y: 0}, {y: 1}, {x: 1}]),
            Condition(u - EXACT, on=part),
            Condition(normal_derivative(u) - flux(EXACT), on=rest),
        ],
    )
    solution = solve(problem, METHOD, sampling=SAMPLING)
    assert [block.rows for block in solution.block_residuals[2:]] == [150, 150]
    assert error(solution, EXACT) < 1e-6


def test_at_points_and_on_lines_inside():
    """The flux leaves a constant open, which a point or a line inside fixes."""
    for place in ({x: 0.5, y: 0.2}, {y: 0.2}):
        problem = Problem(
            plate(),
            [LAPLACE - SOURCE],
            [
                Condition(normal_derivative(u) - flux(EXACT), on="boundary"),
                Condition(u - EXACT, on=place),
            ],
        )
        assert error(solve(problem, METHOD, sampling=SAMPLING), EXACT) < 1e-4
    with pytest.raises(ProblemError, match="outside the domain"):
        Problem(plate(), [LAPLACE], [Condition(u, on={x: 1, y: 0.5})])


def test_marching_on_a_cross_section():
    """Heat in a disk, cooled through its rim, window after window."""
    exact = sympy.exp(-t) * sympy.sin(x + y) + x * y * t
    source = exact.diff(t) - exact.diff(x, 2) - exact.diff(y, 2)
    cylinder = Disk({x: 0, y: 0}, 1, name="rim") * Interval(t, 0, 2)
    cooling = normal_derivative(w) + w
    given = cooling.subs(w, exact).doit()
    problem = Problem(
        cylinder,
        [w.diff(t) - w.diff(x, 2) - w.diff(y, 2) - source],
        [Condition(w - exact, on={t: 0}), Condition(cooling - given, on=cylinder.boundary("rim"))],
    )
    from piscm.assemble.marching import marching_coordinate

    assert marching_coordinate(problem) == t
    solution = solve(problem, Auto(tolerance=1e-4))
    assert error(solution, exact) < 3e-4


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Problem(plate(), [LAPLACE + normal(x)], [Condition(u, on="boundary")]), "normal"),
        (
            lambda: Problem(plate(), [LAPLACE], [Condition(normal_derivative(u), on={x: 0.5})]),
            "normal",
        ),
        (
            lambda: Problem(
                Box({x: (0, 1), y: (0, 1)}),
                [LAPLACE],
                [Periodic(normal_derivative(u), along=x)],
            ),
            "normal",
        ),
        (lambda: normal(3), "coordinate"),
        (lambda: normal_derivative(x), "field"),
        (lambda: (normal(x) * u).diff(x), "boundary only"),
        (
            lambda: Problem(plate(), [LAPLACE], [Condition(u, on=_other().boundary("edge"))]),
            "No point of it lies in .*x from 5 to 6, y from 0 to 1",
        ),
        (
            lambda: Problem(plate(), [LAPLACE], [Condition(u, on=Disk({x: 1, t: 0}, 1).boundary)]),
            "no t",
        ),
    ],
)
def test_bad_conditions(make, message):
    with pytest.raises(ProblemError, match=message):
        make()


def _other():
    return Rectangle({x: (5, 6), y: (0, 1)}, name="edge")
