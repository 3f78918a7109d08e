"""How far data scatter, and how much each of them counts."""

import numpy as np
import pytest

from piscm.inference.noise import deviation, trust


@pytest.mark.parametrize("loss", ["square", "huber"])
def test_the_deviation_of_normal_data(loss, rng):
    assert deviation(0.3 * rng.standard_normal(20_000), loss) == pytest.approx(0.3, rel=0.03)


def test_outliers_do_not_move_the_deviation_of_the_bulk(rng):
    data = 0.3 * rng.standard_normal(20_000)
    data[:1000] += 50.0
    assert deviation(data, "huber") == pytest.approx(0.3, rel=0.1)
    assert deviation(data, "square") > 10.0


def test_a_far_datum_pulls_as_hard_as_one_at_the_edge():
    residual = np.array([0.0, -1.0, 1.35, -2.7, 13.5])
    np.testing.assert_allclose(trust(residual, 1.0, "huber"), [1.0, 1.0, 1.0, 0.5, 0.1])
    pull = np.abs(residual) * trust(residual, 1.0, "huber")
    np.testing.assert_allclose(pull[2:], 1.35)


def test_all_data_count_alike_with_the_square_loss_or_without_a_deviation():
    residual = np.array([0.0, -1e9, 3.0])
    np.testing.assert_array_equal(trust(residual, 1.0, "square"), 1.0)
    np.testing.assert_array_equal(trust(residual, 0.0, "huber"), 1.0)
