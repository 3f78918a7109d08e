"""Normal equations with a kept factor against plain least squares."""

import numpy as np
import pytest

from piscm.linalg.normal_equations import NormalEquations

NOTHING = 0.0  # is dropped


@pytest.fixture
def rng():
    return np.random.default_rng(2)


def excess(columns, target, solution):
    """How much larger the squared residual is than it has to be, relative to it."""
    best = np.linalg.lstsq(columns.T, target)[0]
    least = np.sum((target - best @ columns) ** 2)
    return np.sum((target - solution @ columns) ** 2) / least - 1


def solved(normal, columns, target, guess=None):
    """The guess and the step from it, or None where the arithmetic fails."""
    guess = np.zeros(len(columns)) if guess is None else guess
    step = normal.step(columns, target - guess @ columns)
    return None if step is None else guess + step


@pytest.mark.parametrize("shape", [(1, 10), (5, 40), (30, 60), (40, 41)])
def test_a_fresh_factor(rng, shape):
    columns, target = rng.normal(size=shape), rng.normal(size=shape[1])
    assert excess(columns, target, solved(NormalEquations(NOTHING), columns, target)) < 1e-5


def test_columns_that_grow_and_move(rng):
    normal, columns = NormalEquations(NOTHING), np.zeros((0, 80))
    target, solution = rng.normal(size=80), np.zeros(0)
    for size in (0.0, 1e-8, 1e-3, 0.1, 1.0, 30.0):
        columns = columns + size * rng.normal(size=columns.shape)
        columns = np.concatenate([columns, rng.normal(size=(4, 80))])
        guess = np.concatenate([solution, np.zeros(4)])
        solution = solved(normal, columns, target, guess)
        assert excess(columns, target, solution) < 1e-5


def test_rows_that_never_change(rng):
    normal, columns = NormalEquations(NOTHING, still=30), np.zeros((0, 80))
    target = rng.normal(size=80)
    for size in (0.0, 1e-3, 1.0, 30.0, 1.0):
        columns[:, 30:] += size * rng.normal(size=(len(columns), 50))
        columns = np.concatenate([columns, rng.normal(size=(4, 80))])
        assert excess(columns, target, solved(normal, columns, target)) < 1e-5
    normal.forget()
    columns = rng.normal(size=columns.shape)
    assert excess(columns, target, solved(normal, columns, target)) < 1e-5


def test_fewer_columns_than_before(rng):
    normal, target = NormalEquations(NOTHING), rng.normal(size=50)
    for count in (10, 4, 12, 12, 1):
        columns = rng.normal(size=(count, 50))
        assert excess(columns, target, solved(normal, columns, target)) < 1e-5
    normal.forget()
    assert excess(columns, target, solved(normal, columns, target)) < 1e-5


def test_fewer_columns_after_some_were_appended(rng):
    normal, columns, target = (
        NormalEquations(NOTHING),
        rng.normal(size=(12, 50)),
        rng.normal(size=50),
    )
    for count in (8, 12, 10, 8, 9):
        some = columns[:count]
        assert excess(some, target, solved(normal, some, target)) < 1e-5


def test_columns_of_very_different_sizes(rng):
    sizes = 10.0 ** np.array([[-100.0], [-5.0], [0.0], [7.0], [100.0]])
    columns, target = rng.normal(size=(5, 30)) * sizes, rng.normal(size=30)
    solution = solved(NormalEquations(NOTHING), columns, target)
    scaled = np.linalg.lstsq((columns / sizes).T, target)[0]
    np.testing.assert_allclose(solution * sizes[:, 0], scaled, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("kind", ["zeros", "dependent"])
def test_columns_of_zeros_and_dependent_ones_are_left_to_singular_values(rng, kind):
    columns, target = rng.normal(size=(6, 40)), rng.normal(size=40)
    columns[2] = 0.0 if kind == "zeros" else columns[0] - columns[1]
    assert solved(NormalEquations(NOTHING), columns, target) is None


@pytest.mark.parametrize("least", [1e-1, 1e-2, 1e-3, 1e-4, 1e-5])
@pytest.mark.parametrize("truncation", [1e-10, 1e-4, 1e-3, 1e-2, 0.5])
def test_there_is_no_answer_where_a_singular_value_would_be_dropped(rng, least, truncation):
    left, _ = np.linalg.qr(rng.normal(size=(40, 6)))
    right, _ = np.linalg.qr(rng.normal(size=(6, 6)))
    columns = (left @ np.diag([1, 1, 1, 1, 1, least]) @ right).T
    target = rng.normal(size=40)
    step = solved(NormalEquations(truncation), columns, target)
    if least < truncation:
        assert step is None
    elif least > 30 * truncation:  # far above it there is one
        assert excess(columns, target, step) < 1e-5


def test_a_guess_that_is_right_is_kept(rng):
    columns, target = rng.normal(size=(5, 40)), rng.normal(size=40)
    best = np.linalg.lstsq(columns.T, target)[0]
    solution = solved(NormalEquations(NOTHING), columns, target, best)
    np.testing.assert_allclose(solution, best, rtol=1e-6)
    nothing = solved(NormalEquations(NOTHING), columns, np.zeros(40))
    np.testing.assert_array_equal(nothing, 0.0)


def test_never_worse_than_the_guess_with_columns_as_growth_has_them(rng):
    places = np.linspace(-1, 1, 150)
    columns = np.sin(np.outer(rng.uniform(-4, 4, 80), places) + rng.uniform(-3, 3, 80)[:, None])
    target = np.exp(-5 * places**2)
    normal, solution, before = NormalEquations(NOTHING), np.zeros(0), np.linalg.norm(target)
    for count in range(4, 81, 4):
        guess = np.concatenate([solution, np.zeros(count - len(solution))])
        found = solved(normal, columns[:count], target, guess)
        if found is None:  # singular values take over, and a line search keeps what is better
            other = np.linalg.lstsq(columns[:count].T, target)[0]
            found = min(
                guess, other, key=lambda own: np.linalg.norm(target - own @ columns[:count])
            )
        rest = np.linalg.norm(target - found @ columns[:count])
        assert rest <= before + 1e-9 * np.linalg.norm(target)  # which differs by machine
        solution, before = found, rest
    assert before < 1e-2


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_not_finite_is_told(rng, bad):
    columns, target = rng.normal(size=(4, 20)), rng.normal(size=20)
    columns[1, 3] = bad
    with np.errstate(invalid="ignore"):
        solution = solved(NormalEquations(NOTHING), columns, target)
    assert solution is None or np.isfinite(solution).all()
