"""Orthogonal selection against least squares with every candidate in turn."""

import numpy as np
import pytest
from builders import random_nodes, run_of, system_of

from piscm import (
    PISC2,
    PISC3,
    Box,
    Condition,
    Problem,
    Sampling,
    coordinates,
    field,
    solve,
    unknown,
    zoo,
)
from piscm.construct.orthogonal import Orthogonal, best_block
from piscm.linalg.basis import Basis
from piscm.network.nodes import Nodes


def setup(fields=1, unknowns=0, nodes=12, rows=40, active=5):
    """Columns of candidates, those that are there already, and the residual."""
    rng = np.random.default_rng(0)
    design = rng.normal(size=(nodes, fields, rows))
    return design, rng.normal(size=(unknowns + active * fields, rows)), rng.normal(size=rows)


def chosen_of(design, active, residual, count):
    basis = Basis(active.shape[1])
    basis.append(active)
    return best_block(design, basis, residual, count)


def left_over(columns, residual):
    matrix = np.concatenate(columns).T
    return np.linalg.norm(residual - matrix @ np.linalg.lstsq(matrix, residual)[0])


@pytest.mark.parametrize(("fields", "unknowns"), [(1, 0), (1, 2), (3, 0), (2, 1)])
def test_each_pick_is_the_one_that_least_squares_would_make(fields, unknowns):
    design, active, residual = setup(fields, unknowns)
    chosen = chosen_of(design, active, residual, 4)
    assert len(set(chosen)) == 4
    kept = [active]
    for pick in chosen:
        rests = [left_over([*kept, own], residual) for own in design]
        assert rests[pick] == pytest.approx(min(rests))
        kept.append(design[pick])


def test_what_lies_in_the_span_is_not_picked():
    design, active, residual = setup()
    design[3, 0] = active[0] - 2 * active[4]
    design[5, 0] = np.inf
    design[7, 0] = 0.0
    chosen = chosen_of(design, active, residual, 12)
    assert not {3, 5, 7} & set(chosen)


def test_history_counts_nodes_not_blocks():
    benchmark = zoo.load("helmholtz")
    method = PISC3(max_nodes=25, selection="orthogonal", block=10)
    solution = solve(benchmark.problem, method, sampling=Sampling(interior=100, boundary=40))
    assert solution.n_nodes == len(solution.history) == 25
    assert (np.diff(solution.history.residual) <= 0).all()


# --- in a run ---------------------------------------------------------------------------------

x = coordinates("x")
u, v = field("u", x), field("v", x)
k = unknown("k")
BOX = Box({x: (0, 2)})
PROBLEMS = {
    "nonlinear": Problem(BOX, [u.diff(x) + u**3 - 1], [Condition(u - 1, on={x: 0})]),
    "two fields": Problem(
        BOX,
        [u.diff(x) - v * u, v.diff(x) + u - x],
        [Condition(u - 1, on={x: 0}), Condition(v, on={x: 0})],
    ),
    "an unknown": Problem(
        BOX,
        [u.diff(x) + k * u**2],
        [Condition(u - 1, on={x: 0}), Condition(u - k, on={x: 2})],
        {k: 0.5},
    ),
}


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("kind", [PISC2, PISC3])
def test_a_proposal_is_the_block_that_least_squares_would_take(name, kind):
    system = system_of(PROBLEMS[name], sampling=Sampling(40, 1))
    options = {"window": 6} if kind is PISC2 else {}
    method = kind(selection=Orthogonal(candidates=15, block=3), **options)
    nodes, rng = random_nodes(8, 1, scale=3.0), np.random.default_rng(1)
    columns = system.evaluate(nodes)
    weights = 0.2 * rng.normal(size=(8, system.fields))
    state = system.state_with(columns, weights, system.guesses)
    at = system.linearize(state)
    proposal = method.selector.begin(run_of(system, method, seed=5)).propose(
        state, at, columns, nodes
    )
    batch = run_of(system, method, seed=5).draw.free(15, 1.0, np.random.default_rng(5), nodes)
    design = system.evaluate(batch).at(at)
    # Of a window of six, three are new: the newest three of the old ones are corrected with them.
    active = columns.at(at)[5 if kind is PISC2 else 0 :].reshape(-1, system.rows)
    kept = [active, at.unknowns]
    assert len(proposal.nodes) == 3
    for node in proposal.nodes.weights:
        pick = int(np.flatnonzero((batch.weights == node).all(axis=1))[0])
        rests = [left_over([*kept, own], state.residual) for own in design]
        assert rests[pick] == pytest.approx(min(rests), rel=1e-6)
        kept.append(design[pick])
    np.testing.assert_array_equal(proposal.state.weights[8:], 0.0)
    assert proposal.state.energy == state.energy


def test_a_wider_range_is_drawn_from_after_each_failure():
    system = system_of(PROBLEMS["nonlinear"])
    method = PISC3(selection=Orthogonal(ranges=(1, 5, 9)))
    selector = method.selector.begin(run_of(system, method))
    none = system.evaluate(Nodes.none(1))
    ranges, ended = [], []
    for _ in range(3):
        state = system.start()
        proposal = selector.propose(state, system.linearize(state), none, Nodes.none(1))
        ranges.append(proposal.range)
        ended.append(selector.rejected())
    assert ranges == [1.0, 5.0, 9.0]
    assert ended == [False, False, True]
    selector.accepted()
    assert not selector.rejected()
