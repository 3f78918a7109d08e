"""Steps that end inside their bounds, and least squares that stay there."""

import numpy as np
import scipy.optimize

from piscm.linalg.bounded import Bounds


def one(low, high, positive=False):
    return Bounds(np.array([low]), np.array([high]), np.array([positive]))


def test_bounds_hold_to_the_last_bit():
    rng = np.random.default_rng(0)
    for low, value, high in np.sort(rng.normal(size=(300, 3)), axis=1):
        for step in (-10.0, 10.0, 0.0):
            moved = value + one(low, high).clip(np.array([value]), np.array([step]))
            assert low <= moved[0] <= high


def test_a_positive_unknown_never_reaches_zero():
    value = np.array([1.0])
    for _ in range(100):
        with np.errstate(invalid="ignore"):
            value = value + one(0.0, np.inf, positive=True).clip(value, np.array([-10.0]))
        assert value[0] > 0


def test_what_would_leave_is_held_and_the_others_are_solved_for_again():
    """Against all of the ways to hold some of three unknowns at their bounds."""
    rng = np.random.default_rng(1)
    columns, target = rng.normal(size=(3, 20)), 3 * rng.normal(size=20)
    bounds = Bounds(np.array([-0.1, -5.0, -0.2]), np.array([0.1, 5.0, 0.2]), np.zeros(3, bool))
    values = np.zeros(3)

    def solve(free, wanted):
        return np.linalg.lstsq(columns[free].T, wanted, rcond=None)[0], None

    steps, _ = bounds.least_squares(values, columns, target, solve)
    assert (steps >= bounds.lower).all()
    assert (steps <= bounds.upper).all()
    best = scipy.optimize.lsq_linear(columns.T, target, (bounds.lower, bounds.upper))
    np.testing.assert_allclose(steps, best.x, atol=1e-6)
