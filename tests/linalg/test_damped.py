"""Damped least squares, beside NumPy's."""

import numpy as np
import pytest

from piscm.linalg.damped import solve_damped, solve_damped_triangle, with_diagonal
from piscm.linalg.rank import largest_singular_value


def test_it_is_least_squares_where_columns_are_independent():
    rng = np.random.default_rng(0)
    columns, target = rng.standard_normal((30, 100)), rng.standard_normal(100)
    expected = np.linalg.lstsq(columns.T, target, rcond=None)[0]
    np.testing.assert_allclose(solve_damped(columns, target), expected, rtol=1e-10)
    triangle = np.linalg.qr(np.concatenate([columns, target[None]]).T)[1]
    np.testing.assert_allclose(solve_damped_triangle(triangle), expected, rtol=1e-10)


def test_dependent_columns_share_their_weight():
    rng = np.random.default_rng(1)
    columns, target = rng.standard_normal((20, 60)), rng.standard_normal(60)
    columns[7] = columns[3]
    found = solve_damped(columns, target)
    expected = np.linalg.lstsq(columns.T, target, rcond=1e-12)[0]
    missed = np.linalg.norm(expected @ columns - target)  # of which round-off may cost a bit
    assert np.linalg.norm(found @ columns - target) < 1.001 * missed


def test_the_minimum_is_that_of_the_damped_sum():
    rng = np.random.default_rng(2)
    columns = rng.standard_normal((15, 40))
    columns /= np.linalg.norm(columns, axis=1)[:, None]
    target, damping = rng.standard_normal(40), 0.3
    found = solve_damped(columns, target, damping)
    epsilon = damping * largest_singular_value(lambda x: columns @ (x @ columns), 15)
    both = np.concatenate([columns.T, epsilon * np.eye(15)])
    expected = np.linalg.lstsq(both, np.append(target, np.zeros(15)), rcond=None)[0]
    np.testing.assert_allclose(found, expected, rtol=1e-10)


@pytest.mark.parametrize("rows", [5, 12])
def test_fewer_rows_than_columns(rows):
    rng = np.random.default_rng(3)
    columns, target = rng.standard_normal((20, rows)), rng.standard_normal(rows)
    np.testing.assert_allclose(solve_damped(columns, target) @ columns, target, atol=1e-8)


def test_columns_that_vanish_or_overflow_get_no_weight():
    rng = np.random.default_rng(4)
    columns, target = rng.standard_normal((6, 30)), rng.standard_normal(30)
    columns[2], columns[4, 3] = 0.0, np.inf
    found = solve_damped(columns, target)
    rest = [0, 1, 3, 5]
    expected = np.linalg.lstsq(columns[rest].T, target, rcond=None)[0]
    np.testing.assert_allclose(found[rest], expected, rtol=1e-9)
    assert found[2] == found[4] == 0
    assert not solve_damped(columns[rest], np.full(30, np.inf)).any()


def test_a_triangle_over_a_diagonal():
    rng = np.random.default_rng(5)
    triangle, diagonal = np.triu(rng.standard_normal((9, 9))), rng.random(9)
    found = with_diagonal(triangle, diagonal)
    gram = triangle.T @ triangle + np.diag(diagonal**2)
    np.testing.assert_allclose(found.T @ found, gram, atol=1e-12)
    np.testing.assert_array_equal(found, np.triu(found))
