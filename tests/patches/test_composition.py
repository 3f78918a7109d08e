"""Patches with windows, data, unknowns, several fields and integrals."""

import numpy as np
import pytest
import sympy

import piscm
from piscm import Box, Condition, Observations, Patches, Problem, Status, Windows, solve
from piscm.network.patchwork import Patchwork

x, t = piscm.coordinates("x t")
u, p, w = piscm.field("u", x), piscm.field("p", x), piscm.field("w", x, t)
mu = piscm.unknown("mu")


def heat(end=0.1, start=0.0):
    conditions = [
        Condition(w, on={x: 0}),
        Condition(w, on={x: 1}),
        Condition(w - sympy.sin(3 * sympy.pi * x), on={t: start}),
    ]
    box = Box({x: (0, 1), t: (0, end)})
    sign = 1 if start == 0 else -1  # from the high face heat runs backward
    return Problem(box, [sign * w.diff(t) - w.diff(x, 2)], conditions)


def missed(solution, exact, **at):
    found = solution(**at)
    return np.sqrt(np.mean((found - exact) ** 2) / np.mean(exact**2))


def somewhere(end=0.1):
    return dict(zip("xt", np.random.default_rng(0).random((2, 300)) * [[1], [end]], strict=True))


@pytest.mark.parametrize("start", [0.0, 0.1])
def test_windows_of_patches(start, tmp_path):
    method = Windows(t, 2, method=Patches({x: 3}))
    solution = solve(heat(start=start), method, tol=1e-4)
    at = somewhere()
    exact = np.exp(-9 * np.pi**2 * np.abs(at["t"] - start)) * np.sin(3 * np.pi * at["x"])
    assert solution.status.ok
    true = missed(solution, exact, **at)
    assert true < 1e-4
    assert true < 3 * solution.error_estimate.relative
    assert solution.network.tiles.shape == (3, 2)
    solution.save(tmp_path / "heat.npz")
    loaded = piscm.load(tmp_path / "heat.npz")
    assert np.array_equal(loaded(**at), solution(**at))
    assert loaded.method == solution.method


def test_windows_of_patches_as_many_as_it_takes():
    few = piscm.PISC3(max_nodes=60, tolerance=1.0)
    method = Windows(t, "auto", method=Patches({x: 2}, method=few))
    solution = solve(heat(), method, tol=1e-2)
    at = somewhere()
    exact = np.exp(-9 * np.pi**2 * at["t"]) * np.sin(3 * np.pi * at["x"])
    assert solution.network.tiles.shape[1] > 1
    assert solution.status.ok
    assert missed(solution, exact, **at) < 1e-2


def test_times_that_were_not_reached_are_nan(tmp_path):
    def enough(progress):
        return progress.windows == 1

    method = Windows(t, 3, method=Patches({x: 2}, method=piscm.PISC3(max_nodes=30)))
    solution = solve(heat(), method, callback=enough)
    assert solution.status is Status.INTERRUPTED
    assert np.isfinite(solution(x=0.5, t=0.01))
    assert np.isnan(solution(x=0.5, t=0.09))
    assert "NaN" in repr(solution)
    solution.save(tmp_path / "part.npz")
    assert np.isnan(piscm.load(tmp_path / "part.npz")(x=0.5, t=0.09))


def test_nonlinear_windows_of_patches():
    front = (1 - sympy.tanh((x + 0.25 - t / 2) / 0.4)) / 2
    box = Box({x: (-1, 1), t: (0, 1)})
    places = [{t: 0}, {x: -1}, {x: 1}]
    equation = w.diff(t) + w * w.diff(x) - 0.1 * w.diff(x, 2)
    problem = Problem(box, [equation], [Condition(w - front, on=on) for on in places])
    solution = solve(problem, Windows(t, 2, method=Patches({x: 2})), tol=1e-3)
    at = {"x": np.linspace(-1, 1, 101), "t": 0.9}
    assert solution.status.ok
    assert missed(solution, sympy.lambdify((x, t), front)(at["x"], 0.9), **at) < 1e-3


def decaying(seed=0, rate=-mu, guesses=None):
    """Data of 1 / (1 + 0.7 t) with noise, and the equation with its rate unknown."""
    y = piscm.field("y", t)
    points = np.linspace(0.1, 2.9, 60)
    values = 1 / (1 + 0.7 * points) + 1e-2 * np.random.default_rng(seed).standard_normal(60)
    return Problem(
        Box({t: (0, 3)}),
        [y.diff(t) - rate * y**2],
        [Condition(y - 1, on={t: 0})],
        unknowns=guesses or {mu: 0.3},
        observations=[Observations(y, points=points[:, None], values=values)],
    )


def test_unknowns_in_windows_of_patches(tmp_path):
    at = np.linspace(0.1, 2.9, 60)
    slopes = -at / (1 + 0.7 * at) ** 2
    expected = 1e-2 / np.linalg.norm(slopes)  # of least squares with the equation solved
    off = []
    for seed in range(2):
        solution = solve(decaying(seed), Windows(t, 2, method=Patches(2)), tol=1e-3)
        own = solution.unknowns["mu"]
        assert solution.status is Status.NOISY
        assert own.stderr == pytest.approx(expected, rel=0.3)
        off.append((own.value - 0.7) / expected)
    assert np.sqrt(np.mean(np.square(off))) < 2
    assert solution.network.tiles.shape == (4,)
    bars = solution.std(t=at)
    assert bars == pytest.approx(np.abs(slopes) * own.stderr, rel=0.1)
    solution.save(tmp_path / "decay.npz")
    loaded = piscm.load(tmp_path / "decay.npz")
    assert loaded.unknowns["mu"].stderr == own.stderr
    assert np.array_equal(loaded.std(t=at), bars)


def test_an_unknown_that_no_window_of_patches_determines_is_told():
    free = piscm.unknown("free")
    problem = decaying(rate=-mu * free, guesses={mu: 0.8, free: 0.5})
    solution = solve(problem, Windows(t, 2, method=Patches(2)), tol=1e-2)
    assert solution.status is Status.UNDETERMINED
    assert solution.unknowns["free"].stderr == np.inf


def test_an_unknown_of_a_field_in_space_and_time():
    method = Windows(t, 2, method=Patches({x: 2}))
    solution = solve(cooling(), method, tol=1e-2)
    own = solution.unknowns["mu"]
    assert solution.status.ok
    assert abs(own.value - 1) < 4 * own.stderr < 0.02


def test_windows_of_patches_that_were_stopped_have_an_unknown_error():
    method = Windows(t, 2, method=Patches({x: 2}))
    stopped = solve(cooling(), method, tol=1e-2, callback=lambda done: True)
    assert stopped.status is Status.INTERRUPTED
    assert isinstance(stopped.network, Patchwork)
    assert stopped.error_estimate.relative == np.inf


def test_unknowns_without_data_in_windows_of_patches_are_refused():
    y = piscm.field("y", t)
    problem = Problem(
        Box({t: (0, 1)}),
        [y.diff(t) - mu],
        [Condition(y, on={t: 0}), Condition(y - 1, on={t: 0.5})],
        unknowns={mu: 0.5},
    )
    with pytest.raises(piscm.ProblemError, match="unknowns"):
        solve(problem, Windows(t, 2, method=Patches(2)))


def test_several_fields_and_their_integrals():
    ends = [Condition(u, on={x: 0}), Condition(p - 10, on={x: 0})]
    problem = Problem(Box({x: (0, 5)}), [u.diff(x) - p, p.diff(x) + 100 * u], ends)
    solution = solve(problem, Patches(8), tol=1e-6)
    at = np.linspace(0, 5, 200)
    assert solution.status.ok
    assert np.abs(solution(u, x=at) - np.sin(10 * at)).max() < 1e-6
    assert solution.integral(u) == pytest.approx((1 - np.cos(50)) / 10, abs=1e-7)
    assert solution.integral(u**2) == pytest.approx(2.5 - np.sin(100) / 40, abs=1e-6)


def noisy(seed, noise=1e-2, given=None):
    points = np.linspace(0.1, 2.9, 60)
    rng = np.random.default_rng(seed)
    values = 1 / (1 + 0.7 * points) + noise * rng.standard_normal(60)
    return Problem(
        Box({x: (0, 3)}),
        [u.diff(x) + mu * u**2],
        [Condition(u - 1, on={x: 0})],
        unknowns={mu: 0.3},
        observations=[Observations(u, points=points[:, None], values=values, noise=given)],
    )


def test_error_bars_of_unknowns_are_the_spread_over_noise(tmp_path):
    off, ratios = [], []
    at = np.linspace(0, 3, 50)
    for seed in range(5):
        solution = solve(noisy(seed), Patches(3), tol=1e-3)
        own = solution.unknowns["mu"]
        off.append((own.value - 0.7) / own.stderr)
        ratios.append(np.abs(solution(x=at) - 1 / (1 + 0.7 * at))[1:] / solution.std(x=at)[1:])
        assert solution.status is Status.NOISY
        assert 2e-3 < own.stderr < 1e-2
    assert 0.4 < np.sqrt(np.mean(np.square(off))) < 2.0
    assert 0.3 < np.median(ratios) < 1.5
    solution.save(tmp_path / "noisy.npz")
    loaded = piscm.load(tmp_path / "noisy.npz")
    assert loaded.unknowns["mu"].stderr == own.stderr
    assert np.array_equal(loaded.std(x=at), solution.std(x=at))


def test_error_bars_follow_the_noise_that_is_given():
    small, large = (
        solve(noisy(0, given=given), Patches(3), tol=1e-2).unknowns["mu"].stderr
        for given in (1e-2, 4e-2)
    )
    assert large == pytest.approx(4 * small, rel=0.2)


def test_error_bars_against_dense_least_squares():
    """A straight line through data: the textbook formula."""
    points = np.linspace(0, 1, 40)
    values = 2 * points + 0.1 * np.random.default_rng(3).standard_normal(40)
    problem = Problem(
        Box({x: (0, 1)}),
        [u.diff(x) - mu],
        [Condition(u, on={x: 0})],
        unknowns={mu: 1.0},
        observations=[Observations(u, points=points[:, None], values=values)],
    )
    own = solve(problem, Patches(2), tol=1e-2).unknowns["mu"]
    slope = points @ values / (points @ points)
    sigma = np.sqrt(np.sum((values - slope * points) ** 2) / 39)
    assert own.value == pytest.approx(slope, rel=2e-2)
    assert own.stderr == pytest.approx(sigma / np.linalg.norm(points), rel=0.25)


def test_an_unknown_that_nothing_determines_is_told():
    free = piscm.unknown("free")
    problem = Problem(
        Box({x: (0, 1)}),
        [u.diff(x) - mu * free],
        [Condition(u, on={x: 0}), Condition(u - 1, on={x: 1})],
        unknowns={mu: 0.8, free: 1.2},
    )
    solution = solve(problem, Patches(3), tol=1e-4)
    assert solution.status is Status.UNDETERMINED
    assert solution.unknowns["mu"].stderr == np.inf


def cooling(count=40, noise=1e-3):
    rng = np.random.default_rng(1)
    points = rng.random((count, 2)) * [1, 0.1]
    values = np.exp(-(np.pi**2) * points[:, 1]) * np.sin(np.pi * points[:, 0])
    data = Observations(w, points=points, values=values + noise * rng.standard_normal(count))
    conditions = [
        Condition(w, on={x: 0}),
        Condition(w, on={x: 1}),
        Condition(w - sympy.sin(sympy.pi * x), on={t: 0}),
    ]
    box = Box({x: (0, 1), t: (0, 0.1)})
    equation = w.diff(t) - mu * w.diff(x, 2)
    return Problem(box, [equation], conditions, unknowns={mu: 0.7}, observations=[data])


def test_error_bars_in_tables_and_pictures():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    solution = solve(cooling(), Patches({x: 2}, method=piscm.PISC3(max_nodes=60)))
    own = solution.unknowns["mu"]
    assert abs(own.value - 1) < 5 * own.stderr < 0.05
    table = solution.to_xarray(x=[0.2, 0.6], t=[0.05, 0.1])
    assert np.array_equal(table.w_std, solution.std(x=[[0.2], [0.6]], t=[[0.05, 0.1]]))
    assert (table.w_std > 0).all()
    titles = [ax.get_title() for ax in solution.plot()]
    assert any("standard error" in title for title in titles), titles
    band = solution.plot("w", at={"t": 0.05})
    assert np.ravel(band)[0].collections
    matplotlib.pyplot.close("all")


def test_the_huber_loss_is_refused():
    data = Observations(u, points=[[0.2], [0.5]], values=[1.0, 1.0], loss="huber")
    problem = Problem(Box({x: (0, 1)}), [u.diff(x)], [], observations=[data])
    with pytest.raises(piscm.ProblemError, match="Huber"):
        solve(problem, Patches(2))
