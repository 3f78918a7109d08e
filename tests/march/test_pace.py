"""Whether windows become longer or shorter, by their work."""

from types import SimpleNamespace

import pytest

from piscm.march.pace import Pace


def window(length, nodes, inherited=None, points=1000):
    return SimpleNamespace(
        low=0.0,
        high=length,
        network=SimpleNamespace(nodes=range(nodes)),
        fit=SimpleNamespace(inherited=nodes if inherited is None else inherited),
        assembly=SimpleNamespace(points=SimpleNamespace(rows=(points,))),
    )


def walked(nodes_for, start, count=40):
    """The lengths of windows whose nodes depend on their length alone."""
    pace, length, lengths = Pace(1.25), start, []
    for _ in range(count):
        lengths.append(length)
        length *= pace.factor(window(length, round(nodes_for(length))))
    return lengths


@pytest.mark.parametrize("start", [0.01, 10.0])
def test_lengths_settle_where_a_unit_of_time_is_cheapest(start):
    # Work, as nodes times nodes and 250 more, grows with the power 1.3 of lengths around 3.8.
    lengths = walked(lambda length: 100 + 100 * length, start, count=60)
    assert all(1.5 < length < 10 for length in lengths[-10:])


def test_windows_that_cost_the_same_become_longer():
    assert walked(lambda length: 100, 0.01, 10)[-1] > 0.04


def test_a_first_window_that_is_far_too_short_is_soon_left_behind():
    # Nodes hardly depend on the length: a thousandth becomes a tenth in a dozen windows.
    assert walked(lambda length: 100 + length, 0.001, 13)[-1] > 0.1


def factor_after(inherited):
    """What follows two windows, the second twice as long."""
    pace = Pace(1.25)
    pace.factor(window(1.0, 100))
    return pace.factor(window(2.0, 100, inherited))


def test_new_nodes_cost_more_than_inherited_ones():
    assert factor_after(inherited=100) > 1
    assert factor_after(inherited=0) < 1
