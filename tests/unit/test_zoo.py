"""Every benchmark: its reference solves its problem, and its observations are of the reference."""

import numpy as np
import pytest

from piscm import PISC1, ProblemError, solve, zoo
from piscm.blocks import compile_blocks

STEP = 1e-3
WEIGHTS = {0: ((0, 1.0),), 1: ((1, 0.5), (-1, -0.5)), 2: ((1, 1.0), (0, -2.0), (-1, 1.0))}


def truth(benchmark, jet, points):
    """A derivative of the reference by central differences of at most second order."""
    axes = [axis for axis, order in enumerate(jet.orders) if order]
    assert len(axes) <= 1
    axis = axes[0] if axes else 0
    order = jet.orders[axis]
    name = str(benchmark.problem.fields[jet.field].func)
    total = 0.0
    for shift, weight in WEIGHTS[order]:
        moved = points.copy()
        moved[:, axis] += shift * STEP
        names = [symbol.name for symbol in benchmark.problem.domain.coordinates]
        values = benchmark.reference(**dict(zip(names, moved.T, strict=True)))
        total = total + weight * (values[name] if isinstance(values, dict) else values)
    return total / STEP**order


@pytest.mark.parametrize("name", zoo.names())
def test_the_reference_solves_the_equations(name):
    benchmark = zoo.load(name)
    box = benchmark.problem.domain
    unit = np.random.default_rng(0).uniform(0.05, 0.95, (200, box.dimension))
    points = box.lower + unit * box.width
    for block in compile_blocks(benchmark.problem):
        if block.kind != "equations":
            continue
        jets = [truth(benchmark, jet, points) for jet in block.compiled.jets]
        residual = block.compiled.value(points, jets, list(benchmark.truth.values()))
        largest = max(np.abs(jet).max() for jet in jets)
        assert np.abs(residual).max() < 2e-4 * largest


@pytest.mark.parametrize("name", zoo.names())
def test_observations_are_of_the_reference(name):
    benchmark = zoo.load(name)
    fields = len(benchmark.problem.fields)
    problem = benchmark.observed(20, seed=3)
    assert len(problem.observations) == fields
    assert sum(len(data.values) for data in problem.observations) == 20
    again = benchmark.observed(20, seed=3).observations[0].values
    np.testing.assert_array_equal(problem.observations[0].values, again)
    other = benchmark.observed(20, seed=4).observations[0].values
    assert not np.array_equal(again, other)
    solution = solve(problem, benchmark.method(PISC1, max_nodes=2), sampling=benchmark.sampling)
    assert np.isfinite(benchmark.rmse(solution, count=50))


def test_unknown_names_are_told():
    with pytest.raises(ProblemError, match=r"navier.*known: van-der-pol"):
        zoo.load("navier")
    with pytest.raises(ProblemError, match="observations"):
        zoo.load("helmholtz").observed(-1)
