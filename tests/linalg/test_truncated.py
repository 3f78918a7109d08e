"""The engine against NumPy's."""

import numpy as np
import pytest

from piscm.linalg.truncated import (
    balance,
    gain_of_each,
    solve_each,
    solve_least_squares,
    solve_triangle,
)


def test_full_rank_is_numpys(rng):
    matrix, target = rng.normal(size=(30, 7)), rng.normal(size=30)
    found = solve_least_squares(matrix.T, target, 1e-10)
    np.testing.assert_allclose(found.solution, np.linalg.lstsq(matrix, target)[0], rtol=1e-10)
    assert found.rank == 7


def test_truncation_is_the_pseudo_inverse(rng):
    left, _ = np.linalg.qr(rng.normal(size=(30, 5)))
    right, _ = np.linalg.qr(rng.normal(size=(5, 5)))
    matrix, target = left @ np.diag([1, 1e-2, 1e-4, 1e-6, 1e-8]) @ right, rng.normal(size=30)
    found = solve_least_squares(matrix.T, target, 1e-5)
    np.testing.assert_allclose(
        found.solution, np.linalg.pinv(matrix, rcond=1e-5) @ target, rtol=1e-6
    )
    assert found.rank == 3


def test_more_columns_than_rows_gives_the_smallest_solution(rng):
    matrix, target = rng.normal(size=(4, 9)), rng.normal(size=4)
    found = solve_least_squares(matrix.T, target, 1e-10)
    np.testing.assert_allclose(found.solution, np.linalg.pinv(matrix) @ target, rtol=1e-9)


@pytest.mark.parametrize("sizes", [(1, 0), (3, 0), (1, 2), (2, 3)])
@pytest.mark.parametrize("unit", [1.0, 1e-9, 1e9])
def test_many_small_problems_are_numpys(sizes, unit, rng):
    columns, shared = rng.normal(size=(6, sizes[0], 20)), rng.normal(size=(sizes[1], 20))
    target = rng.normal(size=20)
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


@pytest.mark.parametrize("shape", [(30, 7), (7, 7), (4, 9)])
def test_a_triangle_stands_for_columns_and_target(shape, rng):
    matrix, target = (
        rng.normal(size=shape) * 10.0 ** rng.uniform(-8, 8, shape[1]),
        rng.normal(size=shape[0]),
    )
    triangle = np.linalg.qr(np.column_stack([matrix, target]), mode="r")
    found = solve_triangle(triangle, 1e-13)
    lengths = np.linalg.norm(matrix, axis=0)
    expected = np.linalg.pinv(matrix / lengths) @ target / lengths
    np.testing.assert_allclose(found.solution * lengths, expected * lengths, rtol=1e-8, atol=1e-8)
    assert found.rank == min(shape)


def test_a_triangle_of_dependent_columns_gives_the_smallest_solution(rng):
    matrix, target = rng.normal(size=(30, 5)), rng.normal(size=30)
    matrix[:, 4] = matrix[:, 3]
    matrix[:, 1] = 0.0
    found = solve_triangle(np.linalg.qr(np.column_stack([matrix, target]), mode="r"), 1e-13)
    np.testing.assert_allclose(found.solution, np.linalg.pinv(matrix) @ target, atol=1e-9)
    assert found.rank == 3


@pytest.mark.parametrize("bad", [1e200, np.inf, np.nan])
def test_a_column_beyond_the_arithmetic_has_no_step(bad, rng):
    columns = rng.normal(size=(3, 2, 8))
    expected = solve_each(columns, np.zeros((0, 8)), np.ones(8), 1e-10)
    columns[1, 0, 3] = bad
    with np.errstate(all="ignore"):  # as in `solve`
        found = solve_each(columns, np.zeros((0, 8)), np.ones(8), 1e-10)
    np.testing.assert_array_equal(found[1], 0.0)
    np.testing.assert_allclose(found[[0, 2]], expected[[0, 2]])


def test_large_columns_within_the_arithmetic_have_one():
    found = solve_each(np.full((1, 1, 4), 1e110), np.zeros((0, 4)), np.ones(4), 1e-10)
    np.testing.assert_allclose(found, 1e-110)


@pytest.mark.parametrize("unknowns", [0, 2])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_the_gain_is_what_the_step_takes_off(kind, unknowns, rng):
    columns, shared = rng.normal(size=(5, 2, 30)), rng.normal(size=(unknowns, 30))
    target = rng.normal(size=30)
    gains = gain_of_each(columns.astype(kind), shared.astype(kind), target.astype(kind))
    for own, step, gain in zip(
        columns, solve_each(columns, shared, target, 1e-10), gains, strict=True
    ):
        left = target - step @ np.concatenate([own, shared])
        np.testing.assert_allclose(gain, target @ target - left @ left, rtol=1e-4)


def test_balance_brings_columns_to_the_size_of_the_others():
    columns = np.array([[3e-9, 4e-9], [0.0, 0.0]])
    factors = balance(columns, np.array([[0.0, 10.0], [1.0, 0.0]]))
    np.testing.assert_allclose(np.linalg.norm(columns * factors[:, None], axis=1), [10.0, 0.0])
