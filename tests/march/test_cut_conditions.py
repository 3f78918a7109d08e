"""One condition on the initial face and on others is as good as two."""

import numpy as np
import pytest
import sympy

from piscm import PISC3, Box, Condition, Problem, Windows, coordinates, field, solve
from piscm.assemble.row_scaling import row_scaling
from piscm.assemble.sampling import Sampling
from piscm.assemble.sites import draw_points
from piscm.assemble.windows import Part
from piscm.network.start import Start

x, t = coordinates("x t")
u = field("u", x, t)
BOX = Box({x: (0, 1), t: (0, 1)})
HEAT = u.diff(t) - u.diff(x, 2) / 10
EXACT = sympy.sin(sympy.pi * x) * sympy.exp(-(sympy.pi**2) * t / 10)
FACES = [{t: 0}, {x: 0}, {x: 1}]


@pytest.mark.parametrize("together", [True, False])
def test_the_estimate_does_not_depend_on_how_it_is_written(together):
    if together:
        conditions = [Condition(u - EXACT, on=FACES)]
    else:
        conditions = [Condition(u - EXACT, on=FACES[:1]), Condition(u - EXACT, on=FACES[1:])]
    method = Windows(t, 3, method=PISC3(selection="orthogonal", max_nodes=60))
    solution = solve(Problem(BOX, [HEAT], conditions), method)
    places = np.random.default_rng(0).random((2, 500))
    true = sympy.lambdify((x, t), EXACT)(*places)
    error = np.linalg.norm(solution(x=places[0], t=places[1]) - true) / np.linalg.norm(true)
    assert error / 3 < solution.error_estimate.relative < 3 * error


def test_each_part_has_the_size_of_its_own_rows():
    condition = Condition((1 + 1000 * t) * u, on=FACES)
    whole = Part.whole(Problem(BOX, [HEAT], [condition]))
    part = whole.window(t, 0.0, 0.5, None)
    rng = np.random.default_rng(0)
    points = draw_points(part.problem.domain, part.blocks, Sampling(100, 100), rng)
    scaling = row_scaling(part.problem, part.blocks, points, Start(part.problem), rng)
    _, initial, faces = scaling.sizes
    assert faces > 50 * initial
