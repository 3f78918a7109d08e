"""The least and the largest singular value, estimated from a factor of the Gram matrix."""

import numpy as np
import pytest

from piscm.linalg.rank import MARGIN, largest_singular_value, least_singular_value


def as_growth_has_them(rng, count):
    """Waves on an interval: their singular values fall fast at the end."""
    places = np.linspace(-1, 1, 200)
    return np.sin(np.outer(rng.uniform(-9, 9, count), places) + rng.uniform(-3, 3, count)[:, None])


@pytest.mark.parametrize("count", [1, 2, 5, 10, 20])
def test_both_ends_within_the_margin(rng, count):
    columns = as_growth_has_them(rng, count)
    gram = columns @ columns.T
    values = np.linalg.svd(columns, compute_uv=False)
    triangle = np.linalg.qr(columns.T, mode="r")  # keeps the digits that the Gram matrix loses

    def solve(x):
        return np.linalg.solve(triangle, np.linalg.solve(triangle.T, x))

    least = least_singular_value(solve, count)
    assert values[-1] * (1 - 1e-3) <= least <= MARGIN * values[-1]
    largest = largest_singular_value(lambda x: gram @ x, count)
    assert values[0] / MARGIN <= largest <= values[0] * (1 + 1e-3)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 0.0])
def test_a_factor_that_fails_gives_zero(bad, quiet):
    assert least_singular_value(lambda x: bad * x, 4) == 0.0
