"""Which nodes are corrected: the newest, so many of them, and new ones without a weight always."""

import pytest

from piscm import PISC1, PISC2, PISC3
from piscm.construct.corrections import AllNodes, NewestNode, NewestNodes

CASES = [(NewestNode(), 0), (NewestNodes(3), 3), (NewestNodes(50), 50), (AllNodes(), 10**6)]


@pytest.mark.parametrize(("correction", "most"), CASES, ids=str)
@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 20, 60])
def test_the_newest_nodes_one_by_one(correction, most, count):
    places = range(count)[correction.active(count)]
    assert list(places) == [node for node in range(count) if node >= count - most]
    assert correction.size(count) == len(places)


@pytest.mark.parametrize(("correction", "most"), CASES, ids=str)
@pytest.mark.parametrize("count", [0, 1, 5, 60])
@pytest.mark.parametrize("new", [1, 2, 4, 10])
def test_what_is_corrected_beside_new_nodes(correction, most, count, new):
    """The nodes beside the new ones and the new ones are those that are corrected."""
    total = count + new
    beside = range(count)[correction.beside(new, count)]
    active = range(total)[correction.active(total, unweighted=new)]
    assert [*beside, *range(count, total)] == list(active)


def test_new_nodes_without_a_weight_are_corrected_whatever_the_window():
    assert NewestNode().active(10, unweighted=4) == slice(6, 10)
    assert NewestNodes(2).active(10, unweighted=4) == slice(6, 10)
    assert NewestNodes(6).active(10, unweighted=4) == slice(4, 10)
    assert AllNodes().active(10, unweighted=4) == slice(0, 10)
    assert AllNodes().active(3, unweighted=4) == slice(0, 3)


def test_it_is_what_tells_the_three_algorithms_apart():
    assert PISC1().correction == NewestNode()
    assert PISC2(window=7).correction == NewestNodes(7)
    assert PISC3().correction == AllNodes()
