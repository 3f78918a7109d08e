"""How long windows are and what they may take: invented ones in the place of solved ones."""

from dataclasses import dataclass, field, replace
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from piscm.march.marcher import Marcher, mirrored
from piscm.march.policy import MarchPolicy
from piscm.result.status import Status

KINDS = ("sin", "tanh", "gaussian")
POINTS = SimpleNamespace(points=SimpleNamespace(rows=(400,)))


@dataclass
class Invented:
    """What a march looks at."""

    low: float = 0.0
    high: float = 0.0
    error: float = 0.0
    network: Any = None
    status: Any = None
    fit: Any = None
    assembly: Any = field(default_factory=lambda: POINTS)
    field_sizes: Any = field(default_factory=lambda: np.ones(1))

    def ended(self, status):
        return replace(self, status=status)

    def worth_keeping(self, share):
        return list(self.network.nodes)

    def mirrored(self, total):
        return replace(self, low=total - self.high, high=total - self.low)


def invented(window, error, nodes=100, activation=None, status=Status.CONVERGED):
    name = activation or window.activations[0]
    network = SimpleNamespace(activation=name, nodes=range(nodes))
    inherited = min(nodes, len(window.kept)) if window.inherits else 0
    fit = SimpleNamespace(inherited=inherited)
    return Invented(window.low, window.high, error, network, status, fit)


def marched(solve, tolerance=1e-3, more=2, shortest=1 / 512, in_time_alone=False, like=()):
    """The windows from 0 to 1, and all that was asked for on the way."""
    asked = []

    def attempt(window):
        asked.append(window)
        return solve(window)

    marcher = Marcher(attempt, MarchPolicy(), tolerance, 400, KINDS, more, shortest, in_time_alone)
    return list(marcher.march(0.0, 1.0, like)), asked


def length(window):
    return window.high - window.low


def test_an_easy_problem_is_one_window():
    pieces, asked = marched(lambda window: invented(window, 1e-4))
    assert [(piece.low, piece.high) for piece in pieces] == [(0.0, 1.0)]
    assert len(asked) == 1


def test_windows_follow_each_other_without_a_gap():
    pieces, _ = marched(lambda w: invented(w, 1e-4 if length(w) < 0.3 else 1e-1))
    assert len(pieces) > 3
    assert pieces[0].low == 0.0
    assert pieces[-1].high == 1.0
    for one, other in pairwise(pieces):
        assert one.high == other.low


def test_how_far_a_window_misses_says_how_much_shorter_the_next_attempt_is():
    def lengths(error):
        _, asked = marched(lambda w: invented(w, 1e-4 if length(w) < 0.9 else error))
        return length(asked[1])

    narrow, wide, lost = lengths(1e-3), lengths(1e-2), lengths(1.0)
    assert 1.0 > narrow > wide > lost == pytest.approx(1 / 8)


def test_a_window_begins_with_the_nodes_of_the_one_before():
    pieces, asked = marched(lambda w: invented(w, 1e-4 if length(w) < 0.3 else 1e-1))
    first = next(i for i, window in enumerate(asked) if window.low > 0)
    assert not any(window.inherits for window in asked[:first])
    assert asked[first].inherits
    assert asked[first].kept == tuple(range(100))
    assert asked[first].activations == (pieces[0].network.activation,)


def test_windows_that_need_no_new_nodes_become_longer():
    pieces, _ = marched(lambda w: invented(w, 1e-4 if length(w) < 0.1 or w.low > 0 else 1e-1))
    lengths = [length(piece) for piece in pieces[:-1]]
    assert lengths == sorted(lengths)
    assert lengths[-1] > 2 * lengths[0]


def test_windows_that_need_many_new_nodes_become_shorter():
    def solve(window):
        met = length(window) < 0.1
        return invented(
            window, 1e-4 if met else 1e-1, nodes=min(2 * len(window.kept or range(50)), 600)
        )

    pieces, _ = marched(solve)
    assert length(pieces[2]) < length(pieces[1])


def test_where_inherited_nodes_fail_other_activations_are_tried_at_the_same_length():
    def solve(window):
        met = not window.inherits and length(window) < 0.3
        return invented(window, 1e-4 if met else 1e-1, activation=window.activations[-1])

    pieces, asked = marched(solve)
    assert all(piece.error == 1e-4 for piece in pieces)
    after = [window for window in asked if window.low > 0]
    assert after[0].inherits
    assert not after[1].inherits
    assert after[1].activations == KINDS
    assert length(after[0]) == length(after[1])


def test_a_shorter_window_begins_with_the_nodes_of_a_longer_one_that_came_near():
    def solve(window):
        if window.guess is not None:
            return invented(window, 1e-4)
        if window.low == 0:
            return invented(window, 1e-4 if length(window) < 0.2 else 1e-1)
        return invented(window, 1e-1 if window.inherits else 1e-2)

    _, asked = marched(solve)
    heir, other, shorter = [window for window in asked if window.low > 0][:3]
    assert heir.inherits
    assert not other.inherits
    assert shorter.guess.activation == shorter.activations[0]
    assert not shorter.inherits
    assert length(shorter) == length(other) / 2


def test_in_time_alone_inherited_nodes_get_shorter_windows_first():
    def solve(window):
        met = length(window) < (0.5 if window.low == 0 else 0.1)
        return invented(window, 1e-4 if met else 10.0 ** (8 * length(window) - 4))

    pieces, asked = marched(solve, in_time_alone=True)
    assert all(piece.error < 1e-3 for piece in pieces)
    after = [window for window in asked if window.low > 0]
    assert all(window.inherits for window in after)


def test_scales_may_be_decades_apart_in_time_alone():
    def solve(window):
        return invented(window, 1e-4 if length(window) <= max(1e-7, window.low) else 1.0)

    pieces, asked = marched(solve, shortest=1e-12, in_time_alone=True)
    assert length(pieces[0]) <= 1e-7
    assert len(asked) < 120


def test_where_shorter_windows_do_not_help_more_nodes_may_come():
    def solve(window):
        if window.more == 2:
            return invented(window, 1e-4, nodes=700)
        return invented(window, 1e-2, nodes=400, status=Status.HOPELESS)

    pieces, asked = marched(solve)
    assert all(piece.error == 1e-4 for piece in pieces)
    first_with_more = next(window for window in asked if window.more == 2)
    assert first_with_more.activations == (pieces[0].network.activation,)
    assert not first_with_more.give_up


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


def test_a_march_downward_is_one_upward_in_a_mirror():
    asked = []

    def attempt(window):
        asked.append((window.low, window.high))
        return invented(window, 1e-4 if length(window) < 0.3 else 1e-1)

    marcher = Marcher(
        mirrored(attempt, 1.0), MarchPolicy(), 1e-3, 400, KINDS, 2, 1 / 512, in_time_alone=False
    )
    pieces = [piece.mirrored(1.0) for piece in marcher.march(0.0, 1.0)]
    assert asked[0] == (0.0, 1.0)
    assert pieces[0].high == 1.0
    assert pieces[-1].low == 0.0
    for one, other in pairwise(pieces):
        assert other.high == pytest.approx(one.low)


def test_before_a_pole_windows_do_not_become_shorter_than_digits_allow():
    """The narrowest box is a billionth of its distance from zero."""
    shorter_and_shorter = marched(
        lambda w: invented(w, 1e-6 if w.high <= 0.7 else 1e1 if w.low < 0.7 else np.inf),
        shortest=1e-12,
        in_time_alone=True,
    )[1]
    assert min(length(window) / window.high for window in shorter_and_shorter) > 2e-9


def test_an_attempt_that_came_near_gives_its_nodes_to_the_shorter_one():
    def solve(window):
        return invented(window, 1e-4 if length(window) < 0.5 else 1e-2, activation="tanh")

    pieces, asked = marched(solve)
    assert asked[1].guess is not None
    assert asked[1].activations == ("tanh",)
    assert length(asked[1]) < length(asked[0])
    assert all(piece.error == 1e-4 for piece in pieces)


def test_one_that_did_not_leaves_all_activations_open():
    errors = iter([1e-2, 1.0, 1e-4])
    _, asked = marched(lambda window: invented(window, next(errors, 1e-4), activation="tanh"))
    assert [window.activations for window in asked[:3]] == [KINDS, ("tanh",), KINDS]
    assert asked[2].guess is None


def test_a_march_like_another_has_its_windows_and_begins_with_its_nodes():
    pieces, _ = marched(lambda w: invented(w, 1e-4 if length(w) < 0.3 else 1e-1))
    again, asked = marched(lambda w: invented(w, 1e-5), tolerance=1e-4, like=pieces)
    assert [(own.low, own.high) for own in again] == [(own.low, own.high) for own in pieces]
    assert [window.guess for window in asked] == [piece.network for piece in pieces]


def test_where_such_nodes_do_not_do_it_goes_on_by_itself():
    pieces, _ = marched(lambda w: invented(w, 1e-4 if length(w) < 0.3 else 1e-1))
    lost = {0: True}

    def solve(window):
        if window.low > 0 and lost.pop(0, False):
            return invented(window, 1e-1)
        return invented(window, 1e-5)

    again, asked = marched(solve, tolerance=1e-4, like=pieces)
    assert [window.guess for window in asked[:2]] == [piece.network for piece in pieces[:2]]
    assert all(window.guess is None and window.inherits for window in asked[2:])
    assert again[-1].high == 1.0
