"""Marches in both directions, from other solutions, with data, and how far they are."""

import numpy as np
import pytest
import sympy

from piscm import (
    PISC3,
    Auto,
    Box,
    Condition,
    Observations,
    Problem,
    ProblemError,
    Windows,
    coordinates,
    field,
    load,
    solve,
)

t = coordinates("t")
u = field("u", t)
TIMES = np.linspace(0, 12, 200)
FEW = Auto(tolerance=1e-5, activation="sin", max_nodes=12)
LONG, FEWER = 60, Auto(tolerance=1e-5, activation="sin", max_nodes=15)


def pendulum(start=0.0, end=12, observations=()):
    return Problem(
        Box({t: (0, end)}),
        [u.diff(t, 2) + sympy.sin(u)],
        [Condition(u - 1, on={t: start}), Condition(u.diff(t), on={t: start})],
        None,
        list(observations),
    )


@pytest.fixture(scope="module")
def upward():
    return solve(pendulum(), Windows(t, "auto", method=FEW))


def test_a_march_from_the_end_is_the_mirror_of_one_from_the_start(upward):
    downward = solve(pendulum(start=12.0), Windows(t, "auto", method=FEW))
    assert len(downward.network.panels.counts) > 1
    assert "windows along t" in str(downward)
    np.testing.assert_allclose(downward(t=TIMES), upward(t=12 - TIMES), atol=1e-4)
    assert downward.error_estimate.relative < 1e-4


def test_windows_of_equal_length_go_downward_too(tmp_path):
    method = PISC3(selection="orthogonal", max_nodes=30)
    downward = solve(pendulum(start=12.0), Windows(t, 4, method=method))
    assert downward.network.panels.edges == (3.0, 6.0, 9.0)
    downward.save(tmp_path / "down.npz")
    np.testing.assert_array_equal(load(tmp_path / "down.npz")(t=TIMES), downward(t=TIMES))
    slopes = downward(u.diff(t), t=np.array([3.0, 6.0, 9.0]) + 1e-9)
    np.testing.assert_allclose(
        downward(u.diff(t), t=np.array([3.0, 6.0, 9.0]) - 1e-9), slopes, atol=1e-3
    )


def test_a_march_that_stops_on_its_way_down_knows_nothing_below():
    told = []

    def impatient(nodes, residual):
        told.append(nodes)
        if len(told) == 8:
            raise KeyboardInterrupt

    method = PISC3(selection="orthogonal", max_nodes=30, block=10)
    stopped = solve(pendulum(start=12.0), Windows(t, 4, method=method), progress=impatient)
    values = stopped(t=TIMES)
    assert np.isnan(values[0])
    assert np.isfinite(values[-1])
    assert "down to t" in str(stopped)


def test_data_do_not_keep_a_problem_from_being_marched():
    plain = solve(pendulum(end=LONG), Windows(t, "auto", method=FEWER))
    times = np.linspace(0, LONG, 12)
    data = Observations(u, times[:, None], plain(t=times))
    found = solve(pendulum(end=LONG, observations=[data]), FEWER)
    assert len(found.network.panels.counts) > 1
    np.testing.assert_allclose(found(t=TIMES), plain(t=TIMES), atol=1e-4)


def test_the_solution_of_a_similar_problem_is_a_start():
    x = coordinates("x")
    w = field("w", x)

    def bratu(strength):
        ends = Condition(w, on=[{x: 0}, {x: 1}])
        return Problem(Box({x: (0, 1)}), [w.diff(x, 2) + strength * sympy.exp(w)], [ends])

    other = solve(bratu(1.0))
    near, alone = solve(bratu(1.5), initial=other), solve(bratu(1.5))
    assert near.status.ok
    np.testing.assert_allclose(near(x=0.5), alone(x=0.5), rtol=1e-6)
    with pytest.raises(ProblemError, match="fields and coordinates must be the same"):
        solve(pendulum(), initial=other)
    with pytest.raises(ProblemError, match="Auto"):
        solve(bratu(1.5), PISC3(), initial=other)


def test_the_bar_says_how_far_the_march_is(capsys):
    solve(pendulum(), Windows(t, "auto", method=FEW), progress=True)
    shown = capsys.readouterr().err
    assert "t = 12 of 12" in shown
    assert "windows" in shown
    assert "asked 1e-05" in shown
