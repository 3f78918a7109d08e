"""The reference solutions, checked against independent methods."""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from builders import etdrk4
from numpy.typing import ArrayLike, NDArray

from piscm.zoo.references import allen_cahn, van_der_pol

Array = NDArray[np.float64]
Modes = NDArray[np.complexfloating]
Reference = Callable[[ArrayLike, ArrayLike], Array]


def van_der_pol_taylor(drives: Array, steps: int, order: int = 30) -> tuple[Array, Array]:
    """Integrate by Taylor series in extended precision; return all u after each step."""
    precise = np.longdouble
    step = precise(van_der_pol.T_END) / steps
    powers = step ** np.arange(order + 2, dtype=precise)
    series = np.zeros((order + 2, drives.size), precise)
    u = np.full(drives.size, precise(van_der_pol.INITIAL_VALUE))
    slope = np.full(drives.size, precise(van_der_pol.INITIAL_SLOPE))
    values = []
    for _ in range(steps):
        series[:2] = u, slope
        damping = np.zeros_like(series)
        damping[0] = 1
        for k in range(order):
            damping[k] -= (series[: k + 1] * series[k::-1]).sum(axis=0)
            slopes = np.arange(1, k + 2)[:, None] * series[1 : k + 2]
            force = (damping[: k + 1] * slopes[::-1]).sum(axis=0) - series[k]
            series[k + 2] = (force + (drives if k == 0 else 0)) / ((k + 1) * (k + 2))
        u = powers @ series
        slope = (np.arange(1, order + 2) * powers[:-1]) @ series[1:]
        values.append(u)
    times = van_der_pol.T_END * np.arange(1, steps + 1) / steps
    return times, np.array(values, np.float64)


def allen_cahn_fourier(points: int, steps: int, exact_start: bool) -> tuple[Array, Array]:
    """Integrate to t = 0.5 by a Fourier pseudo-spectral method with ETDRK4."""
    x = -1 + 2 * np.arange(points) / points
    k = np.arange(points // 2 + 1.0)
    growth = allen_cahn.REACTION - allen_cahn.DIFFUSIVITY * (np.pi * k) ** 2

    def reaction(modes: Modes) -> Modes:
        return np.asarray(-allen_cahn.REACTION * np.fft.rfft(np.fft.irfft(modes, points) ** 3))

    def integral(m: Array) -> Array:
        """Integrate x^2 cos(m pi x) from -1 to 1."""
        nonzero = np.where(m == 0, 1, m)
        return np.where(m == 0, 2 / 3, 4 * (-1.0) ** m / (np.pi * nonzero) ** 2)

    if exact_start:
        v = points / 4 * (-1.0) ** k * np.add(integral(k - 1), integral(k + 1)) + 0j
    else:
        v = np.fft.rfft(x**2 * np.cos(np.pi * x))
    v = etdrk4(v, growth, reaction, allen_cahn.T_END / steps, steps)
    return x, np.fft.irfft(v, points)


def test_van_der_pol_agrees_with_taylor_series() -> None:
    drives = np.linspace(0, 1, 41)
    times, expected = van_der_pol_taylor(drives, steps=143)
    difference = np.abs(van_der_pol.reference(times[:, None], drives) - expected)
    assert difference.max() < 1e-12


def test_van_der_pol_without_damping_is_an_oscillation() -> None:
    t, drive = np.linspace(0, 5, 50)[:, None], np.linspace(0, 1, 20)
    expected = drive + (-0.25 - drive) * np.cos(t) - 2 * np.sin(t)
    np.testing.assert_allclose(van_der_pol.reference(t, drive, mu=0.0), expected, atol=1e-12)


@pytest.mark.slow
def test_allen_cahn_converges() -> None:
    differences = [difference for _, difference in allen_cahn.convergence()]
    assert all(a > 30 * b for a, b in pairwise(differences))
    assert differences[-1] < 1e-12


def test_plain_fourier_approaches_the_allen_cahn_reference_at_second_order() -> None:
    differences = []
    for points in (512, 1024, 2048):
        x, u = allen_cahn_fourier(points, steps=200, exact_start=False)
        difference = np.abs(u - allen_cahn.reference(x, 0.5))
        assert difference[np.abs(x) < 0.9].max() < 2e-9
        differences.append(difference.max())
    ratios = np.divide(differences[:-1], differences[1:])
    np.testing.assert_allclose(ratios, 4, rtol=0.05)


def test_allen_cahn_agrees_with_fourier_from_exact_coefficients() -> None:
    x, u = allen_cahn_fourier(2048, steps=1000, exact_start=True)
    np.testing.assert_allclose(u, allen_cahn.reference(x, 0.5), rtol=0, atol=3e-12)


def test_allen_cahn_starts_at_the_initial_value_and_moves_off_it_like_the_heat_equation() -> None:
    x = np.linspace(-1, 1, 101)
    np.testing.assert_array_equal(allen_cahn.reference(x, 0.0), x**2 * np.cos(np.pi * x))
    t = np.append(1e-320, np.logspace(-60, -8, 14))
    heat_at_kink = -1 + 4 * np.sqrt(allen_cahn.DIFFUSIVITY * t / np.pi)
    np.testing.assert_allclose(allen_cahn.reference(1.0, t), heat_at_kink, rtol=0, atol=1e-10)


def test_allen_cahn_is_even() -> None:
    x = np.linspace(0, 1, 57)
    np.testing.assert_array_equal(allen_cahn.reference(x, 0.3), allen_cahn.reference(-x, 0.3))


@pytest.mark.parametrize("reference", [van_der_pol.reference, allen_cahn.reference])
def test_references_broadcast_and_split_large_requests(reference: Reference) -> None:
    first, second = np.linspace(0, 0.5, 251)[:, None], np.linspace(0, 0.5, 101)
    grid = reference(first, second)
    assert grid.shape == (251, 101)
    assert grid.dtype == np.float64
    assert reference(first[7, 0], second[9]).shape == ()
    assert reference(first[7, 0], second[9]) == pytest.approx(grid[7, 9], abs=1e-13)
    assert reference(np.empty((0, 3)), 0.1).shape == (0, 3)


@pytest.mark.parametrize(
    ("reference", "first", "second"),
    [
        (van_der_pol.reference, 5.1, 0.5),
        (van_der_pol.reference, 1.0, -0.1),
        (van_der_pol.reference, np.nan, 0.5),
        (allen_cahn.reference, 1.01, 0.1),
        (allen_cahn.reference, -1.01, 0.1),
        (allen_cahn.reference, 0.0, 0.6),
        (allen_cahn.reference, 0.0, np.nan),
    ],
)
def test_points_outside_the_domain_are_refused(
    reference: Reference, first: float, second: float
) -> None:
    with pytest.raises(ValueError, match="outside the domain"):
        reference(first, second)
