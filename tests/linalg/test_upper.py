"""The R of a QR alone."""

import numpy as np
import pytest
import scipy

from piscm.linalg.upper import upper_factor


@pytest.mark.parametrize("shape", [(40, 7), (5, 9), (3, 3), (4, 0), (0, 2)])
def test_the_factor_is_that_of_scipy_but_for_signs(rng, shape):
    matrix = rng.standard_normal(shape)
    factor = upper_factor(matrix.copy(order="F"))
    assert factor.shape == (min(shape), shape[1])
    if matrix.size:
        known = scipy.linalg.qr(matrix, mode="r")[0][: shape[1]]
        assert not np.tril(factor, -1).any()
        np.testing.assert_allclose(np.abs(factor), np.abs(known), rtol=0, atol=1e-13)
