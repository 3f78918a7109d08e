"""How long windows are and what they may take: invented ones in the place of solved ones."""

from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import pytest

from piscm.march.policy import Marcher, MarchPolicy
from piscm.result.status import Status

KINDS = ("sin", "tanh", "gaussian")


@dataclass
class Invented:
    """What a march looks at."""

    low: float = 0.0
    high: float = 0.0
    error: float = 0.0
    network: Any = None
    status: Any = None

    def ended(self, status):
        return replace(self, status=status)


def invented(window, error, nodes=100, activation=None, status=Status.CONVERGED):
    name = activation or window.activations[0]
    network = SimpleNamespace(activation=name, nodes=range(nodes))
    return Invented(window.low, window.high, error, network, status)


def marched(solve, tolerance=1e-3, more=2):
    """The windows from 0 to 1, and all that was asked for on the way."""
    asked = []

    def attempt(window):
        asked.append(window)
        return solve(window)

    marcher = Marcher(attempt, MarchPolicy(), tolerance, 400, KINDS, more)
    return list(marcher.march(0.0, 1.0)), asked


def test_an_easy_problem_is_one_window():
    pieces, asked = marched(lambda window: invented(window, 1e-4))
    assert [(piece.low, piece.high) for piece in pieces] == [(0.0, 1.0)]
    assert len(asked) == 1


def test_a_window_that_misses_is_halved_until_it_does_not():
    def solve(window):
        short = window.high - window.low < 0.3
        return invented(window, 1e-4 if short else 1e-1, nodes=390)

    pieces, _ = marched(solve)
    assert [piece.high for piece in pieces] == pytest.approx([0.25, 0.5, 0.75, 1.0])


def test_an_easy_window_is_followed_by_a_longer_one():
    def solve(window):
        met = window.low > 0 or window.high < 0.2
        return invented(window, 1e-4 if met else 1e-1, nodes=50)

    pieces, _ = marched(solve)
    assert [piece.high for piece in pieces] == pytest.approx([0.125, 0.375, 0.875, 1.0])


def test_where_halving_does_not_help_more_nodes_may_come():
    def solve(window):
        if window.more == 2:
            return invented(window, 1e-4, nodes=700)
        return invented(window, 1e-2, nodes=400, status=Status.HOPELESS)

    pieces, asked = marched(solve)
    assert all(piece.error == 1e-4 for piece in pieces)
    first_with_more = next(window for window in asked if window.more == 2)
    assert first_with_more.activations == (pieces[0].network.activation,)
    assert not first_with_more.give_up


def test_windows_after_one_that_took_more_nodes_may_take_as_many_at_once():
    def solve(window):
        if window.more == 2:
            return invented(window, 1e-4, nodes=700)
        return invented(window, 1e-2, nodes=400, status=Status.HOPELESS)

    _, asked = marched(solve)
    last = max(i for i, window in enumerate(asked) if window.more == 1)
    assert all(window.more == 2 for window in asked[last + 1 :])


def test_a_method_of_the_user_gets_no_more_nodes_than_it_was_given():
    def solve(window):
        return invented(window, 1e-2, nodes=400, status=Status.NODE_LIMIT)

    _, asked = marched(solve, more=1)
    assert {window.more for window in asked} == {1}


def test_of_two_attempts_the_better_one_is_kept():
    def solve(window):
        return invented(window, 1e-1 if window.more == 2 else 1e-2, status=Status.HOPELESS)

    pieces, _ = marched(solve)
    assert all(piece.error == 1e-2 for piece in pieces)


def test_in_the_shortest_windows_what_did_well_is_tried_alone_and_then_the_others():
    def solve(window):
        if window.high - window.low > 1 / 30:
            return invented(window, 1e-1, status=Status.HOPELESS)
        if window.low < 0.5:
            return invented(window, 1e-4, nodes=390, activation="tanh")
        good = "gaussian" in window.activations
        kind = "gaussian" if good else window.activations[0]
        return invented(window, 1e-4 if good else 1e-1, nodes=390, activation=kind)

    pieces, asked = marched(solve)
    kinds = [piece.network.activation for piece in pieces]
    assert set(kinds) == {"tanh", "gaussian"}
    assert all(piece.error == 1e-4 for piece in pieces)
    at_half = [window.activations for window in asked if window.low == 0.5]
    assert at_half == [("tanh",), KINDS]


def test_a_run_that_wants_to_stop_stops():
    def solve(window):
        return invented(window, 1.0, status=Status.TIME_LIMIT)

    pieces, asked = marched(solve)
    assert len(pieces) == len(asked) == 1


def test_a_stop_in_the_last_attempt_is_a_stop_too():
    def solve(window):
        if window.more == 2:
            return invented(window, 1e-1, status=Status.INTERRUPTED)
        return invented(window, 1e-2, nodes=400, status=Status.HOPELESS)

    (piece,), _ = marched(solve)
    assert piece.status is Status.INTERRUPTED
    assert piece.error == 1e-2


def test_windows_need_not_be_better_than_a_tenth_of_what_they_inherit():
    def solve(window):
        error = 1e-2 if window.high < 0.3 else 1e-1
        return invented(window, window.tolerance if window.low else error)

    _, asked = marched(solve)
    later = [window.tolerance for window in asked if window.low > 0]
    assert later
    assert all(tolerance == pytest.approx(1e-3) for tolerance in later)
