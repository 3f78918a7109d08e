"""Sine and cosine against many digits, and where the quick way must step aside."""

import mpmath
import numpy as np
import pytest

from piscm.network.waves import sin_and_cos


def both(z):
    waves = sin_and_cos(z, want_sin=True, want_cos=True)
    return waves[0], waves[1]


def exact(z):
    with mpmath.workdps(50):
        sines = [float(mpmath.sin(mpmath.mpf(float(value)))) for value in z]
        cosines = [float(mpmath.cos(mpmath.mpf(float(value)))) for value in z]
    return np.array(sines), np.array(cosines)


@pytest.mark.parametrize("reach", [1e-8, 1e-3, 1.0, 50.0, 1e3, 9.9e4, 1e5, 1e8, 1e15])
def test_within_a_unit_in_the_last_place(reach, rng):
    z = rng.uniform(-reach, reach, 300)
    for wave, truth in zip(both(z), exact(z), strict=True):
        np.testing.assert_allclose(wave, truth, rtol=0, atol=2.3e-16)


def test_small_numbers_keep_their_relative_digits():
    z = np.array([1e-300, 1e-20, 1e-9, 1e-4, 1.5e-3, 5e-324, 0.0, -1e-12])
    sine, _ = both(z)
    np.testing.assert_allclose(sine, exact(z)[0], rtol=4e-16)


def test_at_the_seams_of_the_table_and_the_zeros(rng):
    k = np.arange(-5000, 5001)
    for z in (k * (np.pi / 1024), k * (np.pi / 1024) + np.pi / 2048, k * (np.pi / 2)):
        some = rng.choice(z, 300)
        for wave, truth in zip(both(some), exact(some), strict=True):
            np.testing.assert_allclose(wave, truth, rtol=0, atol=2.3e-16)


def test_around_the_far_limit():
    z = np.nextafter(1e5, 0) * np.array([1.0, -1.0])
    for wave, truth in zip(both(z), exact(z), strict=True):
        np.testing.assert_allclose(wave, truth, rtol=0, atol=2.3e-16)


def test_one_far_number_does_not_harm_the_others(rng):
    z = np.concatenate([rng.uniform(-3, 3, 10), [1e300, -1e22]])
    for wave, truth in zip(both(z), (np.sin(z), np.cos(z)), strict=True):
        np.testing.assert_array_equal(wave, truth)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_stays_so_and_the_rest_is_right(bad):
    z = np.array([0.3, bad, -2.0, 1e4])
    with np.errstate(invalid="ignore"):
        sine, cosine = both(z)
    assert np.isnan(sine[1])
    assert np.isnan(cosine[1])
    good = [0, 2, 3]
    np.testing.assert_allclose(sine[good], np.sin(z[good]), atol=2.3e-16)
    np.testing.assert_allclose(cosine[good], np.cos(z[good]), atol=2.3e-16)


@pytest.mark.parametrize("shape", [(), (0,), (1,), (3, 0), (0, 3), (7, 5), (2, 3, 4), (8192,)])
def test_shapes(shape, rng):
    z = rng.normal(size=shape)
    z = np.asarray(z)
    for wave, truth in zip(both(z), (np.sin(z), np.cos(z)), strict=True):
        assert wave.shape == shape
        assert wave.dtype == np.float64
        np.testing.assert_allclose(wave, truth, rtol=0, atol=3e-16)


@pytest.mark.parametrize("size", [8191, 8192, 8193, 16385])
def test_pieces_join(size, rng):
    z = rng.uniform(-40, 40, size)
    for wave, truth in zip(both(z), (np.sin(z), np.cos(z)), strict=True):
        np.testing.assert_allclose(wave, truth, rtol=0, atol=3e-16)


def test_single_precision_stays_single(rng):
    z = rng.normal(size=20).astype(np.float32)
    sine, cosine = both(z)
    assert sine.dtype == cosine.dtype == np.float32
    np.testing.assert_array_equal(sine, np.sin(z))
    np.testing.assert_array_equal(cosine, np.cos(z))


def test_arrays_that_are_not_contiguous(rng):
    z = rng.normal(size=(40, 60))
    for view in (z.T, z[::2, ::3], z[::-1], np.broadcast_to(z[0], (5, 60))):
        sine, cosine = both(view)
        np.testing.assert_allclose(sine, np.sin(view), rtol=0, atol=3e-16)
        np.testing.assert_allclose(cosine, np.cos(view), rtol=0, atol=3e-16)


def test_the_argument_is_left_alone_and_only_what_is_wanted_is_made(rng):
    z = rng.normal(size=100)
    before = z.copy()
    assert set(sin_and_cos(z, want_sin=True, want_cos=False)) == {0}
    assert set(sin_and_cos(z, want_sin=False, want_cos=True)) == {1}
    assert sin_and_cos(z, want_sin=False, want_cos=False) == {}
    np.testing.assert_array_equal(z, before)
