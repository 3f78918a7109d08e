"""The axis of curvilinear coordinates: equations multiplied by what they divide by."""

import warnings

import numpy as np
import pytest
import sympy

from piscm import (
    Box,
    Condition,
    Periodic,
    Problem,
    coordinates,
    field,
    laplacian,
    polar,
    solve,
    spherical,
)
from piscm.compile.poles import singular_faces, without_poles
from piscm.inference.counting import counting_text, just_enough

r, theta, phi = coordinates("r theta phi")
u, f, g = field("u", r, phi), field("f", r), field("g", r, theta)
DISK = Box({r: (0, 1), phi: (0, 2 * sympy.pi)})


def test_the_axis_is_cleared():
    cleared = without_poles(laplacian(u, polar(r, phi)) - 1, DISK)
    assert cleared == r**2 * u.diff(r, 2) + r * u.diff(r) + u.diff(phi, 2) - r**2


def test_both_poles_of_a_sphere_are_cleared():
    ball = Box({r: (0, 1), theta: (0, sympy.pi)})
    cleared = without_poles(laplacian(g, spherical(r, theta)), ball)
    assert not any(power.exp.is_negative for power in cleared.atoms(sympy.Pow))
    cotangent = g.diff(theta, 2) + sympy.cot(theta) * g.diff(theta)
    assert without_poles(cotangent, ball) == sympy.expand(
        sympy.sin(theta) * g.diff(theta, 2) + sympy.cos(theta) * g.diff(theta)
    )


@pytest.mark.parametrize("equation", [f.diff(r, 2) + f / (2 - r), f.diff(r) - 1 / r + f])
def test_what_is_no_pole_of_the_fields_stays(equation):
    assert without_poles(equation, Box({r: (0, 1)})) == equation


def test_away_from_the_axis_nothing_changes():
    equation = laplacian(u, polar(r, phi))
    ring = Box({r: (0.5, 1), phi: (0, 2 * sympy.pi)})
    assert without_poles(equation, ring) == equation


def test_regularity_counts_as_a_condition():
    conditions = [Condition(u, on={r: 1}), Periodic(u, along=phi), Periodic(u.diff(phi), along=phi)]
    problem = Problem(DISK, [laplacian(u, polar(r, phi)) + 1], conditions)
    assert singular_faces(problem) == {r: 1, phi: 0}
    assert counting_text(problem) == ""
    assert just_enough(problem)
    none = Problem(DISK, [laplacian(u, polar(r, phi)) + 1], conditions[1:])
    assert "of order 1 in r" in counting_text(none) or "in r" in counting_text(none)


def test_a_ball_of_one_coordinate_is_solved_without_a_warning():
    # f'' + 2 f'/r + f = 0 with f(pi/2) = 2/pi is solved by sin(r)/r.
    problem = Problem(
        Box({r: (0, sympy.pi / 2)}),
        [laplacian(f, spherical(r)) + f],
        [Condition(f - 2 / sympy.pi, on={r: sympy.pi / 2})],
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        solution = solve(problem)
    at = np.linspace(0, np.pi / 2, 50)
    assert solution.status.ok
    assert np.abs(solution(r=at) - np.sinc(at / np.pi)).max() < 1e-6
