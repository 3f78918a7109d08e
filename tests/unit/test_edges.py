"""Corners that were once wrong."""

import numpy as np
import pytest
import sympy

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
from piscm.assemble.unknowns import bounds_of
from piscm.compile.blocks import compile_blocks
from piscm.inference.uncertainty import _unknown_space

t = coordinates("t")
u = field("u", t)
k = unknown("k")
ORTHOGONAL = PISC3(max_nodes=30, selection="orthogonal", candidates=40)
SMALL = Sampling(interior=60)
TIMES = np.linspace(0.1, 1, 12)


def decay(*observations):
    return Problem(
        Box({t: (0, 1)}),
        [u.diff(t) + k * u],
        [Condition(u - 1, on={t: 0})],
        {k: 0.5},
        observations or [Observations(u, TIMES, np.exp(-TIMES))],
    )


@pytest.mark.parametrize(
    "jump", [sympy.sign(u), sympy.Heaviside(u - 0.5), sympy.Piecewise((1, u > 0.5), (0, True))]
)
def test_a_jump_in_the_field_is_not_linear(jump):
    problem = Problem(Box({t: (0, 0.4)}), [u.diff(t) + jump], [Condition(u - 1, on={t: 0})])
    assert not compile_blocks(problem)[0].compiled.linear
    # From the right side of the jump: no derivative leads across it.
    solution = solve(problem, ORTHOGONAL, sampling=SMALL, initial={u: 1})
    np.testing.assert_allclose(solution(t=[0.0, 0.2, 0.4]), [1.0, 0.8, 0.6], atol=1e-6)


@pytest.mark.parametrize("expression", [u + k, 2 * (u + t) - k / 3, t * (u.diff(t) - 1)])
def test_what_is_affine_is_linear(expression):
    problem = decay()
    unknowns = {k: 1.0} if expression.has(k) else {}
    conditions = [*problem.conditions]
    extended = Problem(problem.domain, [expression], conditions, unknowns)
    assert compile_blocks(extended)[0].compiled.linear


def test_ctrl_c_after_growth_loses_nothing(monkeypatch):
    def impatient(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(refinement, "_corrected", impatient)
    solution = solve(decay(), ORTHOGONAL, sampling=SMALL)
    assert solution.status is Status.INTERRUPTED
    assert solution.n_nodes > 0
    assert np.isfinite(solution(t=0.5))
    assert np.isnan(solution.unknowns["k"].stderr)


def test_two_sets_of_observations_of_one_thing_keep_their_noise():
    rng = np.random.default_rng(0)
    exact = np.exp(-TIMES)
    sets = [Observations(u, TIMES, exact + s * rng.normal(size=12), noise=s) for s in (0.01, 0.1)]
    solution = solve(decay(*sets), ORTHOGONAL, sampling=SMALL)
    assert list(solution.uncertainty.noise.values()) == [0.01, 0.1]
    assert len({block.name for block in solution.block_residuals}) == 4


def test_fewer_rows_than_unknowns_leave_directions_open():
    scaled = np.random.default_rng(0).normal(size=(2, 4))
    left, lengths, right, null = _unknown_space(scaled, np.zeros((2, 0)))
    assert left.shape == (2, 2)
    assert lengths.shape == (2,)
    assert right.shape == null.shape == (2, 4)
    np.testing.assert_allclose(scaled @ null.T, 0.0, atol=1e-12)


def test_bounds_hold_to_the_last_bit():
    rng = np.random.default_rng(0)
    for low, value, high in np.sort(rng.normal(size=(300, 3)), axis=1):
        bounds = bounds_of(_bounded(value, low, high))
        for step in (-10.0, 10.0, 0.0):
            moved = value + bounds.clip(np.array([value]), np.array([step]))
            assert low <= moved[0] <= high


def _bounded(value, low, high):
    problem = decay()
    return Problem(
        problem.domain,
        problem.equations,
        problem.conditions,
        {k: (float(value), float(low), float(high))},
        problem.observations,
    )


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


def test_zero_is_a_solution_and_the_status_says_so():
    problem = Problem(Box({t: (0, 1)}), [u.diff(t, 2) + u], [Condition(u, on="boundary")])
    solution = solve(problem)
    assert solution.status is Status.SOLVED_AT_START
    assert solution.n_nodes == 0


def test_growth_ends_at_a_minimum():
    problem = Problem(Box({t: (0, 2)}), [u.diff(t) + u + u**3], [Condition(u - 1, on={t: 0})])
    solution = solve(problem, PISC3(max_nodes=20, selection="orthogonal"), sampling=SMALL)
    exact = np.exp(-1.0) / np.sqrt(2 - np.exp(-2.0))
    assert solution(t=1.0) == pytest.approx(exact, abs=1e-4)
    assert solution.residual <= solution.history.residual[-1]


def test_the_default_copes_with_a_long_time():
    """Thirty periods: frequencies far beyond the first range of candidates."""
    problem = Problem(
        Box({t: (0, 200)}),
        [u.diff(t, 2) + u],
        [Condition(u - 1, on={t: 0}), Condition(u.diff(t), on={t: 0})],
    )
    times = np.linspace(0, 200, 100)
    np.testing.assert_allclose(solve(problem)(t=times), np.cos(times), atol=1e-6)
