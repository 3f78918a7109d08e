"""Compiled residuals: values by hand, partials by hand and by finite differences."""

import numpy as np
import pytest
import sympy

from piscm import Box, Condition, Periodic, Problem, ProblemError, coordinates, field, unknown, zoo
from piscm.compile.blocks import Compiled, compile_blocks

x, t = coordinates("x t")
u, v = field("u", x, t), field("v", x, t)
k = unknown("k")
POINTS = np.array([[0.21, 0.83], [0.35, 0.4], [0.48, 0.66], [0.59, 0.24], [0.72, 0.9], [0.88, 0.5]])

EXPRESSIONS = {
    "linear": u.diff(t) - x * u.diff(x, 2) + sympy.exp(t) * u - sympy.sin(x),
    "product": u * u.diff(x) + k * u.diff(x, 2),
    "powers": u**3 + 1 / (2 + u) + sympy.sqrt(3 + u.diff(x)),
    "functions": sympy.tanh(u) + sympy.exp(u.diff(t)) * sympy.sin(k * u),
    "two fields": u.diff(t) - u * v + k * v.diff(x, t) ** 2,
    "mixed": u.diff(x, 2, t) * u.diff(x, t) - k**2,
    "nonsmooth": sympy.Abs(u) + sympy.Max(v, 0) + sympy.Heaviside(x - 0.5) * u,
    "cancelling": u * (u.diff(t) / u - 3) + v**2 + u.diff(x) * (1 + v / u.diff(x)),
    "pieces": sympy.Piecewise((u**2, x < 0.5), (k * u, True)),
}


def compiled(expression):
    return Compiled(expression, (u, v), (x, t), (k,), "The test")


def at_random(name):
    """An expression, and jets and unknowns to take it at."""
    block = compiled(EXPRESSIONS[name])
    jets = np.random.default_rng(3).uniform(0.3, 1.0, (len(block.jets), len(POINTS)))
    return block, jets, np.array([0.7])


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_partials_are_differences(name):
    block, jets, unknowns = at_random(name)
    by_jets, by_unknowns = block.linearize(POINTS, jets, unknowns)
    h = 1e-6
    for i in range(len(block.jets)):
        step = np.zeros_like(jets)
        step[i] = h
        upper = block.value(POINTS, jets + step, unknowns)
        lower = block.value(POINTS, jets - step, unknowns)
        np.testing.assert_allclose(by_jets[i], (upper - lower) / (2 * h), atol=1e-7)
    slope = block.value(POINTS, jets, unknowns + h) - block.value(POINTS, jets, unknowns - h)
    np.testing.assert_allclose(by_unknowns[0], slope / (2 * h), atol=1e-7)


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_strands_are_another_way_to_write_the_residual(name):
    block, jets, unknowns = at_random(name)
    by_jets, by_unknowns = block.linearize(POINTS, jets, unknowns)
    strands = [
        sum(by_jets[jet] * jets[jet] for jet in strand.jets)
        if strand.fixed
        else jets[strand.jets[0]]
        for strand in block.strands
    ]
    value = block.of_strands.value(POINTS, strands, unknowns)
    np.testing.assert_allclose(value, block.value(POINTS, jets, unknowns), rtol=1e-12, atol=1e-12)
    by_strands, again = block.of_strands.linearize(POINTS, strands, unknowns)
    np.testing.assert_allclose(again, by_unknowns, rtol=1e-12, atol=1e-12)
    for strand, partial in zip(block.strands, by_strands, strict=True):
        expected = 1.0 if strand.fixed else by_jets[strand.jets[0]]
        np.testing.assert_allclose(partial, np.broadcast_to(expected, partial.shape), rtol=1e-12)


def test_every_jet_is_in_one_strand_and_fields_stand_together():
    block = compiled(u.diff(t) - x * u.diff(x, 2) + u**2 * v - sympy.sign(v.diff(x)) + v.diff(t))
    assert sorted(jet for strand in block.strands for jet in strand.jets) == list(range(5 + 1))
    assert [strand.field for strand in block.strands] == sorted(
        strand.field for strand in block.strands
    )
    fixed = {
        (block.jets[jet].field, block.jets[jet].orders)
        for strand in block.strands
        if strand.fixed
        for jet in strand.jets
    }
    # The partial by a jump is zero at every state, and yet its jet must be seen.
    assert fixed == {(0, (0, 1)), (0, (2, 0)), (1, (0, 1))}


def test_van_der_pol_by_hand():
    mu = 1.0
    problem = zoo.load("van-der-pol").problem
    block = compile_blocks(problem)[0].compiled
    points = np.random.default_rng(0).uniform(0, 1, (5, 2))
    state = dict(
        zip([(0, 0), (1, 0), (2, 0)], np.random.default_rng(1).normal(size=(3, 5)), strict=True)
    )
    jets = np.array([state[jet.orders] for jet in block.jets])
    value = block.value(points, jets, ())
    partials, _ = block.linearize(points, jets, ())
    by_orders = {jet.orders: row for jet, row in zip(block.jets, partials, strict=True)}
    w, w_t, w_tt = state[0, 0], state[1, 0], state[2, 0]
    np.testing.assert_allclose(value, w_tt - mu * (1 - w**2) * w_t + w - points[:, 1])
    np.testing.assert_allclose(by_orders[0, 0], 2 * mu * w * w_t + 1)
    np.testing.assert_allclose(by_orders[1, 0], -mu * (1 - w**2))
    np.testing.assert_allclose(by_orders[2, 0], 1.0)


@pytest.mark.parametrize(
    ("expression", "linear"),
    [
        (u.diff(x, 2) + sympy.exp(x) * u - t, True),
        (u + k, True),
        (u.diff(x, 2) + k * u, False),
        (u * u.diff(x), False),
        (u + k**2, False),
    ],
)
def test_linear_means_that_no_partial_ever_changes(expression, linear):
    assert compiled(expression).linear is linear


def test_trials_are_evaluated_side_by_side():
    block = compiled(u * u.diff(x) + k)
    jets = np.random.default_rng(0).normal(size=(2, 3, len(POINTS)))
    unknowns = np.array([1.0, 2.0, 3.0])[:, None]
    together = block.value(POINTS, jets, [unknowns])
    for trial in range(3):
        alone = block.value(POINTS, jets[:, trial], [unknowns[trial, 0]])
        np.testing.assert_array_equal(together[trial], alone)


def test_names_of_blocks_say_what_they_are():
    problem = Problem(
        Box({x: (0, 1), t: (0, 1)}),
        [u.diff(t) - u.diff(x, 2)],
        [Condition(u - 1, on={t: 0}), Periodic(u, along=x)],
    )
    names = [block.name for block in compile_blocks(problem)]
    assert names == ["equation", "u(x, t) - 1 on t = 0", "u(x, t) periodic along x"]


def test_what_sympy_cannot_differentiate_is_told():
    with pytest.raises(ProblemError, match="differentiated"):
        _ = compiled(sympy.besselj(u, x)).linear
