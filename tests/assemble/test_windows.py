"""Windows of a problem: what holds where, and that no datum is lost or counted twice."""

import pickle
from itertools import pairwise

import numpy as np
import pytest
import sympy
from builders import network_of, random_nodes

from piscm import Box, Condition, Observations, Periodic, Problem, Sampling, coordinates, field
from piscm.assemble.sites import draw_points
from piscm.assemble.windows import Part, steepness, with_end
from piscm.network.nodes import Nodes
from piscm.problem.places import Interior, PeriodicPair, Slices

x, t = coordinates("x t")
u = field("u", x, t)
BOX = Box({x: (0, 1), t: (0, 2)})
HEAT = u.diff(t) - u.diff(x, 2)


def problem_with(*conditions, observations=(), equation=HEAT, box=BOX):
    return Problem(box, [equation], list(conditions), None, list(observations))


# --- what holds in a window -------------------------------------------------------------------


def window(problem, low, high):
    """A window after one in which all fields are zero."""
    before = network_of(problem, Nodes.none(2), np.zeros((0, 1)))
    return Part.whole(problem).window(t, low, high, before if low > 0 else None)


def places(problem, low, high):
    """Where its blocks stand, and which of them take over from the window before."""
    blocks = window(problem, low, high).blocks
    handed = [i for i, block in enumerate(blocks) if block.inherited is not None]
    return [block.place for block in blocks], handed


def test_the_first_window_has_the_conditions_as_they_stand():
    problem = problem_with(
        Condition(u - 1, on={t: 0}), Condition(u, on=[{x: 0}, {x: 1}]), Periodic(u, along=x)
    )
    found, handed = places(problem, 0.0, 0.5)
    sides = [Slices(({x: 0.0}, {x: 1.0})), PeriodicPair(x)]
    assert found == [Interior(), Slices(({t: 0.0},)), *sides]
    assert handed == []
    found, handed = places(problem, 0.5, 1.25)
    assert found == [Interior(), Slices(({t: 0.5},)), *sides]
    assert handed == [1]


def test_a_condition_at_several_kinds_of_places_is_shared_out():
    problem = problem_with(Condition(u - x, on=[{t: 0}, {x: 0}, {x: 0.5, t: 0.75}, {t: 0, x: 1}]))
    found, handed = places(problem, 0.0, 0.5)
    assert found == [Interior(), Slices(({t: 0.0}, {t: 0.0, x: 1.0})), Slices(({x: 0.0},))]
    assert handed == []
    found, handed = places(problem, 0.5, 1.0)
    assert found == [
        Interior(),
        Slices(({t: 0.5}, {t: 0.5, x: 1.0})),
        Slices(({x: 0.0}, {x: 0.5, t: 0.75})),
    ]
    assert handed == [1]


@pytest.mark.parametrize("at", [0.001, 0.5, 1.0, 1.2, 1.999])
def test_a_place_inside_is_in_exactly_one_window(at):
    problem = problem_with(Condition(u, on={t: 0}), Condition(u - 1, on={x: 0.3, t: at}))
    edges = np.linspace(0, 2, 5)
    count = sum(len(places(problem, low, high)[0]) == 3 for low, high in pairwise(edges))
    assert count == 1


def test_what_is_handed_on_is_the_value_before():
    problem = problem_with(Condition(u - sympy.sin(x), on={t: 0}), Condition(u, on={x: 0}))
    first = window(problem, 0.0, 1.0)
    nodes = Nodes(np.array([[1.0, 2.0]]), np.array([0.3]))
    before = network_of(first.problem, nodes, [[2.0]])
    part = Part.whole(problem).window(t, 1.0, 2.0, before)
    rng = np.random.default_rng(0)
    points = draw_points(part.problem.domain, part.blocks, Sampling(10, 7), rng)
    tied, legs = part.blocks[1], points[1]
    at = legs[0].points
    np.testing.assert_array_equal(at[:, 1], 1.0)
    truth = 2 * np.sin(at[:, 0] + 2 * at[:, 1] + 0.3) - np.sin(at[:, 0])
    np.testing.assert_allclose(tied.target(legs), truth, atol=1e-14)
    np.testing.assert_allclose(before.residual(tied, legs), 0.0, atol=1e-14)
    assert part.blocks[2].target(points[2]) is None


# --- observations -----------------------------------------------------------------------------


def counted(problem, edges):
    """How often each observation is used, by its value."""
    axis, used = problem.domain.axis(t), []
    for low, high in pairwise(edges):
        part = window(problem, low, high)
        assert not any(block.observed for block in part.blocks if block.inherited is not None)
        rng = np.random.default_rng(0)
        points = draw_points(part.problem.domain, part.blocks, Sampling(5, 3), rng)
        own = []
        for block, legs in zip(part.blocks, points, strict=True):
            if block.observed:
                assert len(block.data) == legs[0].rows
                own += list(zip(block.data, legs[0].points[:, axis], strict=True))
        kept = part.problem.observations
        written = [
            pair for data in kept for pair in zip(data.values, data.points[:, axis], strict=True)
        ]
        assert own == written
        used += own
    return used


def seen(times, end=2.0, scale=1.0):
    times = np.array(times) * scale
    points = np.stack([np.full(len(times), 0.5), times], axis=1)
    data = Observations(u, points, np.arange(float(len(times))))
    box = Box({x: (0, 1), t: (0, end * scale)})
    return problem_with(Condition(u, on={t: 0}), observations=[data], box=box), times


@pytest.mark.parametrize(
    "times",
    [
        [0.0, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0],
        [0.0],
        [2.0],
        [0.5],
        [0.5, 1.7],
        [1.0, 1.0, 1.0],
        [1.5, 1.6, 2.0],
        [0.0, 0.0, 1e-12],
        [1e-9, 0.5 + 1e-9, 0.5],
        [0.5 - 1e-10, 0.5, 0.5 + 1e-10],
    ],
)
@pytest.mark.parametrize("scale", [1.0, 1e-9, 1e6])
def test_every_observation_is_in_exactly_one_window(times, scale):
    problem, times = seen(times, scale=scale)
    used = counted(problem, [0.0, 0.5 * scale, 1.0 * scale, 2.0 * scale])
    assert sorted(value for value, _ in used) == list(range(len(times)))
    for value, at in used:
        assert at == times[int(value)]


def test_an_observation_a_rounding_outside_is_not_lost():
    """The domain takes points that round-off put outside; the windows must too."""
    problem, times = seen([-1e-15, 1.0, 2.0 + 4e-16])
    used = counted(problem, [0.0, 0.5, 1.0, 2.0])
    assert sorted(value for value, _ in used) == list(range(len(times)))


def test_several_sets_of_observations():
    points = [[0.1, 0.0], [0.2, 0.5], [0.3, 2.0]]
    sets = [
        Observations(u, points, [0.0, 1.0, 2.0]),
        Observations(u.diff(x), [[0.5, 0.5]], [3.0]),
        Observations(u, [[0.5, 1.9]], [4.0]),
    ]
    problem = problem_with(Condition(u, on={t: 0}), observations=sets)
    used = counted(problem, [0.0, 0.5, 1.5, 2.0])
    assert sorted(value for value, _ in used) == [0.0, 1.0, 2.0, 3.0, 4.0]


def test_steepness_follows_the_end_of_the_window_before():
    problem = problem_with(Condition(u, on={t: 0}))
    inside = window(problem, 0.0, 1.0).problem
    nodes = Nodes(np.array([[40.0, -10.0]]), np.array([-10.0]))  # a step at x = (10 + 10 t) / 40
    before = network_of(inside, nodes, [[1.0]], "tanh")
    density = steepness(problem, t, before)
    places = np.stack([np.linspace(0, 1, 201), np.full(201, 1.7)], axis=1)
    share = density(places)
    assert places[np.argmax(share), 0] == pytest.approx(0.5, abs=0.01)
    assert (share >= 0).all()
    flat = network_of(inside, Nodes.none(2), np.zeros((0, 1)))
    np.testing.assert_array_equal(steepness(problem, t, flat)(places), 1.0)


def test_the_end_of_a_window_in_time_alone_is_a_point(rng):
    t = coordinates("t")
    u = field("u", t)
    whole = Problem(Box({t: (0, 2)}), [u.diff(t) + u], [Condition(u - 1, on={t: 0})])
    nothing = network_of(whole, random_nodes(3, 1), np.ones((3, 1)))

    def drawn(low, high, before=None):
        part = Part.whole(whole).window(t, low, high, before)
        points = draw_points(part.problem.domain, part.blocks, Sampling(20), rng)
        return with_end(points, part, whole)[0][0].points[:, 0]

    first = drawn(0.0, 0.7)
    assert len(first) == 21
    assert first[-1] == 0.7
    assert len(drawn(0.7, 2.0, nothing)) == 20  # nothing goes on from there


def test_what_is_handed_on_is_found_once_for_the_same_points_and_travels_without_it():
    problem = problem_with(Condition(u - x, on={t: 0}))
    before = network_of(problem, random_nodes(5, 2), np.ones((5, 1)))
    handed = Part.whole(problem).window(t, 0.5, 1.0, before).blocks[1].inherited
    assert handed is not None
    points = np.column_stack([np.linspace(0, 1, 7), np.full(7, 0.5)])
    values = handed(points)
    np.testing.assert_array_equal(values, before.value(before.compile(u - x), points))
    assert handed(points) is values
    other = handed(points.copy())
    assert other is not values
    np.testing.assert_array_equal(other, values)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(handed))(points), values)
