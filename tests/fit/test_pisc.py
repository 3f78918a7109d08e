"""One network on the whole domain: corners that were once wrong."""

import numpy as np
import pytest
from builders import decay_of

import piscm.fit.refine as refinement
from piscm import (
    PISC2,
    PISC3,
    Box,
    Condition,
    Observations,
    Problem,
    Sampling,
    Status,
    coordinates,
    field,
    solve,
    unknown,
)
from piscm.assemble.sampling import RULES

t = coordinates("t")
u = field("u", t)
k = unknown("k")
ORTHOGONAL = PISC3(max_nodes=30, selection="orthogonal", candidates=40)
SMALL = Sampling(interior=60)
TIMES = np.linspace(0.1, 1, 12)


def decay(*observations):
    data = observations or [Observations(u, TIMES, np.exp(-TIMES))]
    return decay_of(u, {k: 0.5}, data, rate=k, end=1)


def test_ctrl_c_after_growth_loses_nothing(monkeypatch):
    def impatient(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(refinement, "_corrected", impatient)
    solution = solve(decay(), ORTHOGONAL, sampling=SMALL)
    assert solution.status is Status.INTERRUPTED
    assert solution.n_nodes > 0
    assert np.isfinite(solution(t=0.5))
    assert np.isnan(solution.unknowns["k"].stderr)


@pytest.mark.parametrize("rule", RULES)
def test_held_out_points_are_others(rule):
    solution = solve(decay(), ORTHOGONAL, sampling=Sampling(interior=20, rule=rule))
    equation, start, data = solution.block_residuals
    assert equation.held_out != equation.fitted
    assert start.held_out is None
    assert data.held_out is None
    assert repr(solution).count(" -") >= 2


def test_a_window_smaller_than_a_block():
    method = PISC2(window=4, max_nodes=24, selection="orthogonal", candidates=40)
    solution = solve(decay(), method, sampling=SMALL)
    assert (np.diff(solution.history.residual) <= 0).all()


def test_growth_ends_at_a_minimum():
    problem = Problem(Box({t: (0, 2)}), [u.diff(t) + u + u**3], [Condition(u - 1, on={t: 0})])
    solution = solve(problem, PISC3(max_nodes=20, selection="orthogonal"), sampling=SMALL)
    exact = np.exp(-1.0) / np.sqrt(2 - np.exp(-2.0))
    assert solution(t=1.0) == pytest.approx(exact, abs=1e-4)
    assert solution.residual <= solution.history.residual[-1]
