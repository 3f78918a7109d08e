"""Rates at which solutions fade away from faces, beside those known from the equations."""

import pytest
import sympy

from piscm import Box, Condition, Disk, Problem, coordinates, field, zoo
from piscm.inference.layers import face_rates

x, y, t = coordinates("x y t")
u, v = field("u", x, y), field("v", x)
SMALL = sympy.Rational(1, 1000)


def rates(*equations, item=u, domain=None):
    domain = domain or Box({symbol: (0, 2) for symbol in item.args})
    return face_rates(Problem(domain, list(equations), [Condition(item, on="boundary")]), 10.0)


def laplacian(item):
    return item.diff(x, 2) + item.diff(y, 2)


def test_a_flow_has_a_layer_where_it_leaves_and_wider_ones_along_it():
    found = rates(-SMALL * laplacian(u) + u.diff(x) - 1)
    assert set(found) == {(0, 1), (1, -1), (1, 1)}
    # Relative to a width of 2, and for waves of a radian and a half.
    assert found[0, 1] == pytest.approx([2000.0] * 32, rel=1e-2)
    along = 2 * (1000 * 1.5708 / 2) ** 0.5
    assert found[1, 1] == pytest.approx([along] * 32, rel=2e-2)


def test_reaction_has_layers_everywhere():
    found = rates(-(SMALL**2) * laplacian(u) + u - 1)
    assert len(found) == 4
    assert all(own == pytest.approx([2000.0] * 32, rel=1e-2) for own in found.values())


@pytest.mark.parametrize(
    "equation",
    [
        laplacian(u) + 1,
        laplacian(u) + 10_000 * u,
        u.diff(x, 2) - 100 * u.diff(y, 2),
        laplacian(u) - 1000 * u**2,
    ],
    ids=["Poisson", "waves", "a string", "not linear"],
)
def test_others_have_none(equation):
    assert rates(equation) == {}


def test_where_a_flow_turns_back_nothing_fades():
    """Both ends are inflow: the layer is inside."""
    assert rates(SMALL * v.diff(x, 2) + (x - 1) * v.diff(x), item=v) == {}


def test_systems_have_the_layers_of_all_their_fields():
    v, w = field("v", x), field("w", x)
    problem = Problem(
        Box({x: (0, 1)}),
        [-(SMALL**2) * v.diff(x, 2) + 2 * v - w, -SMALL * w.diff(x, 2) + 2 * w - v],
        [Condition(v, on="boundary"), Condition(w, on="boundary")],
    )
    found = face_rates(problem, 10.0)
    assert found[0, -1] == pytest.approx([38.7, 1414.2], rel=1e-2)
    assert found[0, 1] == pytest.approx(found[0, -1])


def test_shapes_and_what_is_not_linear_are_left_out():
    disk = Disk({x: 0, y: 0}, radius=1)
    assert rates(-SMALL * laplacian(u) + u.diff(x) - 1, domain=disk) == {}
    assert face_rates(zoo.load("van-der-pol").problem, 10.0) == {}
