"""Rectangular eigenproblems against SciPy's square ones."""

import numpy as np
import pytest
import scipy

from piscm.linalg.pencil import Columns

SIZE = 40


@pytest.fixture
def square(rng):
    """A symmetric matrix with a double eigenvalue, in a badly conditioned basis."""
    turned = np.linalg.qr(rng.standard_normal((SIZE, SIZE)))[0]
    exact = np.concatenate([[1.0, 2.5, 2.5, 4.0], np.linspace(6, 50, SIZE - 4)])
    basis = rng.standard_normal((SIZE, SIZE)) * 10.0 ** rng.uniform(-5, 0, SIZE)
    return turned * exact @ turned.T, basis


@pytest.mark.parametrize("shift", [0.0, 3.9])
def test_agrees_with_the_square_problem(square, rng, shift):
    matrix, basis = square
    found, weights = Columns(-matrix @ basis, basis, basis, shift).pencil(1e-13).nearest(4, rng)
    exact = scipy.linalg.eigvalsh(matrix)
    nearest = np.sort(exact[np.argsort(np.abs(exact - shift), kind="stable")[:4]])
    np.testing.assert_allclose(np.sort(found), nearest, rtol=1e-8)
    modes = basis @ weights
    np.testing.assert_allclose(np.linalg.norm(modes, axis=0), 1.0)
    np.testing.assert_allclose(matrix @ modes, modes * found, atol=1e-5)


def test_rows_without_the_eigenvalue_are_conditions(square, rng):
    matrix, basis = square
    first = np.eye(SIZE)[:1]  # the first component of a mode is zero
    rows = np.concatenate([-matrix @ basis, 1e3 * first @ basis])
    slope = np.concatenate([basis, np.zeros((1, SIZE))])
    found, weights = Columns(rows, slope, basis, 2.4).pencil(1e-13).nearest(1, rng)
    assert found[0] == pytest.approx(2.5)  # of a double eigenvalue one such mode is left
    assert abs((first @ basis @ weights)[0, 0]) < 1e-6


def test_complex_eigenvalues_are_left_out(rng):
    matrix = scipy.linalg.block_diag([[0, 1], [-1, 0]], np.diag(np.arange(2.0, 20.0)))
    basis = rng.standard_normal((20, 20))
    found, _ = Columns(-matrix @ basis, basis, basis, 0.0).pencil(1e-13).nearest(3, rng)
    assert not np.any(np.abs(found) < 1.5)


def test_without_a_real_eigenvalue_nothing_is_found(rng):
    matrix = scipy.linalg.block_diag(*([[0, n], [-n, 0]] for n in range(1, 11)))
    basis = rng.standard_normal((20, 20))
    found, weights = Columns(-matrix @ basis, basis, basis, 0.0).pencil(1e-13).nearest(4, rng)
    assert len(found) == 0
    assert weights.shape == (20, 0)


def test_values_that_are_hardly_independent(square, rng):
    matrix, basis = square
    faint = basis.copy()
    faint[2:] *= 1e-200
    found, weights = Columns(-matrix @ basis, basis, faint, 0.0).pencil(1e-13).nearest(3, rng)
    assert np.isfinite(found).all()
    assert np.isfinite(weights).all()


def test_modes_come_in_the_order_of_their_eigenvalues_however_faint_the_rows_are(square, rng):
    """As rows that are multiplied by r² are for modes that stay near an axis."""
    exact, turned = np.linalg.eigh(square[0])
    rows = turned.T @ square[1]  # the components of a function in every mode
    slope = np.where(np.arange(SIZE) < SIZE // 2, 1.0, 1e-3)[:, None] * rows
    columns = Columns(-exact[:, None] * slope, slope, rows, 0.5)
    found, _ = columns.pencil(1e-13).nearest(5, rng)
    np.testing.assert_allclose(np.sort(found), exact[:5], rtol=1e-8)


def test_zero_is_one_eigenvalue_whatever_its_round_off():
    pencil = Columns(np.diag([0.0, 2.0, 5.0]), -np.eye(3), np.eye(3), 0.0).pencil(1e-13)
    same, other, zeros = np.eye(3)[0], np.eye(3)[1], [3e-9, 2.0, -1e-9, 0.0]
    found, _ = pencil._distinct(np.array(zeros), np.stack([same, other, same, same], axis=1))
    np.testing.assert_array_equal(np.sort(found), [0.0, 2.0])
