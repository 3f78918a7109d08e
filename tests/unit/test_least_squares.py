"""The engine against NumPy's."""

import numpy as np
import pytest

from piscm.least_squares import balance, solve_each, solve_least_squares

RNG = np.random.default_rng(0)


def test_full_rank_is_numpys():
    matrix, target = RNG.normal(size=(30, 7)), RNG.normal(size=30)
    found = solve_least_squares(matrix.T, target, 1e-10)
    np.testing.assert_allclose(found.solution, np.linalg.lstsq(matrix, target)[0], rtol=1e-10)
    assert found.rank == 7


def test_truncation_is_the_pseudo_inverse():
    left, _ = np.linalg.qr(RNG.normal(size=(30, 5)))
    right, _ = np.linalg.qr(RNG.normal(size=(5, 5)))
    matrix, target = left @ np.diag([1, 1e-2, 1e-4, 1e-6, 1e-8]) @ right, RNG.normal(size=30)
    found = solve_least_squares(matrix.T, target, 1e-5)
    np.testing.assert_allclose(
        found.solution, np.linalg.pinv(matrix, rcond=1e-5) @ target, rtol=1e-6
    )
    assert found.rank == 3


def test_more_columns_than_rows_gives_the_smallest_solution():
    matrix, target = RNG.normal(size=(4, 9)), RNG.normal(size=4)
    found = solve_least_squares(matrix.T, target, 1e-10)
    np.testing.assert_allclose(found.solution, np.linalg.pinv(matrix) @ target, rtol=1e-9)


@pytest.mark.parametrize("sizes", [(1, 0), (3, 0), (1, 2), (2, 3)])
@pytest.mark.parametrize("unit", [1.0, 1e-9, 1e9])
def test_many_small_problems_are_numpys(sizes, unit):
    columns, shared = RNG.normal(size=(6, sizes[0], 20)), RNG.normal(size=(sizes[1], 20))
    target = RNG.normal(size=20)
    found = solve_each(columns, unit * shared, target, 1e-10)
    found[:, sizes[0] :] *= unit
    for own, answer in zip(columns, found, strict=True):
        best = np.linalg.lstsq(np.concatenate([own, shared]).T, target)[0]
        np.testing.assert_allclose(answer, best, rtol=1e-8)


def test_a_column_of_zeros_has_no_step():
    columns = np.zeros((2, 1, 5))
    columns[1] = 1.0
    found = solve_each(columns, np.zeros((0, 5)), np.ones(5), 1e-10)
    np.testing.assert_allclose(found, [[0.0], [1.0]])


def test_balance_brings_columns_to_the_size_of_the_others():
    columns = np.array([[3e-9, 4e-9], [0.0, 0.0]])
    factors = balance(columns, np.array([[0.0, 10.0], [1.0, 0.0]]))
    np.testing.assert_allclose(np.linalg.norm(columns * factors[:, None], axis=1), [10.0, 0.0])
