"""The rows of all blocks together are those of each block alone."""

import numpy as np
import pytest

from piscm import Box, Condition, Periodic, Problem, Sampling, coordinates, field, integral
from piscm.assemble.rows import rows_of
from piscm.assemble.sites import draw_points
from piscm.assemble.windows import Part
from piscm.network.network import Network
from piscm.network.nodes import Nodes
from piscm.network.start import Start

x, t = coordinates("x t")
u, v, w = field("u", x, t), field("v", x, t), field("w", t)


def problem():
    return Problem(
        Box({x: (-1, 1), t: (0, 2)}),
        [u.diff(t) - u * u.diff(x, 2) + v.diff(x, t) - w, v * u.diff(x) - x, w.diff(t) + w],
        [
            Condition(u - x**2, on={t: 0}),
            Condition(v.diff(t) * u, on={t: 0}),
            Periodic(u, along=x),
            Periodic(u.diff(x), along=x),
            Condition(w - 1, on={t: 0}),
            Condition(integral(u, over=x) - t),
        ],
    )


@pytest.mark.parametrize("activation", ["sin", "tanh", "gaussian"])
@pytest.mark.parametrize("initial", [None, {u: x**2 * t}])
def test_rows_of_all_blocks(activation, initial, rng):
    item = problem()
    part = Part.whole(item)
    points = draw_points(item.domain, part.blocks, Sampling(50, 20), rng)
    nodes = Nodes(rng.normal(size=(12, 2)), rng.normal(size=12))
    weights = rng.normal(size=(12, 3))
    network = Network(item, Start(item, initial), activation, nodes, weights, np.zeros(0))
    together = rows_of(network, part.blocks, points)
    for block, legs, rows in zip(part.blocks, points, together, strict=True):
        np.testing.assert_allclose(rows, network.residual(block, legs), rtol=1e-10, atol=1e-12)


def test_rows_without_nodes(rng):
    item = problem()
    part = Part.whole(item)
    points = draw_points(item.domain, part.blocks, Sampling(5, 5), rng)
    empty = Network(item, Start(item), "sin", Nodes.none(2), np.zeros((0, 3)), np.zeros(0))
    for block, legs, rows in zip(
        part.blocks, points, rows_of(empty, part.blocks, points), strict=True
    ):
        np.testing.assert_array_equal(rows, empty.residual(block, legs))
