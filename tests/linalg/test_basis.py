"""The kept basis against a fresh QR and plain least squares."""

import numpy as np
import pytest

from piscm.linalg.basis import Basis

TRUNCATION = 1e-13


def basis_of(*parts):
    basis = Basis(parts[0].shape[1])
    for part in parts:
        basis.append(part)
    return basis


def left_over(columns, target):
    """The rest of the target after the best that columns, brought to one length, can do."""
    lengths = np.linalg.norm(columns, axis=1)
    matrix = (columns / np.where(lengths > 0, lengths, 1.0)[:, None]).T
    solution = np.linalg.lstsq(matrix, target, rcond=TRUNCATION)[0]
    return np.linalg.norm(target - matrix @ solution)


def check(basis, columns, target, digits=1e-9):
    """Solve, project and compare with least squares on the columns themselves."""
    assert len(basis) == len(columns)
    best = left_over(columns, target)
    size = np.linalg.norm(target)
    for found in (
        basis.solve(target, TRUNCATION),
        basis.solve_some(target, np.arange(len(columns)), TRUNCATION),
    ):
        assert np.isfinite(found.solution).all()
        own = np.linalg.norm(target - found.solution @ columns)
        assert own <= best + digits * size
    outside = basis.outside(target[None])[0]
    assert np.linalg.norm(outside) == pytest.approx(best, abs=digits * size)


@pytest.fixture
def rng():
    return np.random.default_rng(1)


@pytest.mark.parametrize("parts", [(7,), (3, 4), (1, 1, 1), (5, 0, 2), (0,), (20, 1)])
def test_columns_in_parts(rng, parts):
    pieces = [rng.normal(size=(count, 30)) for count in parts]
    columns = np.concatenate(pieces)
    target = rng.normal(size=30)
    basis = basis_of(*pieces)
    if not len(columns):
        np.testing.assert_array_equal(basis.outside(target[None])[0], target)
        return
    check(basis, columns, target)
    exact = np.linalg.lstsq(columns.T, target)[0]
    np.testing.assert_allclose(basis.solve(target, TRUNCATION).solution, exact, rtol=1e-9)
    some = np.arange(0, len(columns), 2)
    np.testing.assert_allclose(
        basis.solve_some(target, some, TRUNCATION).solution,
        np.linalg.lstsq(columns[some].T, target)[0],
        rtol=1e-8,
    )


def test_columns_of_very_different_sizes(rng):
    sizes = 10.0 ** np.array([-150, -30, -8, 0, 5, 40, 150])
    columns = rng.normal(size=(7, 25)) * sizes[:, None]
    target = rng.normal(size=25)
    basis = basis_of(columns[:3], columns[3:])
    scaled = np.linalg.lstsq((columns / sizes[:, None]).T, target)[0] / sizes
    np.testing.assert_allclose(basis.solve(target, TRUNCATION).solution, scaled, rtol=1e-9)
    check(basis, columns, target)


@pytest.mark.parametrize("where", [0, 2, 5])
@pytest.mark.parametrize("cut", [1, 3, 6])
def test_columns_of_zeros(rng, where, cut):
    columns = rng.normal(size=(6, 20))
    columns[where] = 0.0
    target = rng.normal(size=20)
    basis = basis_of(columns[:cut], columns[cut:])
    check(basis, columns, target)
    assert abs(basis.solve(target, TRUNCATION).solution[where]) < 1e-9
    basis.set_columns(columns + 1e-3 * rng.normal(size=columns.shape))  # it comes alive
    assert len(basis) == 6


def test_a_zero_column_that_comes_alive(rng):
    columns = rng.normal(size=(5, 20))
    columns[1] = 0.0
    basis = basis_of(columns)
    columns = columns + 0.0
    columns[1] = rng.normal(size=20)
    basis.set_columns(columns)
    check(basis, columns, rng.normal(size=20))
    columns[3] = 0.0
    basis.set_columns(columns)
    check(basis, columns, rng.normal(size=20))


@pytest.mark.parametrize("first", [1, 4, 9])
def test_dependent_columns(rng, first):
    columns = rng.normal(size=(10, 40))
    columns[4] = columns[0] - 3 * columns[2]
    columns[9] = columns[8] * (1 + 1e-15)
    target = rng.normal(size=40)
    basis = basis_of(columns[:first], columns[first:])
    check(basis, columns, target)
    assert basis.solve(target, TRUNCATION).rank == 8


def test_nearly_dependent_columns_as_growth_has_them(rng):
    """Smooth functions: the condition grows without limit, the residual must not care."""
    places = np.linspace(-1, 1, 120)
    columns = np.sin(np.outer(rng.uniform(-3, 3, 60), places) + rng.uniform(-3, 3, 60)[:, None])
    target = np.exp(places)
    basis = Basis(120)
    for first in range(0, 60, 10):
        basis.append(columns[first : first + 10])
        own = basis.solve(target, TRUNCATION).solution @ columns[: first + 10]
        assert np.linalg.norm(own - target) <= left_over(columns[: first + 10], target) + 1e-8


@pytest.mark.parametrize("parts", [(14,), (10, 4), (8, 8), (5, 5, 5), (10, 1, 1, 1)])
def test_more_columns_than_rows(rng, parts):
    pieces = [rng.normal(size=(count, 10)) for count in parts]
    columns, target = np.concatenate(pieces), rng.normal(size=10)
    basis = basis_of(*pieces)
    assert len(basis) == len(columns)
    found = basis.solve(target, TRUNCATION)
    np.testing.assert_allclose(found.solution @ columns, target, atol=1e-8)
    assert found.rank <= 10


@pytest.mark.parametrize("parts", [(14,), (10, 4), (8, 8), (10, 1, 1, 1)])
def test_nothing_is_outside_of_everything(rng, parts):
    pieces = [rng.normal(size=(count, 10)) for count in parts]
    outside = basis_of(*pieces).outside(rng.normal(size=(3, 10)))
    np.testing.assert_allclose(outside, 0.0, atol=1e-10)


@pytest.mark.parametrize("size", [1e-14, 1e-6, 1e-2, 0.5, 10.0, 1e6])
def test_columns_that_move(rng, size):
    columns = rng.normal(size=(12, 50)) * 10.0 ** rng.uniform(-3, 3, (12, 1))
    target = rng.normal(size=50)
    basis = basis_of(columns[:7], columns[7:])
    for _ in range(4):
        columns = columns + size * np.abs(columns).mean(axis=1)[:, None] * rng.normal(
            size=columns.shape
        )
        basis.set_columns(columns)
        check(basis, columns, target)
        exact = np.linalg.lstsq(columns.T, target, rcond=None)[0]
        np.testing.assert_allclose(basis.solve(target, TRUNCATION).solution, exact, rtol=1e-6)


def test_moving_growing_and_forgetting_together(rng):
    columns = rng.normal(size=(0, 40))
    basis = Basis(40)
    target = rng.normal(size=40)
    for round_ in range(8):
        if len(columns):
            columns = columns * (1 + 0.05 * rng.normal(size=columns.shape))
            basis.set_columns(columns)
        new = rng.normal(size=(3, 40))
        basis.append(new)
        columns = np.concatenate([columns, new])
        if round_ % 3 == 2:
            columns = columns[:-2]
            basis.keep(len(columns))
        check(basis, columns, target)
    basis.keep(0)
    assert len(basis) == 0
    basis.append(columns[:4])
    check(basis, columns[:4], target)


@pytest.mark.parametrize("depth", [1.0, 1e-6])
def test_the_factor_begins_a_basis_at_other_rows(rng, depth):
    mixed = rng.normal(size=(12, 12)) * np.geomspace(1.0, depth, 12)
    smooth, others = mixed @ rng.normal(size=(12, 40)), mixed @ rng.normal(size=(12, 60))
    basis = Basis(60, basis_of(smooth).factor)
    basis.set_columns(others)
    target = rng.normal(size=60)
    check(basis, others, target)
    more = rng.normal(size=(3, 60))
    basis.append(more)
    check(basis, np.concatenate([others, more]), target)


# Orthonormal vectors of the same columns agree with exact ones to 5e-16, 3e-12 and 2e-9.
@pytest.mark.parametrize(("depth", "digits"), [(1.0, 1e-12), (1e-6, 1e-10), (1e-9, 1e-8)])
def test_many_columns_begin_at_once(rng, depth, digits):
    mixed = rng.normal(size=(90, 90)) * np.geomspace(1.0, depth, 90)
    columns = mixed @ rng.normal(size=(90, 300))
    check(basis_of(columns), columns, rng.normal(size=300), digits)


def test_many_columns_that_depend_on_each_other_begin_as_few_do(rng):
    columns = rng.normal(size=(90, 300))
    columns[40], columns[70] = columns[3] + columns[4], 0.0
    check(basis_of(columns), columns, rng.normal(size=300))


def test_the_factor_is_that_of_a_fresh_start_after_columns_have_moved(rng):
    columns, moved = rng.normal(size=(30, 80)), rng.normal(size=(30, 80))
    basis = basis_of(columns)
    basis.set_columns(columns + 0.1 * moved)
    lengths, triangle = basis.factor
    gram = (triangle * lengths).T @ (triangle * lengths)
    np.testing.assert_allclose(gram, (columns + 0.1 * moved) @ (columns + 0.1 * moved).T, rtol=1e-9)


def test_a_factor_that_does_not_fit_is_left_out(rng):
    flat = rng.normal(size=(4, 30))
    flat[3] = 0.0
    columns, target = rng.normal(size=(4, 50)), rng.normal(size=50)
    basis = Basis(50, basis_of(flat).factor)
    basis.set_columns(columns)
    check(basis, columns, target)


def test_other_numbers_of_columns_start_again(rng):
    basis = basis_of(rng.normal(size=(5, 30)))
    for count in (9, 2, 5, 0, 3):
        columns = rng.normal(size=(count, 30))
        basis.set_columns(columns)
        assert len(basis) == count
        if count:
            check(basis, columns, rng.normal(size=30))


def test_dependent_columns_that_move(rng):
    columns = rng.normal(size=(8, 40))
    columns[5] = columns[1] + columns[2]
    basis = basis_of(columns)
    target = rng.normal(size=40)
    for size in (0.0, 1e-15, 1e-3, 1.0):
        columns = columns + size * rng.normal(size=columns.shape)
        basis.set_columns(columns)
        check(basis, columns, target, digits=1e-6)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_columns_that_are_not_finite_count_for_nothing(rng, bad):
    columns = rng.normal(size=(6, 30))
    columns[3, 4] = bad
    target = rng.normal(size=30)
    with np.errstate(invalid="ignore"):
        for basis in (basis_of(columns[:2], columns[2:]), basis_of(rng.normal(size=(6, 30)))):
            basis.set_columns(columns)
            found = basis.solve(target, TRUNCATION).solution
            assert np.isfinite(found).all()
            good = [0, 1, 2, 4, 5]
            exact = np.linalg.lstsq(columns[good].T, target)[0]
            np.testing.assert_allclose(found[good], exact, rtol=1e-8)


def test_what_is_given_is_not_changed(rng):
    columns, target = rng.normal(size=(6, 30)), rng.normal(size=30)
    before = columns.copy()
    basis = basis_of(columns)
    basis.set_columns(columns)
    basis.append(columns[:2])
    basis.outside(columns)
    basis.solve(target, TRUNCATION)
    np.testing.assert_array_equal(columns, before)


@pytest.mark.parametrize("truncation", [1e-12, 1e-8, 1e-4, 1e-2])
@pytest.mark.parametrize("least", [1e-1, 1e-3, 1e-6, 1e-9])
def test_the_truncation_is_that_of_the_columns_as_they_are(rng, truncation, least):
    """With sizes, singular values are those of the columns and not of unit ones."""
    left, _ = np.linalg.qr(rng.normal(size=(60, 8)))
    right, _ = np.linalg.qr(rng.normal(size=(8, 8)))
    columns = (left @ np.diag(np.geomspace(1, least, 8)) @ right).T
    target = rng.normal(size=60)
    basis = Basis(60)
    basis.append(columns[:5])
    basis.append(columns[5:])
    found = basis.solve(target, truncation, basis.lengths)
    values = np.linalg.svd(columns, compute_uv=False)
    near = np.abs(np.log(values / values[0] / truncation)) < 1e-6  # too close to call
    assert not near.any()
    assert found.rank == np.sum(values > truncation * values[0])
    exact = np.linalg.pinv(columns.T, rcond=truncation) @ target
    np.testing.assert_allclose(found.solution @ columns, exact @ columns, rtol=1e-5, atol=1e-6)
