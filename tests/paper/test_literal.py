"""The engine against the paper's algorithms, run by run.

What 60 runs of the paper's sizes gave is stored, and looked at in `test_stored`.
"""

from dataclasses import replace

import pytest

from piscm import PISC1, PISC2, PISC3, solve, zoo
from piscm.linalg.threads import one_thread
from piscm.paper.literal import literal

# Runs of PISC3 that differ by more (how many of 60, the report says) part where two candidates gain
# the same but for round-off, most of them near node 380 of 400 of Helmholtz; they are not among
# these.
SAME = 1e-6


def errors(name, kind, count, seed, **options):
    """The error of the library's run and of the literal algorithm's."""
    item = zoo.load(name)
    problem, method = item.observed(count, seed), item.method(kind, **options)
    ours = solve(problem, method, sampling=item.sampling, weights=item.weights, seed=seed)
    with one_thread():
        network = literal(problem, method, item.sampling, seed, item.weights)
    return item.rmse(ours), item.rmse(replace(ours, network=network))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "kind", "count", "seed", "options"),
    [
        ("van-der-pol", PISC1, 0, 0, {}),
        ("van-der-pol", PISC2, 0, 0, {"max_nodes": 200}),
        ("van-der-pol", PISC3, 0, 1, {}),
        ("van-der-pol", PISC3, 100, 2, {"max_nodes": 200}),
        ("helmholtz", PISC3, 0, 0, {"max_nodes": 200}),
        ("allen-cahn", PISC1, 100, 0, {"max_nodes": 200}),
        ("allen-cahn", PISC3, 100, 1, {"max_nodes": 200}),
        ("van-der-pol-inverse", PISC3, 100, 0, {"max_nodes": 200}),
    ],
)
def test_a_run_is_that_of_the_literal_algorithm(name, kind, count, seed, options):
    """Of the paper's size where nothing else is said."""
    found, expected = errors(name, kind, count, seed, **options)
    assert found == pytest.approx(expected, rel=SAME)


@pytest.mark.parametrize("truncation", [1e-10, 1e-3])
@pytest.mark.parametrize("name", ["van-der-pol", "helmholtz"])
def test_the_truncation_acts_as_in_the_literal_algorithm(name, truncation):
    found, expected = errors(name, PISC3, 0, 0, max_nodes=60, truncation=truncation)
    assert found == pytest.approx(expected, rel=SAME)


@pytest.mark.parametrize("kind", [PISC1, PISC2, PISC3])
def test_unknowns_move_as_in_the_literal_algorithm(kind):
    options = {"window": 10} if kind is PISC2 else {}
    found, expected = errors("helmholtz-inverse", kind, 40, 0, max_nodes=25, **options)
    assert found == pytest.approx(expected, rel=SAME)
