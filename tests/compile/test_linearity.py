"""What counts as linear: a jump does not, whatever its partials say."""

import numpy as np
import pytest
import sympy

from piscm import (
    PISC3,
    Box,
    Condition,
    Problem,
    Sampling,
    coordinates,
    field,
    solve,
    unknown,
)
from piscm.compile.blocks import compile_blocks

t = coordinates("t")
u = field("u", t)
k = unknown("k")
ORTHOGONAL = PISC3(max_nodes=30, selection="orthogonal", candidates=40)
SMALL = Sampling(interior=60)


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
    unknowns = {k: 1.0} if expression.has(k) else {}
    problem = Problem(Box({t: (0, 1)}), [expression], [Condition(u - 1, on={t: 0})], unknowns)
    assert compile_blocks(problem)[0].compiled.linear
