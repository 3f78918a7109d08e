"""Rows that are weighted sums over points, through the whole chain: an integral is one."""

from dataclasses import replace

import numpy as np
import pytest
from builders import assembly_of, random_nodes, silent, system_of

from piscm import PISC3, Auto, Box, Condition, Problem, Sampling, coordinates, field, solve, unknown
from piscm.assemble.assembly import Assembly
from piscm.assemble.row_scaling import row_scaling
from piscm.assemble.sites import draw_points
from piscm.assemble.weighting import EVEN
from piscm.assemble.windows import Part
from piscm.fit.one_network import fit_network
from piscm.network.start import Start
from piscm.problem.places import WeightedSums

x, t = coordinates("x t")
u, w = field("u", x), field("w", x, t)
k = unknown("k")
METHOD = PISC3(selection="orthogonal", max_nodes=30, candidates=40)
PLACES = np.linspace(0, 1, 41)


def integral(count=12):
    """The integral over 0 to 1, by Gauss and Legendre."""
    points, weights = np.polynomial.legendre.leggauss(count)
    return WeightedSums((points[:, None] + 1) / 2, weights[None] / 2)


def halves(count=12):
    """The integrals over 0 to 1/2 and over all."""
    points, weights = np.polynomial.legendre.leggauss(count)
    both = np.concatenate([(points + 1) / 4, (points + 3) / 4])
    lower = np.concatenate([weights / 4, np.zeros(count)])
    return WeightedSums(both[:, None], np.stack([lower, np.tile(weights / 4, 2)]))


def parabola(expression=u - 1, place=None):
    """u'' = 2 from 0, with an integral in the place of a second condition."""
    place = integral() if place is None else place
    conditions = [Condition(u, on={x: 0}), Condition(expression, on=place)]
    return Problem(Box({x: (0, 1)}), [u.diff(x, 2) - 2], conditions)


def test_an_integral_in_the_place_of_a_condition_built_by_hand():
    problem = parabola(u)
    whole = Part.whole(problem)
    given = 0.7
    *others, total = whole.blocks
    part = Part(problem, (*others, replace(total, data=np.array([given]))))
    points = draw_points(problem.domain, part.blocks, Sampling(60), np.random.default_rng(0))
    assembly = Assembly(part, points, EVEN, Start(problem))
    fit = fit_network(assembly, METHOD, np.random.default_rng(1), silent)
    slope = 2 * (given - 1 / 3)
    found = fit.network.value(fit.network.compile(u), PLACES[:, None])
    np.testing.assert_allclose(found, PLACES**2 + slope * PLACES, atol=1e-8)
    residual = fit.network.residual(part.blocks[-1], points[2])
    assert residual.shape == (1,)
    assert abs(residual[0]) < 1e-8


@pytest.mark.parametrize("method", [METHOD, Auto(max_nodes=40)], ids=["PISC3", "Auto"])
def test_an_integral_through_solve(method):
    solution = solve(parabola(), method)
    slope = 2 * (1 - 1 / 3)
    np.testing.assert_allclose(solution(x=PLACES), PLACES**2 + slope * PLACES, atol=1e-6)
    total = solution.block_residuals[-1]
    assert (total.rows, total.held_out) == (1, None)
    assert solution.error_estimate.relative < 1e-5


def test_a_nonlinear_integral_through_solve():
    """u' = 0 with the mean of u² one is a constant of size one."""
    problem = Problem(Box({x: (0, 1)}), [u.diff(x)], [Condition(u**2 - 1, on=integral())])
    solution = solve(problem, METHOD, sampling=Sampling(40), initial={u: 0.5})
    np.testing.assert_allclose(solution(x=PLACES), 1.0, atol=1e-8)


@pytest.mark.parametrize("expression", [u - 1, u**2 - 1, u * u.diff(x) + u - k], ids=str)
@pytest.mark.parametrize("place", [integral(), halves()], ids=["one row", "two rows"])
def test_residual_and_columns_by_hand_and_by_differences(expression, place):
    unknowns = {k: 0.4} if expression.has(k) else None
    conditions = [Condition(u, on={x: 0}), Condition(expression, on=place, weight=2.0)]
    problem = Problem(Box({x: (0, 1)}), [u.diff(x, 2) - 2], conditions, unknowns)
    system, nodes = system_of(problem, "tanh"), random_nodes(4, 1)
    columns, weights = system.evaluate(nodes), np.random.default_rng(1).normal(size=(4, 1))
    state = system.state_with(columns, weights, system.guesses)
    # By hand: values at the points, then the weighted sum, then the weight of the row.
    at = np.tanh(np.outer(place.points[:, 0], nodes.weights[:, 0]) + nodes.biases)
    value = at @ weights[:, 0]
    slope = ((1 - at**2) * nodes.weights[:, 0]) @ weights[:, 0]
    inside = {u - 1: value - 1, u**2 - 1: value**2 - 1}.get(expression)
    inside = value * slope + value - 0.4 if inside is None else inside
    rows = len(place.weights)
    scale = np.sqrt(2.0 / (1 + rows))
    placed = next(item for item in system.placed if item.number == 2)
    np.testing.assert_allclose(
        state.residual[placed.rows], scale * (place.weights @ inside), rtol=1e-12
    )
    linearization, h = system.linearize(state), 1e-6
    design = columns.at(linearization)
    for node in range(4):
        step = np.zeros((4, 1))
        step[node] = h
        up, down = (
            system.state_with(columns, weights + s * step, system.guesses).residual for s in (1, -1)
        )
        np.testing.assert_allclose(design[node, 0], (up - down) / (2 * h), rtol=1e-6, atol=1e-7)
    for number in range(len(system.guesses)):
        up, down = (
            system.state_with(columns, weights, system.guesses + s).residual for s in (h, -h)
        )
        np.testing.assert_allclose(linearization.unknowns[number], (up - down) / (2 * h), atol=1e-7)


@pytest.mark.parametrize("expression", [u - 1, u**2 - 1], ids=str)
def test_the_screen_has_the_same_columns_in_fewer_digits(expression):
    system, nodes = system_of(parabola(expression, halves())), random_nodes(6, 1)
    columns = system.evaluate(nodes)
    state = system.state_with(columns, np.ones((6, 1)), np.zeros(0))
    linearization = system.linearize(state)
    design = columns.at(linearization)
    screened = system.single.columns(nodes, linearization)
    assert screened.dtype == np.float32
    np.testing.assert_allclose(screened, design, rtol=1e-4, atol=1e-5 * np.abs(design).max())


@pytest.mark.parametrize("expression", [u - 1, u**2 - 1], ids=str)
def test_slabs_have_every_row_once(expression):
    assembly = assembly_of(parabola(expression, halves()), Sampling(7, 3))
    nodes, weights = random_nodes(4, 1), np.random.default_rng(1).normal(size=(4, 1))

    def rows_of(system):
        columns = system.evaluate(nodes)
        state = system.state_with(columns, weights, np.zeros(0))
        return np.column_stack([state.residual, columns.at(system.linearize(state))[:, 0].T])

    whole = rows_of(assembly.system("sin"))
    parts = np.concatenate([rows_of(assembly.slab(slice(i, i + 1), "sin")) for i in range(7)])
    assert parts.shape == whole.shape
    np.testing.assert_allclose(parts[np.lexsort(parts.T)], whole[np.lexsort(whole.T)], rtol=1e-12)


def test_row_scaling_measures_a_sum_like_any_row():
    problem = parabola(u - 1, halves())
    assembly = assembly_of(problem)
    blocks, start = assembly.part.blocks, assembly.start
    scaling = row_scaling(problem, blocks, assembly.points, start, np.random.default_rng(0))
    # A wave of size one has an integral below one, and most are well above a hundredth.
    assert 0.01 < scaling.sizes[2] < 1.0


def at_time(when, count=10):
    points, weights = np.polynomial.legendre.leggauss(count)
    places = np.stack([(points + 1) / 2, np.full(count, when)], axis=1)
    return WeightedSums(places, weights[None] / 2)


def test_windows_keep_the_sums_that_lie_in_them():
    """Sums over x at two times belong to the windows of these times."""
    heat = w.diff(t) - w.diff(x, 2)
    conditions = [Condition(w - x, on={t: 0})]
    conditions += [Condition(w - 1, on=at_time(when)) for when in (0.2, 0.7)]
    part = Part.whole(Problem(Box({x: (0, 1), t: (0, 1)}), [heat], conditions))
    first = part.window(t, 0.0, 0.5, None)
    names = [block.name for block in part.blocks]
    assert [block.name for block in first.blocks] == names[:3]
    assert first.blocks[2].place.points[:, 1] == pytest.approx(0.2)
