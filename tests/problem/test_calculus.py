"""grad, div, laplacian, curl, against the chain rule through Cartesian coordinates."""

import pytest
import sympy
from sympy import cos, sin

from piscm import (
    Box,
    Condition,
    Problem,
    ProblemError,
    coordinates,
    curl,
    cylindrical,
    div,
    dot,
    field,
    grad,
    laplacian,
    polar,
    spherical,
)
from piscm.text.parse import parse_expression

x, y, z, t, r, theta, phi = coordinates("x y z t r theta phi")
u, v, w = field("u", x, y), field("v", x, y), field("w", x, y, t)

POLAR = polar(r, phi), {x: r * cos(phi), y: r * sin(phi)}
CYLINDRICAL = cylindrical(r, phi, z), {x: r * cos(phi), y: r * sin(phi)}
SPHERICAL = (
    spherical(r, theta, phi),
    {x: r * sin(theta) * cos(phi), y: r * sin(theta) * sin(phi), z: r * cos(theta)},
)
SCALAR = x**3 * y - 2 * x * z**2 + y
VECTOR = [x**2 * y, y * z - x, x * z**2]


def units(system, table):
    """The unit vectors of the coordinates, as columns, by their definition."""
    place = sympy.Matrix([own.subs(table) for own in (x, y, z)])
    columns = [
        place.diff(own) / factor
        for own, factor in zip(system.coordinates, system.factors, strict=True)
    ]
    return sympy.Matrix.hstack(*columns)


def same(a, b):
    at = {r: 0.7, theta: 1.1, phi: 0.4, z: -0.3, x: 0.9, y: 0.2}
    return all(abs(sympy.N((one - two).subs(at))) < 1e-12 for one, two in zip(a, b, strict=True))


@pytest.mark.parametrize(("system", "table"), [CYLINDRICAL, SPHERICAL])
def test_curvilinear_operators_are_the_cartesian_ones(system, table):
    basis = units(system, table)
    there = sympy.Matrix([own.subs(table) for own in VECTOR])
    own = basis.T * there
    assert same([laplacian(SCALAR.subs(table), system)], [laplacian(SCALAR, x, y, z).subs(table)])
    assert same(grad(SCALAR.subs(table), system), basis.T * grad(SCALAR, x, y, z).subs(table))
    assert same([div(own, system)], [div(VECTOR, x, y, z).subs(table)])
    assert same(curl(own, system), basis.T * curl(VECTOR, x, y, z).subs(table))


def test_polar_operators_are_the_cartesian_ones():
    system, table = POLAR
    flat = SCALAR.subs(z, 0)
    assert same([laplacian(flat.subs(table), system)], [laplacian(flat, x, y).subs(table)])
    turned = sympy.Matrix([[cos(phi), sin(phi)], [-sin(phi), cos(phi)]]) * sympy.Matrix(
        [(x * y).subs(table), (x - y**2).subs(table)]
    )
    assert same([curl(turned, system)], [curl([x * y, x - y**2], x, y).subs(table)])


def test_coordinates_that_nothing_depends_on_may_be_left_out():
    radial, axial = field("f", r), field("g", r, z)
    assert laplacian(radial, spherical(r)) == radial.diff(r, 2) + 2 * radial.diff(r) / r
    assert laplacian(radial, polar(r)) == radial.diff(r, 2) + radial.diff(r) / r
    expected = axial.diff(r, 2) + axial.diff(r) / r + axial.diff(z, 2)
    assert laplacian(axial, cylindrical(r, z=z)) == expected


def test_without_a_system_the_coordinates_of_the_field_are_cartesian():
    assert laplacian(u) == u.diff(x, 2) + u.diff(y, 2)
    squares = u.diff(x) ** 2 + u.diff(y) ** 2
    assert div(u * grad(u)) == sympy.expand(u * laplacian(u) + squares)
    assert list(laplacian([u, v])) == [laplacian(u), laplacian(v)]
    assert dot(grad(u), [u, v]) == u * u.diff(x) + v * u.diff(y)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: laplacian(w), "also depends on t; name the coordinates of space"),
        (lambda: laplacian(x**2), "holds no field"),
        (lambda: laplacian(u, 3), "name the coordinates of space, as laplacian(u, x, y)"),
        (lambda: laplacian([u, v], polar(x, y)), "grad(div(v, s), s)"),
        (lambda: div([u, v, v], x, y), "3 components and cartesian(x, y) has 2"),
        (lambda: div(u), "give a vector"),
        (lambda: grad([u, v]), "give a scalar"),
        (lambda: curl([u, v, u, v], x, y, z, t), "defined for two and for three"),
        (lambda: div([u, u, u], spherical(x)), "depends on theta"),
        (lambda: polar(2), "give a coordinate"),
        (lambda: polar(r, r), "names r twice"),
        (lambda: dot([u], [u, v]), "one vector has 1 components"),
        (lambda: Condition(grad(u), on={x: 0}), "is a vector"),
    ],
)
def test_mistakes_are_named(refused, make, words):
    refused(make, words)


def test_a_vector_is_as_many_equations():
    problem = Problem(
        Box({x: (0, 1), y: (0, 1)}), [laplacian([u, v])], [Condition(u + v, on="boundary")]
    )
    assert problem.equations == (laplacian(u), laplacian(v))


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("laplacian(u) + 1", laplacian(u) + 1),
        ("div((1 + x)*grad(u))", div((1 + x) * grad(u))),
        ("div(-grad(u)/2 + (u, v))", div(-grad(u) / 2 + sympy.Matrix([u, v]))),
        ("dot((u, v), grad(u)) - curl((u, v))", dot([u, v], grad(u)) - curl([u, v])),
        ("laplacian(w, x, y) = diff(w, t)", laplacian(w, x, y) - w.diff(t)),
        ("laplacian(u, polar(x, y))", laplacian(u, polar(x, y))),
    ],
)
def test_in_text(text, meaning):
    symbols, fields = {"x": x, "y": y, "t": t}, {"u": u, "v": v, "w": w}
    assert sympy.expand(parse_expression(text, symbols, fields) - meaning) == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("grad(u)", "is a vector; use it in div"),
        ("div(grad(u)*grad(v))", "write dot(a, b)"),
        ("div(1/grad(u))", "divides by a vector"),
        ("div(grad(u) + 1)", "adds a vector and a number"),
        ("div(grad(u) + (1, u, v))", "different numbers of components"),
        ("laplacian()", "cannot be formed"),
    ],
)
def test_mistakes_in_text_are_named(text, words):
    with pytest.raises(ProblemError, match=words.replace("(", r"\(").replace(")", r"\)")):
        parse_expression(text, {"x": x, "y": y}, {"u": u, "v": v})
