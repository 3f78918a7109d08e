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


def walked(nodes_for, start, count=40, span=1e-3):
    """The lengths of windows whose nodes depend on their length alone."""
    pace, length, lengths = Pace(1.25, span), start, []
    for _ in range(count):
        lengths.append(length)
        length *= pace.factor(window(length, round(nodes_for(length))))
    return lengths


@pytest.mark.parametrize("start", [0.01, 10.0])
def test_lengths_settle_where_work_begins_to_grow_faster_than_they_do(start):
    # Work, as nodes times nodes and 250 more, grows with the power 1.3 of lengths around 3.8.
    lengths = walked(lambda length: 100 + 100 * length, start, count=60)
    assert all(1 / 3.5 < length / 3.8 < 3.5 for length in lengths[-30:])


def test_windows_that_cost_the_same_become_longer():
    assert walked(lambda length: 100, 0.01, 10)[-1] > 0.04


def test_a_first_window_that_is_far_too_short_is_soon_left_behind():
    # Nodes hardly depend on the length: a thousandth becomes a tenth in a dozen windows.
    assert walked(lambda length: 100 + length, 0.001, 13)[-1] > 0.1


@pytest.mark.parametrize("start", [2.0, 40.0])
def test_windows_do_not_become_many_by_choice(start):
    # Each unit of time is the cheaper the shorter its window: nodes are in proportion to length.
    lengths = walked(lambda length: 50 + 400 * length, start, 30, span=160.0)
    for place in range(1, 30):
        least = min(0.7 * max(lengths[:place]), 10.0, lengths[place - 1])
        assert lengths[place] >= (1 - 1e-12) * least


def test_a_window_that_had_to_be_shorter_is_the_longest_possible():
    pace = Pace(1.25, 160.0)
    pace.factor(window(10.0, 400))
    assert pace.factor(window(4.0, 100)) == pytest.approx(0.8)
    assert pace.factor(window(3.2, 60)) == pytest.approx(0.7 * 4.0 / 3.2)


def factor_after(inherited):
    """What follows two windows, the second twice as long."""
    pace = Pace(1.25, 1e-3)
    pace.factor(window(1.0, 100))
    return pace.factor(window(2.0, 100, inherited))


def test_new_nodes_cost_more_than_inherited_ones():
    assert factor_after(inherited=100) > 1
    assert factor_after(inherited=0) < 1
