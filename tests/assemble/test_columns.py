"""Columns bring themselves up to date: whatever was asked before, they are those made anew."""

import numpy as np
import pytest
from builders import mixed_problem, random_nodes, system_of

from piscm.budget import parts
from piscm.network.nodes import concatenate


@pytest.fixture(scope="module")
def system():
    return system_of(mixed_problem())


@pytest.fixture(scope="module")
def linearizations(system):
    """At the start, and at two states of seven nodes."""
    columns = system.evaluate(random_nodes(7, 2))
    rng = np.random.default_rng(1)
    states = [
        system.state_with(columns, rng.normal(size=(7, system.fields)), rng.normal(size=1))
        for _ in range(2)
    ]
    return [system.linearize(state) for state in (system.start(), *states)]


def anew(system, nodes, linearization):
    return system.evaluate(nodes).at(linearization)


def assert_same(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("activation", ["sin", "gaussian"])
def test_nodes_in_parts_have_the_bits_of_all_at_once(activation, monkeypatch):
    system, nodes = system_of(mixed_problem(), activation), random_nodes(61, 2)
    monkeypatch.setattr(parts, "_CACHED", 10**9)
    at_once = system.evaluate(nodes)
    monkeypatch.setattr(parts, "_CACHED", 1)
    cut = system.evaluate(nodes)
    np.testing.assert_array_equal(cut.still, at_once.still)
    for one, other in zip(cut.strands, at_once.strands, strict=True):
        np.testing.assert_array_equal(one, other)


def test_at_one_linearization_after_the_other(system, linearizations):
    nodes = random_nodes(9, 2, seed=3)
    columns = system.evaluate(nodes)
    for number in (0, 1, 0, 2, 2, 1):
        at = linearizations[number]
        assert_same(columns.at(at), anew(system, nodes, at))


def test_some_nodes_at_one_linearization_and_all_at_another(system, linearizations):
    nodes = random_nodes(9, 2, seed=3)
    columns, (start, here, there) = system.evaluate(nodes), linearizations
    columns.at(start)
    assert_same(columns.at(here, slice(2, 5)), anew(system, nodes, here)[2:5])
    assert_same(columns.at(here, slice(4, 9)), anew(system, nodes, here)[4:])
    assert_same(columns.at(here), anew(system, nodes, here))
    assert_same(columns.at(there, slice(0, 1)), anew(system, nodes, there)[:1])
    assert_same(columns.at(start), anew(system, nodes, start))


def test_the_rows_of_linear_blocks_are_right_at_once(system, linearizations):
    nodes = random_nodes(4, 2, seed=3)
    still = system.evaluate(nodes).still[:, :, : system.linear_rows]
    assert_same(still, anew(system, nodes, linearizations[1])[:, :, : system.linear_rows])


@pytest.mark.parametrize("asked", [None, 0, 1])
@pytest.mark.parametrize("others_asked", [None, 0, 1])
def test_put_whatever_was_asked_before(system, linearizations, asked, others_asked):
    some, more = random_nodes(3, 2, seed=4), random_nodes(4, 2, seed=5)
    columns = system.allocate(9)
    columns.put(slice(0, 3), system.evaluate(some))
    if asked is not None:
        columns.at(linearizations[asked], slice(0, 3))
    others = system.evaluate(more)
    if others_asked is not None:
        others.at(linearizations[others_asked])
    columns.put(slice(3, 7), others)
    for at in linearizations:
        expected = anew(system, concatenate([some, more]), at)
        assert_same(columns.at(at, slice(0, 7)), expected)
    columns.put(slice(1, 4), system.evaluate(some))
    swapped = concatenate([some.some([0]), some, more.some(slice(1, None))])
    for at in (linearizations[2], linearizations[0]):
        assert_same(columns.at(at, slice(0, 7)), anew(system, swapped, at))


@pytest.mark.parametrize("asked", [None, 0, 1])
def test_take_is_a_copy_that_goes_its_own_way(system, linearizations, asked):
    nodes, chosen = random_nodes(8, 2, seed=6), [6, 1, 4]
    columns = system.evaluate(nodes)
    if asked is not None:
        columns.at(linearizations[asked], slice(3, 7))  # some of them only
    taken = columns.take(chosen)
    assert len(taken) == 3
    for at in linearizations:
        assert_same(taken.at(at), anew(system, nodes.some(chosen), at))
    for at in linearizations:
        assert_same(columns.at(at), anew(system, nodes, at))
    assert len(columns.take([])) == 0


@pytest.mark.parametrize("asked", [None, 0, 1])
def test_the_first_nodes(system, linearizations, asked):
    nodes = random_nodes(8, 2, seed=7)
    columns = system.evaluate(nodes)
    if asked is not None:
        columns.at(linearizations[asked], slice(2, 8))
    first = columns.first(5)
    assert np.shares_memory(first.still, columns.still)
    for at in linearizations:
        assert_same(first.at(at), anew(system, nodes.some(slice(5)), at))


@pytest.mark.parametrize("seed", range(5))
def test_any_order_of_asking_putting_and_taking(system, linearizations, seed):
    """Twenty steps at random, checked after each."""
    rng = np.random.default_rng(seed)
    nodes = random_nodes(6, 2, seed=seed)
    columns = system.evaluate(nodes)
    for step in range(20):
        kind = rng.integers(3)
        if kind == 0:
            place = int(rng.integers(6))
            other = random_nodes(1, 2, seed=100 + step)
            made = system.evaluate(other)
            if rng.integers(2):
                made.at(linearizations[rng.integers(3)])
            columns.put(slice(place, place + 1), made)
            nodes = concatenate([nodes.some(slice(place)), other, nodes.some(slice(place + 1, 6))])
        elif kind == 1:
            order = [int(i) for i in rng.permutation(6)]
            columns, nodes = columns.take(order), nodes.some(order)
        at = linearizations[rng.integers(3)]
        first, last = sorted(rng.integers(0, 7, 2))
        part = slice(int(first), int(last))
        assert_same(columns.at(at, part), anew(system, nodes, at)[part])


def test_asking_the_first_nodes_leaves_all_of_them_right(system, linearizations):
    nodes = random_nodes(8, 2, seed=7)
    columns, (start, here, _) = system.evaluate(nodes), linearizations
    columns.at(start)
    columns.first(5).at(here)
    assert_same(columns.at(start), anew(system, nodes, start))
