"""Dropping the few smallest singular values without computing all of them."""

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given
from hypothesis import strategies as st

from piscm.linalg.deflated import solve_without_smallest
from piscm.linalg.truncated import solve_by_triangle, solve_least_squares

TRUNCATION = 1e-10


def triangle_with(singular, rng):
    """An upper triangle with these singular values."""
    count = len(singular)
    left, right = (np.linalg.qr(rng.standard_normal((count, count)))[0] for _ in range(2))
    return np.asfortranarray(np.linalg.qr(left * singular @ right.T)[1])


@given(seed=st.integers(0, 2**32 - 1), lowest=st.floats(-18, -11), guess=st.integers(0, 10))
def test_it_is_the_truncated_decomposition(seed, lowest, guess):
    rng = np.random.default_rng(seed)
    exponents = np.concatenate([np.linspace(0, -6, 170), np.linspace(-6, lowest, 30)])
    near = np.abs(exponents + 10) < 1e-3  # where round-off would decide
    singular = 10.0 ** np.where(near, -9.9, exponents)
    matrix, target = triangle_with(singular, rng), rng.standard_normal(200)
    exact, _, rank, _ = scipy.linalg.lstsq(matrix, target, cond=TRUNCATION, lapack_driver="gelss")
    found = solve_without_smallest(matrix, target, TRUNCATION, guess)
    assert found is not None
    solution, kept = found
    assert kept == rank
    # What is kept has a condition of 1e10, so neither way has more digits than this.
    assert np.linalg.norm(solution - exact) < 1e-4 * np.linalg.norm(exact)
    residuals = [np.linalg.norm(matrix @ x - target) for x in (solution, exact)]
    assert residuals[0] == pytest.approx(residuals[1], rel=1e-6)


def test_where_many_are_dropped_another_way_is_taken():
    rng = np.random.default_rng(0)
    matrix = triangle_with(10.0 ** np.linspace(0, -20, 60), rng)
    target = rng.standard_normal(60)
    assert solve_without_smallest(matrix, target, TRUNCATION, 0) is None
    by_triangle = solve_by_triangle(matrix.T, target, TRUNCATION)
    by_values = solve_least_squares(matrix.T, target, TRUNCATION)
    assert by_triangle.rank == by_values.rank
    np.testing.assert_allclose(by_triangle.solution, by_values.solution, rtol=1e-4)


def test_a_column_that_is_zero_is_no_error():
    rng = np.random.default_rng(0)
    matrix = triangle_with(10.0 ** np.linspace(0, -4, 200), rng)
    matrix[:, 7] = 0.0
    assert solve_without_smallest(matrix, rng.standard_normal(200), TRUNCATION, 0) is None
