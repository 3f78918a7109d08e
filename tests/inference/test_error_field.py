"""The estimated error at points against the true one."""

import numpy as np
import pytest
import sympy

from piscm import (
    PISC3,
    Box,
    Condition,
    Disk,
    Observations,
    Patches,
    Problem,
    ProblemError,
    Sampling,
    Windows,
    coordinates,
    field,
    laplacian,
    solve,
    unknown,
)

x, y, t = coordinates("x y t")
u, v = field("u", x, y), field("v", t)
FEW = PISC3(max_nodes=25, scale=3.0, selection="orthogonal", candidates=20)


def on_a_disk(seed):
    exact = sympy.sin(3 * x) * sympy.exp(y)
    problem = Problem(
        Disk({x: 0, y: 0}, 1),
        [laplacian(u) + u**3 - laplacian(exact, x, y) - exact**3],
        [Condition(u - exact, on="boundary")],
    )
    found = solve(problem, FEW, sampling=Sampling(300, 80), seed=seed)
    rng = np.random.default_rng(5)
    points = problem.domain.sample_inside(800, lambda count, dim: rng.random((count, dim)))
    return found, points, sympy.lambdify((x, y), exact)(*points.T)


def in_windows(seed):
    """An error that grows by a factor of 20, through three windows."""
    problem = Problem(Box({t: (0, 3)}), [v.diff(t) - v], [Condition(v - 1, on={t: 0})])
    few = PISC3(max_nodes=4, scale=1.0, selection="orthogonal", candidates=20, block=2)
    found = solve(problem, Windows(t, 3, method=few), seed=seed)
    points = np.linspace(0, 3, 400)[:, None]
    return found, points, np.exp(points[:, 0])


@pytest.mark.parametrize("case", [on_a_disk, in_windows])
def test_it_is_large_where_the_error_is(case):
    sizes, shapes = [], []
    for seed in range(3):
        found, points, truth = case(seed)
        band = found.error_at(*points.T)
        true = np.abs(found(*points.T) - truth)
        assert (band >= 0).all()
        sizes.append(np.sqrt(np.mean(band**2) / np.mean(true**2)))
        shapes.append(np.corrcoef(band, true)[0, 1])
    assert 0.5 < np.median(sizes) < 2
    assert np.median(shapes) > 0.8


def test_its_mean_is_the_estimate():
    found, points, _ = on_a_disk(0)
    mean = np.sqrt(np.mean(found.error_at(*points.T) ** 2))
    assert mean == pytest.approx(found.error_estimate.by_field["u"], rel=0.3)
    assert found.error_at("u", 0.5, 0.5) == found.error_at(x=0.5, y=0.5)


def test_nothing_is_known_of_what_is_free():
    problem = Problem(Disk({x: 0, y: 0}, 1), [laplacian(u)], [Condition(u - x, on={x: 0})])
    found = solve(problem, FEW, sampling=Sampling(200, 40))
    assert found.error_estimate.free == ("u",)
    assert found.error_at(0.5, 0.5) == np.inf


def test_where_there_is_none(refused):
    line = Problem(Box({t: (0, 1)}), [v.diff(t) + v], [Condition(v - 1, on={t: 0})])
    refused(lambda: solve(line, FEW).error_at("v_t", 0.5), "one of the fields")
    refused(lambda: solve(line, Patches(2), tol=1e-2).error_at(0.5), "forward problems")
    k = unknown("k")
    data = Observations(v, [0.5, 1.0], [0.6, 0.4])
    fitted = Problem(line.domain, [v.diff(t) + k * v], line.conditions, {k: 1.0}, [data])
    with pytest.raises(ProblemError, match=r"solution\.std"):
        solve(fitted, FEW).error_at(0.5)
