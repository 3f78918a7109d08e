"""Eigenvalues and modes against formulas."""

import pickle

import numpy as np
import pytest
import sympy
from scipy.optimize import brentq
from scipy.special import jn_zeros

from piscm import (
    Box,
    Condition,
    Disk,
    Eigenmode,
    Observations,
    Periodic,
    Problem,
    Region,
    Status,
    coordinates,
    div,
    eigen,
    eigenpairs,
    field,
    grad,
    laplacian,
    load,
    polar,
    solve,
    unknown,
)
from piscm.budget.budget import OutOfTimeError

x, y, r, k = coordinates("x y r k")
s, u, f = field("s", x), field("u", x, y), field("f", r)
lam = unknown("lam")
ENDS = [Condition(s, on="boundary")]
WAVES = s.diff(x, 2) + lam * s


def string(guess=0.0, conditions=ENDS, equation=WAVES):
    return Problem(Box({x: (0, 1)}), [equation], conditions, unknowns={lam: guess})


def values(modes):
    return [mode.unknowns["lam"].value for mode in modes]


def test_a_drum():
    drum = Problem(
        Disk({x: 0, y: 0}, radius=1),
        [laplacian(u) + lam * u],
        [Condition(u, on="boundary")],
        unknowns={lam: 0.0},
    )
    modes = eigenpairs(drum, 3, tol=1e-4)
    exact = [jn_zeros(0, 1)[0] ** 2, jn_zeros(1, 1)[0] ** 2, jn_zeros(1, 1)[0] ** 2]
    np.testing.assert_allclose(values(modes), exact, rtol=1e-5)
    assert all(mode.status.ok for mode in modes)
    assert float(modes[0].integral(u**2)) == pytest.approx(1, abs=1e-4)
    assert abs(float(modes[0].integral(u * modes[0](x=0.0, y=0.0)))) > 0.1


def test_modes_of_a_string_are_sines():
    modes = eigenpairs(string(), 3)
    at = np.linspace(0, 1, 50)
    for number, mode in enumerate(modes, start=1):
        assert mode.status.ok
        shape = np.sqrt(2) * np.sin(number * np.pi * at)
        missed = min(np.abs(mode(x=at) - sign * shape).max() for sign in (1, -1))
        assert missed < 1e-6
        assert mode.unknowns["lam"].value == pytest.approx((number * np.pi) ** 2)


def test_the_modes_nearest_to_the_guess_within_bounds():
    assert values(eigenpairs(string(150.0))) == pytest.approx([16 * np.pi**2])
    low, high = eigenpairs(string((30.0, 20.0, 100.0)), 2)
    assert values([low, high]) == pytest.approx([4 * np.pi**2, 9 * np.pi**2])


def test_buckling_of_a_clamped_column():
    clamped = [*ENDS, Condition(s.diff(x), on="boundary")]
    modes = eigenpairs(string(0.0, clamped, s.diff(x, 4) + lam * s.diff(x, 2)), 2)
    assert values(modes) == pytest.approx([4 * np.pi**2, 8.986818916**2])


def test_a_zero_eigenvalue_is_found():
    free = [Condition(s.diff(x), on="boundary")]
    modes = eigenpairs(string(1.0, free), 2)
    np.testing.assert_allclose(values(modes), [0, np.pi**2], atol=1e-6)
    assert np.ptp(modes[0](x=np.linspace(0, 1, 9))) < 1e-6


def test_a_double_eigenvalue_has_two_modes():
    ring = [Periodic(s, along=x), Periodic(s.diff(x), along=x)]
    modes = eigenpairs(string((30.0, 1.0, 100.0), ring), 2)
    np.testing.assert_allclose(values(modes), 4 * np.pi**2, rtol=1e-6)
    at = np.linspace(0, 1, 100, endpoint=False)
    both = np.stack([mode(x=at) for mode in modes])
    assert np.linalg.matrix_rank(both, tol=1e-2) == 2


def test_the_axis_of_polar_coordinates():
    disk = Problem(
        Box({r: (0, 1)}),
        [laplacian(f, polar(r)) + lam * f],
        [Condition(f, on={r: 1})],
        unknowns={lam: 0.0},
    )
    assert values(eigenpairs(disk, 2)) == pytest.approx(jn_zeros(0, 2) ** 2)


def test_solve_takes_the_method(tmp_path):
    mode = solve(string(), Eigenmode(number=2, count=2))
    assert mode.status.ok
    assert mode.unknowns["lam"].value == pytest.approx(4 * np.pi**2)
    mode.save(tmp_path / "mode.npz")
    for again in (load(tmp_path / "mode.npz"), pickle.loads(pickle.dumps(mode))):
        assert again.unknowns["lam"].value == mode.unknowns["lam"].value
        np.testing.assert_array_equal(again(x=0.3), mode(x=0.3))
        assert again.method == mode.method


def test_the_same_seed_gives_the_same_bits():
    one, two = (eigenpairs(string(), 2, seed=3) for _ in range(2))
    assert values(one) == values(two)
    np.testing.assert_array_equal(one[1](x=0.2), two[1](x=0.2))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: eigenpairs(string(equation=s.diff(x, 2) + lam * s - 1)), "holds -1 without"),
        (lambda: eigenpairs(string(equation=s.diff(x, 2) + lam * s**2)), "not linear in the"),
        (lambda: eigenpairs(string(equation=s.diff(x, 2) + lam**2 * s)), "not linear in lam"),
        (lambda: eigenpairs(string(), 0), "count"),
        (lambda: eigenpairs(string(), tol=-1), "tolerance"),
        (lambda: eigenpairs(3), "needs a Problem"),
        (lambda: Eigenmode(number=2, count=1), "of only 1 modes"),
        (
            lambda: eigenpairs(Problem(Box({x: (0, 1)}), [s.diff(x, 2) + s], ENDS)),
            "has one unknown",
        ),
        (
            lambda: eigenpairs(string().with_observations([Observations(s, [[0.5]], [1.0])])),
            "no observations",
        ),
        (
            lambda: eigenpairs(string(conditions=[*ENDS, Condition(s - 1, on={x: 0.5})])),
            "without a field",
        ),
        (
            lambda: eigenpairs(
                string(equation=s.diff(x, 2), conditions=[Condition(s + lam * s, on="boundary")])
            ),
            "appears in no equation",
        ),
    ],
)
def test_mistakes_are_named(refused, make, words):
    refused(make, words)


def test_modes_are_kept_if_the_time_ends_before_singular_functions_gave_any(monkeypatch):
    searched = eigen.eigen_outcomes
    requests = []

    def once(request, count, tol):
        requests.append(request)
        if len(requests) > 1:
            raise OutOfTimeError
        return searched(request, count, tol)

    monkeypatch.setattr(eigen, "eigen_outcomes", once)
    monkeypatch.setattr(eigen, "functions_of", lambda problem: [{s: [x**2.5]}])
    monkeypatch.setattr(eigen, "MISSED", (Status.CONVERGED,))
    assert values(eigenpairs(string(), 2)) == pytest.approx([np.pi**2, 4 * np.pi**2])
    assert len(requests) == 2


def _two_regions(left, right, item, ends, one, other):
    return Problem(
        regions=[Region(left, {k: one}), Region(right, {k: other})],
        equations=[div(k * grad(item)) + lam * item],
        conditions=[Condition(item, on=ends)],
        unknowns={lam: 0.0},
    )


def _layers(low, high, one, other, across=0.0):
    """Eigenvalues of two layers of width 1, by the determinant of what is tied."""

    def misfit(value):
        first, second = (np.sqrt((value - own * across + 0j) / own) for own in (one, other))
        return (one * first * np.cos(first) * np.sin(second) / second).real + (
            other * np.cos(second) * np.sin(first)
        ).real

    grid = np.linspace(low, high, 4001)
    values = [misfit(own) for own in grid]
    pairs = zip(grid[:-1], grid[1:], values[:-1], values[1:], strict=True)
    return [brentq(misfit, a, b, xtol=1e-13) for a, b, f, g in pairs if f * g < 0]


@pytest.mark.parametrize(("one", "other"), [(1, 1), (1, 4), (3, 0.5)])
def test_modes_of_two_regions_on_a_line(one, other):
    left, right = Box({x: (0, 1)}), Box({x: (1, 2)})
    modes = eigenpairs(_two_regions(left, right, s, "boundary", one, other), 3)
    np.testing.assert_allclose(values(modes), _layers(0.1, 60, one, other)[:3], rtol=1e-6)
    assert all(mode.status.ok for mode in modes)
    assert float(modes[1].integral(s**2)) == pytest.approx(1)
    assert set(modes[0].error_estimate.by_field) == {"s"}


@pytest.mark.parametrize("other", [1, 4])
def test_modes_of_two_regions_of_a_plane(other):
    left, right = Box({x: (0, 1), y: (0, 1)}), Box({x: (1, 2), y: (0, 1)})
    modes = eigenpairs(_two_regions(left, right, u, "boundary", 1, other), 2, tol=1e-3)
    exact = sorted(_layers(0.1, 60, 1, other, np.pi**2) + _layers(0.1, 60, 1, other, 4 * np.pi**2))
    np.testing.assert_allclose(values(modes), exact[:2], rtol=1e-4)
    assert all(mode.status.ok for mode in modes)


def test_modes_that_stay_away_from_an_axis_are_not_passed_over():
    """The equation is multiplied by r²: where that is small, modes that turn around are not."""
    r, phi = coordinates("r phi")
    w, level = field("w", r, phi), unknown("level")
    drum = Problem(
        Box({r: (0, 1), phi: (0, 2 * np.pi)}),
        [laplacian(w, polar(r, phi)) + level * w],
        [Condition(w, on={r: 1}), Periodic(w, along=phi), Periodic(w.diff(phi), along=phi)],
        unknowns={level: 1.0},
    )
    found = [mode.unknowns["level"].value for mode in eigenpairs(drum, 2, tol=1e-3)]
    np.testing.assert_allclose(found, [5.783186, 14.681971], rtol=1e-3)


def test_modes_of_half_a_disk_between_two_that_are_larger_near_the_axis():
    r, phi = coordinates("r phi")
    w, level = field("w", r, phi), unknown("level")
    half = Problem(
        Box({r: (0, 1), phi: (0, np.pi)}),
        [laplacian(w, polar(r, phi)) + level * w],
        [Condition(w, on={r: 1}), *(Condition(w.diff(phi), on={phi: at}) for at in (0, np.pi))],
        unknowns={level: 1.0},
    )
    modes = eigenpairs(half, 3, tol=1e-3)
    np.testing.assert_allclose(
        [mode.unknowns["level"].value for mode in modes],
        [jn_zeros(m, 1)[0] ** 2 for m in range(3)],
        rtol=1e-3,
    )


@pytest.mark.parametrize("seed", [0, 1])
def test_the_error_of_a_small_eigenvalue_is_relative_to_itself(seed):
    """A particle on a ring around a flux: (n - 0.8)², the smallest far below the others."""
    psi, flux = field("psi", x, complex=True), sympy.Rational(4, 5)
    waves = -psi.diff(x, 2) + 2 * sympy.I * flux * psi.diff(x) + (flux**2 - lam) * psi
    ring = [Periodic(psi, along=x), Periodic(psi.diff(x), along=x)]
    modes = eigenpairs(
        Problem(Box({x: (0, 2 * np.pi)}), [waves], ring, unknowns={lam: 0.0}), 4, seed=seed
    )
    exact = np.array([0.04, 0.04, 0.64, 0.64])
    missed = np.abs(values(modes) / exact - 1)
    assert all(error < 1e-6 for error, mode in zip(missed, modes, strict=True) if mode.status.ok)
