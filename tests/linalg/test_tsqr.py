"""Rows in slabs: the triangle of all of them, and its least-squares solution."""

import numpy as np
import pytest

from piscm.linalg.tsqr import Triangles, triangle_of


def slabs_of(matrix, size):
    return [matrix[first : first + size] for first in range(0, len(matrix), size)]


def merged(parts):
    triangles = Triangles()
    for part in parts:
        triangles.add(triangle_of(part.copy()))
    return triangles.merged()


@pytest.mark.parametrize("size", [1, 7, 40, 1000])
def test_the_least_squares_solution_is_that_of_all_rows(size):
    rng = np.random.default_rng(0)
    matrix = rng.standard_normal((300, 12)) * np.logspace(0, -6, 12)
    right = rng.standard_normal(300)
    triangle = merged(slabs_of(np.column_stack([matrix, right]), size))
    found = np.linalg.solve(triangle[:12, :12], triangle[:12, 12])
    best, left, *_ = np.linalg.lstsq(matrix, right)
    np.testing.assert_allclose(found, best, rtol=1e-9)
    assert triangle[12, 12] ** 2 == pytest.approx(left[0], rel=1e-10)


def test_digits_that_normal_equations_lose_are_kept():
    rng = np.random.default_rng(1)
    left, right = (
        np.linalg.qr(rng.standard_normal((500, 8)))[0],
        np.linalg.qr(rng.standard_normal((8, 8)))[0],
    )
    matrix = left * np.logspace(0, -11, 8) @ right
    singular = np.linalg.svd(merged(slabs_of(matrix, 50)), compute_uv=False)
    np.testing.assert_allclose(singular, np.logspace(0, -11, 8), rtol=1e-3)


def test_few_triangles_are_alive():
    triangles = Triangles()
    for _ in range(100):
        triangles.add(np.eye(3))
        assert len(triangles._carried) <= 7
    np.testing.assert_allclose(np.abs(np.diag(triangles.merged())), 10.0)
