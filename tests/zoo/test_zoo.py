"""Every benchmark: its reference solves its problem, and its observations are of the reference."""

from math import factorial

import numpy as np
import pytest

from piscm import PISC1, Box, ProblemError, solve, zoo
from piscm.compile.blocks import compile_blocks

# Shares of the box; high derivatives need longer steps, or rounding drowns them.
STEPS = {1: 5e-4, 2: 5e-4, 3: 2e-3, 4: 2e-3}
REACH = 4
# High derivatives of these references drown in rounding: published values are there to compare.
ROUGH = ("driven-cavity", "driven-cavity-400", "cylinder-in-channel")


def stencil(order):
    """Weights of a central difference on nine points, exact for polynomials of degree 8."""
    shifts = np.arange(-REACH, REACH + 1.0)
    powers = np.vander(shifts, increasing=True).T
    return np.linalg.solve(powers, np.eye(len(shifts))[order]) * factorial(order)


def truth(benchmark, jet, points, finer=1):
    """A derivative of the reference by central differences."""
    name = str(benchmark.problem.fields[jet.field].func).partition("_")[0]  # u_left is u there
    box = benchmark.problem.domain.bounding_box

    def reference(at):
        names = [symbol.name for symbol in box.coordinates]
        values = benchmark.reference(**dict(zip(names, at.T, strict=True)))
        return values[name] if isinstance(values, dict) else values

    return differences(reference, jet.orders, box.width / finer, points)


def differences(function, orders, widths, points):
    """One axis after the other."""
    axes = np.flatnonzero(orders)
    if not len(axes):
        return function(points)
    axis, order = axes[0], orders[axes[0]]
    rest = tuple(0 if i == axis else own for i, own in enumerate(orders))
    step = STEPS[order] * widths * np.eye(len(widths))[axis]
    pairs = zip(stencil(order), range(-REACH, REACH + 1), strict=True)
    total = sum(
        w * differences(function, rest, widths, points + shift * step) for w, shift in pairs
    )
    return total / step[axis] ** order


def _deep_inside(domain, points, room):
    if isinstance(domain, Box):
        return ((points > domain.lower + room) & (points < domain.upper - room)).all(axis=1)
    return domain.level(points) < -room


@pytest.mark.parametrize("name", [name for name in zoo.names() if name not in ROUGH])
def test_the_reference_solves_the_equations(name):
    benchmark = zoo.load(name)
    box = benchmark.problem.domain.bounding_box
    unit = np.random.default_rng(0).uniform(0.05, 0.95, (200, box.dimension))
    points = box.lower + unit * box.width
    far = STEPS[2] * REACH * box.width.max()
    domain = benchmark.problem.domain
    if not isinstance(domain, Box) and not benchmark.problem.in_regions:  # differences need room
        points = points[_deep_inside(domain, points, max(far, 0.02))]
    everywhere = points
    for number, block in enumerate(compile_blocks(benchmark.problem)):
        if block.kind != "equations":
            continue
        if benchmark.problem.in_regions:
            domain = benchmark.problem.domain.members[benchmark.problem.in_regions[number]]
            points = everywhere[_deep_inside(domain, everywhere, max(far, 0.02))]
        jets = [truth(benchmark, jet, points) for jet in block.compiled.jets]
        unknowns = [*benchmark.truth.values(), *[0.0] * len(benchmark.problem.amplitudes)]
        residual = block.compiled.value(points, jets, unknowns)
        fields = [jet._replace(orders=(0,) * len(jet.orders)) for jet in block.compiled.jets]
        known = [*jets, *(truth(benchmark, own, points) for own in fields)]
        largest = max(np.abs(values).max() for values in known)
        # A sudden jump is shorter than the steps of the differences; those of half steps show it.
        halves = [truth(benchmark, jet, points, finer=2) for jet in block.compiled.jets]
        parted = [np.abs(a - b) > 1e-6 * largest for a, b in zip(jets, halves, strict=True)]
        resolved = ~np.any(parted, axis=0)
        assert np.mean(resolved) > 0.9
        assert np.abs(residual[resolved]).max() < 2e-6 * largest


@pytest.mark.parametrize("name", zoo.names())
def test_observations_are_of_the_reference(name):
    benchmark = zoo.load(name)
    fields = len(benchmark.problem.written_fields)
    problem = benchmark.observed(20, seed=3)
    written = (problem.statement or problem).observations  # regions divide them
    assert len(written) == fields
    assert sum(len(data.values) for data in problem.observations) == 20 // fields * fields
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


def test_the_zoo_names_what_it_has(refused):
    refused(lambda: zoo.load("nope"), "'nope'; known: van-der-pol")
