"""Points of all blocks: shared by place, told apart by number and not by object."""

from dataclasses import replace

import numpy as np
import pytest
from builders import assembly_of, mixed_problem, random_nodes

from piscm import Box, Condition, Observations, Periodic, Problem, Sampling, coordinates, field
from piscm.problem.places import WeightedSums

x, y = coordinates("x y")
u = field("u", x, y)


def copied(points):
    """The same points in other arrays, none of which is shared."""

    def again(_, site):
        legs = tuple(
            replace(
                leg,
                points=np.copy(leg.points),
                sums=None if leg.sums is None else np.copy(leg.sums),
            )
            for leg in site.legs
        )
        return replace(site, legs=legs)

    return points.changed(again)


def with_sums():
    spread = np.random.default_rng(1).random((9, 2))
    total = WeightedSums(spread, np.random.default_rng(2).random((2, 9)))
    return Problem(
        Box({x: (0, 1), y: (0, 1)}),
        [u.diff(x, 2) + u.diff(y, 2) - u**2],
        [
            Condition(u, on={x: 0}),
            Condition(u.diff(x) - u**2, on={x: 0}),
            Condition(u**2 - 1, on=total),
            Condition(u - 1, on=total),
            Periodic(u, along=y),
            Periodic(u.diff(y), along=y),
        ],
        observations=[Observations(u, spread, np.ones(9)), Observations(u, spread, np.zeros(9))],
    )


@pytest.mark.parametrize("make", [mixed_problem, with_sums])
def test_copying_every_array_changes_no_bit(make):
    assembly = assembly_of(make())
    other = assembly.at(copied(assembly.points))
    nodes = random_nodes(5, 2)
    made = []
    for own in (assembly, other):
        system = own.system("tanh")
        columns = system.evaluate(nodes)
        weights = np.random.default_rng(1).normal(size=(5, system.fields))
        state = system.state_with(columns, weights, system.guesses + 0.1)
        linearization = system.linearize(state)
        made.append(
            [
                system.start().residual,
                state.residual,
                columns.at(linearization),
                linearization.unknowns,
                system.single.columns(nodes, linearization),
            ]
        )
    for one, two in zip(*made, strict=True):
        assert one.tobytes() == two.tobytes()


def test_blocks_at_one_place_have_one_site():
    points = assembly_of(with_sums(), Sampling(20, 8)).points
    # The equation; both on x = 0; both sums; both periodic; each set of observations its own.
    assert points.of_block == (0, 1, 1, 2, 2, 3, 3, 4, 5)
    assert points.rows == (20, 8, 8, 2, 2, 8, 8, 9, 9)
    assert [site.resampled for site in points.sites] == [True, True, False, True, False, False]


def test_fewer_points_of_what_was_drawn_and_all_of_the_rest():
    fewer = assembly_of(with_sums(), Sampling(20, 8)).points.first(5)
    assert fewer.rows == (5, 5, 5, 2, 2, 5, 5, 9, 9)
    assert len(fewer[3][0].points) == 9


def test_some_rows_of_a_sum_still_see_all_of_its_points():
    site = assembly_of(with_sums()).points.site(3)
    one = site.some(slice(1, 2))
    assert one.rows == 1
    np.testing.assert_array_equal(one.legs[0].points, site.legs[0].points)
    np.testing.assert_array_equal(one.legs[0].sums, site.legs[0].sums[1:])
