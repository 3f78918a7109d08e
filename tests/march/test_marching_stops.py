"""Ctrl-C and time limits in the middle of a run leave a usable solution that says so."""

import time
from dataclasses import replace

import numpy as np
import pytest
import sympy
from builders import decay_of

import piscm.fit.refine as refinement
import piscm.solver as solver
from piscm import (
    PISC3,
    Auto,
    Box,
    Condition,
    NotConverged,
    Observations,
    Problem,
    Status,
    Windows,
    coordinates,
    field,
    load,
    solve,
    unknown,
    zoo,
)
from piscm.march import run

pytestmark = pytest.mark.usefixtures("at_once")

t = coordinates("t")
u = field("u", t)
k = unknown("k")
TIMES = np.linspace(0.1, 2, 20)
SMALL = PISC3(selection="orthogonal", max_nodes=20, candidates=40)
DECAY = decay_of(u)
WAVES = Problem(
    Box({t: (0, 20)}),
    [u.diff(t, 2) + u - sympy.sin(t**2 / 4)],
    [Condition(u - 1, on={t: 0}), Condition(u.diff(t), on={t: 0})],
)
INVERSE = decay_of(u, {k: 0.5}, [Observations(u, TIMES, np.exp(-TIMES))], rate=k)


def impatient(at):
    """Ctrl-C, once, when the progress is told for the `at`-th time."""
    calls = []

    def progress(nodes, residual):
        calls.append(nodes)
        if len(calls) == at:
            raise KeyboardInterrupt

    progress.calls = calls
    return progress


def solved(problem, method):
    """Solve; a Ctrl-C that comes through would end the tests too."""
    try:
        return solve(problem, method)
    except KeyboardInterrupt:
        pytest.fail("the solution was lost")


def check_usable(solution, path):
    """It says how far it got, and knows nothing beyond; saved and loaded as well."""
    end, reached = solution.problem.domain.upper[0], solution.network.solved_up_to
    assert 0 < reached < end
    assert f"solved up to t = {reached:.4g}" in repr(solution)
    assert solution.status.value in repr(solution)
    assert len(solution.history) == solution.n_nodes
    solution.save(path)
    loaded = load(path)
    assert repr(loaded) == repr(solution)
    times = np.linspace(0, end, 41)
    for own in (solution, loaded):
        np.testing.assert_array_equal(np.isfinite(own(t=times)), times <= reached)
        np.testing.assert_array_equal(np.isfinite(own(u.diff(t), t=times)), times <= reached)
        np.testing.assert_array_equal(np.isfinite(own.residual(times[:, None])), times <= reached)
        sign = sympy.Piecewise((1, u > 0), (0, True))
        assert np.isnan(own(sign, t=end))
        assert own.error_estimate.relative == np.inf
        assert list(own.error_estimate.by_field.values()) == [np.inf]
    for block in solution.block_residuals:
        assert np.isfinite(block.fitted)
        assert block.held_out is None or np.isfinite(block.held_out)


@pytest.mark.parametrize("at", [1, 2, 3, 4, 5, 6])
def test_ctrl_c_in_a_window(tmp_path, at):
    progress = impatient(at)
    solution = solve(DECAY, Windows(t, 3, method=SMALL), progress=progress)
    assert solution.status is Status.INTERRUPTED
    assert len(progress.calls) == at
    windows = solution.history["window"].max() + 1  # a later one that is not complete is left out
    assert solution.network.solved_up_to == pytest.approx(2 / 3 * windows)
    done = np.linspace(0, solution.network.solved_up_to if at > 2 else 0.0, 5)
    np.testing.assert_allclose(solution(t=done), np.exp(-done), atol=1e-5)
    check_usable(solution, tmp_path / "a.npz")


@pytest.mark.parametrize("at", [1, 2, 4])
@pytest.mark.parametrize("problem", [WAVES, DECAY], ids=["waves", "decay"])
def test_ctrl_c_ends_auto_at_once(problem, at):
    progress = impatient(at)
    solution = solve(problem, Auto(max_nodes=60, tolerance=1e-12), progress=progress)
    if len(progress.calls) >= at:
        assert solution.status is Status.INTERRUPTED
        assert len(progress.calls) == at


@pytest.mark.parametrize("at", [1, 2, 3, 4, 5, 6])
def test_ctrl_c_while_unknowns_are_found(at):
    progress = impatient(at)
    solution = solve(INVERSE, Windows(t, 2, method=SMALL), progress=progress)
    assert solution.status is Status.INTERRUPTED
    assert np.isfinite(solution(t=0.5))
    if at > 2:  # the whole domain is done by then
        assert solution.unknowns["k"].value == pytest.approx(1.0, abs=1e-3)


METHODS = [Windows(t, "auto", method=Auto(max_nodes=40)), Windows(t, 3, method=SMALL)]


@pytest.mark.parametrize("method", METHODS, ids=["Auto", "Windows"])
def test_ctrl_c_after_growth_loses_nothing(monkeypatch, method):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(refinement, "_corrected", stop)
    solution = solved(DECAY, method)
    assert solution.status is Status.INTERRUPTED
    assert solution(t=0.1) == pytest.approx(np.exp(-0.1), abs=1e-3)


@pytest.mark.parametrize("method", METHODS, ids=["Auto", "Windows"])
def test_ctrl_c_during_the_verdict_loses_nothing(monkeypatch, method):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "estimate_error", stop)
    solution = solved(DECAY, method)
    assert solution.status in (Status.INTERRUPTED, Status.CONVERGED, Status.FINISHED)
    np.testing.assert_allclose(solution(t=TIMES), np.exp(-TIMES), atol=1e-5)


# --- time -------------------------------------------------------------------------------------


def test_time_limit_in_the_middle_of_windows(tmp_path, monkeypatch):
    """A clock that growth alone moves."""
    now = [100.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])

    def progress(nodes, residual):
        now[0] += 0.01

    method = PISC3(selection="orthogonal", max_nodes=60, candidates=100, max_seconds=0.15)
    solution = solve(WAVES, Windows(t, 40, method=method), progress=progress)
    assert solution.status is Status.TIME_LIMIT
    assert not solution.status.ok
    panels = solution.network.panels
    assert panels.counts[0] > 0
    check_usable(solution, tmp_path / "a.npz")
    truth = solve(WAVES, tol=1e-8)
    done = np.linspace(0, panels.edges[0], 5)
    np.testing.assert_allclose(solution(t=done), truth(t=done), atol=1e-3)


@pytest.mark.parametrize("activation", [None, "sin"])
@pytest.mark.parametrize("problem", [zoo.load("helmholtz").problem, WAVES], ids=["alone", "march"])
def test_a_time_limit_is_for_the_whole_run(monkeypatch, problem, activation):
    """Not for each stage of growth, nor for each activation; a clock that growth alone moves."""
    now = [100.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])

    def progress(nodes, residual):
        now[0] += 0.09

    method = Auto(tolerance=1e-13, activation=activation, max_nodes=250, max_seconds=1.0)
    solution = solve(problem, method, progress=progress)
    assert now[0] - 100.0 < 1.5
    assert solution.status is Status.TIME_LIMIT


def test_a_time_limit_of_nothing():
    for method in (
        Auto(max_seconds=1e-9),
        Windows(t, 3, method=PISC3(selection="orthogonal", max_seconds=1e-9)),
        Windows(t, "auto", method=Auto(max_seconds=1e-9)),
    ):
        solution = solve(WAVES, method)
        assert solution.status is Status.TIME_LIMIT
        assert solution.n_nodes == 0
        assert np.isnan(solution(t=[0.0, 1.0])).all()
        assert np.isnan(solution.fitted_residual)
        assert solution.error_estimate.relative == np.inf
        assert "nothing was found" in repr(solution)


def test_throw_tells_of_it():
    with pytest.raises(NotConverged) as caught:
        solve(WAVES, Auto(max_seconds=1e-9), throw=True)
    assert caught.value.solution.status is Status.TIME_LIMIT


def test_ctrl_c_while_the_problem_is_posed_otherwise(monkeypatch):
    runs = []
    run_once = Auto.run

    def then_pressed(self, request):
        runs.append(request)
        if len(runs) > 1:
            raise KeyboardInterrupt
        return replace(run_once(self, request), status=Status.STALLED, error=None)

    monkeypatch.setattr(Auto, "run", then_pressed)
    monkeypatch.setattr(solver, "enriched", lambda problem, outcome: problem)
    solution = solved(DECAY, Auto())
    assert len(runs) == 2
    assert solution.status is Status.INTERRUPTED
    assert solution(t=1.0) == pytest.approx(np.exp(-1.0), abs=1e-5)
