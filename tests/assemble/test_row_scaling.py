"""Weights under which rows of every kind count alike."""

from dataclasses import replace

import numpy as np
import pytest
from builders import assembly_of

from piscm import Box, Condition, Periodic, Problem, Sampling, coordinates, field
from piscm.assemble.row_scaling import row_scaling
from piscm.network.draw import Draw

x, t = coordinates("x t")
u = field("u", x, t)
BOX = Box({x: (0, 1), t: (0, 2)})
HEAT = u.diff(t) - u.diff(x, 2)


def problem_with(*conditions, observations=(), equation=HEAT, box=BOX):
    return Problem(box, [equation], list(conditions), None, list(observations))


def scaling_of(assembly):
    part, rng = assembly.part, np.random.default_rng(1)
    return row_scaling(part.problem, part.blocks, assembly.points, assembly.start, rng)


def test_rows_of_every_kind_have_one_size():
    equation = u.diff(t) - 1e5 * u.diff(x, 4)
    problem = problem_with(
        Condition(1e-6 * u - 1, on={t: 0}),
        Condition(u.diff(x), on=[{x: 0}, {x: 1}]),
        Periodic(u.diff(x, 2), along=x),
        equation=equation,
    )
    assembly = assembly_of(problem, Sampling(200, 80))
    scaling = scaling_of(assembly)
    assert scaling.names == tuple(block.name for block in assembly.part.blocks)
    system = replace(assembly, scaling=scaling).system("sin")
    for placed in system.placed:
        rows, size = placed.rows.stop - placed.rows.start, scaling.sizes[placed.number]
        assert float(placed.root_weight[0]) == pytest.approx(1 / (np.sqrt(rows) * size))
    # A typical wave has rows of the mean square one in every block then.
    waves = Draw(problem.domain, None).free(200, 1.0, np.random.default_rng(1))
    design = system.evaluate(waves).at(system.linearize(system.start()))
    for placed in system.placed:
        squares = (design[:, 0, placed.rows] ** 2).sum(axis=1)
        assert np.median(squares) == pytest.approx(1.0, rel=1e-9)


def test_a_block_that_no_node_moves_is_left_as_it_is():
    problem = problem_with(Condition(u**2, on={t: 0}), Condition(u, on={x: 0}))
    assembly = assembly_of(problem, Sampling(200, 80))
    assert scaling_of(assembly).sizes[1] == 1.0
