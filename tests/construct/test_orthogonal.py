"""Orthogonal selection against least squares with every candidate in turn."""

import numpy as np
import pytest

from piscm import PISC3, Sampling, solve, zoo
from piscm.construct.orthogonal import best_block
from piscm.linalg.basis import Basis


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
