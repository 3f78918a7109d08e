"""Flow past a cylinder: the stored reference, the published forces, finite elements anew."""

import elements
import numpy as np
import pytest
import sympy

from piscm import normal, zoo
from piscm.zoo import cylinder as past
from piscm.zoo.references.cylinder import CENTER, RADIUS, cylinder

STEP = 1e-5


def known_at(points, normals):
    """What an expression on the surface may hold, with its values; derivatives by differences."""
    table = dict(zip((past.u, past.v, past.p), cylinder(*points.T).values(), strict=True))
    for axis, symbol in enumerate((past.x, past.y)):
        step = STEP * np.eye(2)[axis]
        ahead, behind = cylinder(*(points + step).T), cylinder(*(points - step).T)
        for own in (past.u, past.v, past.p):
            name = str(own.func)
            table[own.diff(symbol)] = (ahead[name] - behind[name]) / (2 * STEP)
        table[normal(symbol)] = normals[:, axis]
    return table


def test_the_reference_has_the_published_forces():
    points, weights, normals = past.channel().boundary("cylinder").quadrature(12)
    table = known_at(points - 2 * STEP * normals, normals)  # inside of the fluid
    names = dict(zip(table, sympy.symbols(f"s:{len(table)}"), strict=True))
    drag, lift = (
        weights @ sympy.lambdify(names.values(), force.xreplace(names))(*table.values())
        for force in past.forces()
    )
    assert drag == pytest.approx(past.DRAG, rel=2e-3)
    assert lift == pytest.approx(past.LIFT, abs=5e-3)
    before, behind = (cylinder(CENTER + side * RADIUS, CENTER)["p"] for side in (-1, 1))
    assert before - behind == pytest.approx(past.PRESSURE, rel=1e-3)


def test_the_reference_meets_the_conditions():
    domain = zoo.load("cylinder-in-channel").problem.domain
    surface = domain.boundary("cylinder").quadrature(12)[0]
    across = np.linspace(0, past.HEIGHT, 50)
    along = np.linspace(0, past.LENGTH, 200)
    still = [cylinder(*surface.T), cylinder(along, 0.0), cylinder(along, past.HEIGHT)]
    for flow in still:
        assert np.abs([flow["u"], flow["v"]]).max() < 2e-4
    inflow = 4 * past.FASTEST * across * (past.HEIGHT - across) / past.HEIGHT**2
    np.testing.assert_allclose(cylinder(0.0, across)["u"], inflow, atol=1e-4)


def test_few_elements_give_the_stored_flow():
    pytest.importorskip("skfem")
    known, (drag, lift) = elements.flow(8, 8, 16)
    assert drag == pytest.approx(past.DRAG, rel=2e-3)
    assert lift == pytest.approx(past.LIFT, abs=1e-3)
    for name, (points, values) in known.items():
        missed = values - cylinder(*points)[name]
        assert np.linalg.norm(missed) < 0.02 * np.linalg.norm(values)
