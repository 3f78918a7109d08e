"""A coefficient of the highest derivative that jumps is refused, however small the place."""

import pytest
import sympy
from sympy import Abs, And, Heaviside, Max, Or, Piecewise, exp, floor, sign, sin, sqrt

from piscm import Box, Condition, Disk, Problem, Region, coordinates, div, field, grad
from piscm.compile.blocks import compile_blocks
from piscm.compile.jumps import check_jumps
from piscm.problem.errors import ProblemError

x, y = coordinates("x y")
u, w, k = field("u", x, y), field("w", x), field("k", x)
SQUARE, LINE = Box({x: (-1, 1), y: (-1, 1)}), Box({x: (0, 1)})


def check(domain, equation):
    problem = Problem(
        domain, [equation], [Condition(u if u in equation.atoms(u.func) else w, on="boundary")]
    )
    check_jumps(problem.domain, compile_blocks(problem), problem.fields)


def inside(condition, one=10, other=1):
    return Piecewise((one, condition), (other, True))


@pytest.mark.parametrize(
    "factor",
    [
        inside(x**2 + y**2 < 0.05**2),
        inside((x - 0.61) ** 2 + (y + 0.37) ** 2 < 1e-6),
        inside(sqrt((x - 0.61) ** 2 + (y + 0.37) ** 2) < 1e-3, 1.001),
        inside(And(Abs(x - 0.3) < 0.004, Abs(y - 0.9) < 0.004)),
        inside(And(x > 0.3, x < 0.301, y > 0.99)),
        inside(Or(x**2 + y**2 < 1e-4, x**2 + (y - 1) ** 2 < 1e-4)),
        inside(~(x**2 + y**2 > 1e-4)),
        inside(
            (x - 0.9) ** 2 + (y - 0.9) ** 2 < 1e-4, 1 + x, Piecewise((2, x > 5), (1 + x**2, True))
        ),
        1 + Heaviside(1e-4 - x**2 - y**2),
        2 + sign(x + y - 1.95),
        2 + floor(0.51 * (x + y)),
        exp(inside(x * y > 0.98)),
        2 + sign(Max(Abs(x), Abs(y)) - 0.01),
    ],
)
def test_a_small_inclusion_is_seen(factor):
    with pytest.raises(ProblemError, match=r"by a factor k that jumps near"):
        check(SQUARE, factor * (u.diff(x, 2) + u.diff(y, 2)) - exp(x))


@pytest.mark.parametrize(
    "factor",
    [
        inside(x**2 + y**2 < 0.05**2, 1 + (0.05**2 - x**2 - y**2), 1),
        inside(x**2 + y**2 < 0.05**2, (0.05**2 - x**2 - y**2), 0),
        inside(x**2 + y**2 > 2),  # at the corners alone
        inside(x < 3),
        inside(x < 1),
        inside(And(x > 0.5, x < 0.2)),
        inside(x < 0.5, sin(x), sin(1 - x)),
        inside(sympy.Eq(x, 0.5)),
        2 + Abs(x - 0.2) + Max(x, y),
        1 + (x - 0.1) * Heaviside(x - 0.1),
        1 + 1e-9 * Heaviside(x),
        inside(Abs(y) < 0.1, x + y, x + y),
    ],
)
def test_what_is_continuous_in_the_domain_is_accepted(factor):
    check(SQUARE, factor * (u.diff(x, 2) + u.diff(y, 2)) - exp(x))


def test_a_coefficient_under_a_divergence():
    with pytest.raises(ProblemError, match=r"by a factor k that jumps near"):
        check(SQUARE, div(inside(x**2 + y**2 < 0.05**2) * grad(u)) - exp(x))


def test_a_jump_outside_of_the_shape_is_none():
    factor = inside(x * y > 0.6)
    check(Disk({x: 0, y: 0}, 1), factor * u.diff(x, 2) + u.diff(y, 2))
    with pytest.raises(ProblemError, match="jumps near"):
        check(SQUARE, factor * u.diff(x, 2) + u.diff(y, 2))


def test_a_jump_across_another_coordinate_loses_nothing():
    check(SQUARE, inside(y < 0) * u.diff(x, 2) + u.diff(y, 2))


def test_on_a_line_and_in_the_field():
    with pytest.raises(ProblemError, match=r"jumps near x = 0\.3"):
        check(LINE, inside(Abs(x - 0.3) < 1e-6) * w.diff(x, 2) + 1)
    with pytest.raises(ProblemError, match="by a factor k that jumps"):
        check(LINE, (1 + Heaviside(w - 0.7)) * w.diff(x, 2) + 1)
    check(LINE, (1 + Max(w - 0.7, 0)) * w.diff(x, 2) + 1)


def test_a_region_is_judged_by_itself():
    left, right = Box({x: (0, 1)}), Box({x: (1, 2)})
    rough = Piecewise((1, x < 1.5), (2, True))
    for values, fails in (((rough, 1), False), ((1, rough), True)):
        problem = Problem(
            regions=[Region(left, {k: values[0]}), Region(right, {k: values[1]})],
            equations=[(k * w.diff(x)).diff(x) + 1],
            conditions=[Condition(w, on="boundary")],
        )
        blocks = compile_blocks(problem)
        if fails:
            with pytest.raises(ProblemError, match=r"jumps near x = 1\.5"):
                check_jumps(problem.domain, blocks, problem.fields)
        else:
            check_jumps(problem.domain, blocks, problem.fields)
