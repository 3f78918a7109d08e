"""Where patches that follow layers are cut, and how."""

import numpy as np
import pytest

from piscm import Box, coordinates
from piscm.patches.grid import Grid, halved
from piscm.patches.rough import rough_cells

x, y = coordinates("x y")
GRID = Grid.even(Box({x: (0, 1), y: (0, 1)}), (4, 4))


def energies(**cells):
    own = np.full(16, 1e-3)
    for name, value in cells.items():
        own[GRID.numbers[int(name[1]), int(name[2])]] = value
    return own


def test_corners_that_hold_the_residual_are_cut():
    own = energies(c00=5.0, c33=3.0, c30=2.0)
    assert rough_cells(GRID, own, in_corners=False) == [(0, 0), (3, 3), (3, 0)]


def test_few_others_are_too_but_not_many():
    assert rough_cells(GRID, energies(c12=1.0), in_corners=False) == [(1, 2)]
    assert rough_cells(GRID, energies(c12=1.0, c21=1.0, c22=1.0), in_corners=False) == []
    assert rough_cells(GRID, np.ones(16), in_corners=False) == []


def test_corners_alone():
    assert rough_cells(GRID, energies(c12=1.0, c03=0.5), in_corners=True) == [(0, 3)]


def test_cells_at_faces_are_cut_near_them():
    cut = halved(GRID.edges, [(0, 1), (3, 1)], at_faces=True)
    assert cut[0] == pytest.approx((0, 1 / 24, 0.25, 0.5, 0.75, 1 - 1 / 24, 1))
    assert cut[1] == pytest.approx((0, 0.25, 0.375, 0.5, 0.75, 1))
    assert halved(((0.0, 1.0),), at_faces=True) == ((0.0, 0.5, 1.0),)


def test_cells_of_all_sizes_have_as_many_points():
    grid = Grid.of(GRID.domain, ((0.0, 0.01, 1.0), (0.0, 1.0)))
    points = grid.moved(np.random.default_rng(0).random((1000, 2)))
    assert np.mean(grid.patches_of(points)) == pytest.approx(0.5, abs=0.05)
    volumes = grid.volumes(points)
    assert np.mean(volumes) == pytest.approx(1, abs=0.1)
    assert set(np.round(volumes, 12)) == {0.02, 1.98}
    assert GRID.volumes(points) is None
    assert GRID.moved(points) is points
