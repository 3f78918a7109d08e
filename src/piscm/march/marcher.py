"""Windows one after another: of equal length, or each as long as its nodes can resolve."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from piscm.budget.budget import STOPS
from piscm.fit.piece import Piece, best_of
from piscm.march.pace import Pace
from piscm.march.policy import Attempt, MarchPolicy, Window
from piscm.network.network import Network
from piscm.result.status import Status

Floats = NDArray[np.float64]

_TINY = 1e-300
# No window is shorter than this fraction of its distance from zero: too few digits are left.
_RESOLVED = 1e-8
# A field that is smaller than this fraction of the largest one counts as if it had this size.
_SMALLEST_FIELD = 1e-6


def _floored(sizes: Floats) -> Floats | None:
    largest = float(sizes.max())
    return np.maximum(sizes, _SMALLEST_FIELD * largest) if largest > 0 else None


def mirrored(attempt: Attempt, sum_of_ends: float) -> Attempt:
    """Attempts for a march that goes down, as if it went up."""

    def mirror(window: Window) -> Piece:
        low, high = sum_of_ends - window.high, sum_of_ends - window.low
        return attempt(replace(window, low=low, high=high)).mirrored(sum_of_ends)

    return mirror


def evenly(
    attempt: Attempt,
    low: float,
    high: float,
    count: int,
    tolerance: float,
    activations: tuple[str, ...],
) -> Iterator[Piece]:
    """Windows of equal length."""
    before: Network | None = None
    edges = np.linspace(low, high, count + 1)
    for begin, end in pairwise(edges):
        window = Window(float(begin), float(end), before, tolerance, activations, give_up=False)
        piece = attempt(window)
        yield piece
        if piece.status.stopped or not np.isfinite(piece.error):
            return
        before = piece.network


@dataclass(frozen=True)
class Marcher:
    """Consecutive windows, each as long as its nodes can resolve.

    Attributes
    ----------
    attempt : Attempt
    policy : MarchPolicy
    tolerance : float
    max_nodes : int
        Maximum number of nodes of a window.
    activations : tuple of str
        Activations to try.
    more : int
        Factor on `max_nodes` if the nodes cannot resolve even the shortest window.
    shortest : float
        No window is shorter than this fraction of the whole.
    in_time_alone : bool
        Nothing but the coordinate of the march; shorter windows then need fewer nodes.
    """

    attempt: Attempt
    policy: MarchPolicy
    tolerance: float
    max_nodes: int
    activations: tuple[str, ...]
    more: int
    shortest: float
    in_time_alone: bool

    def march(self, low: float, high: float, like: Sequence[Piece] = ()) -> Iterator[Piece]:
        """The windows from `low` to `high`.

        They are those of another march, `like`, as long as its nodes, and some more, will do.
        """
        policy, others = self.policy, list(like)
        position, length, inherited = low, high - low, 0.0
        shortest = self.shortest * (high - low)
        last: Piece | None = None
        pace = Pace(policy.change, high - low)
        kept: list[int] = []
        sizes = np.zeros(1)
        while position < high:
            aim = max(policy.window_aim * self.tolerance, policy.added * inherited)
            window = Window(
                position,
                position + length,
                before=None if last is None else last.network,
                tolerance=aim,
                activations=self.activations,
                give_up=True,
                fields=_floored(sizes),
                within=True,
            )
            least = max(shortest, _RESOLVED * abs(position))
            alike = self.attempt(self._again(window, others.pop(0))) if others else None
            if alike is not None and self._done(alike, window):
                piece = alike
            elif last is None or not policy.inherits or not kept:
                piece = self._from_scratch(window, high, least)
            else:
                piece = self._heir(self._heir_of(window, last, kept), window, high, least)
            if piece is not alike:
                others.clear()
            if piece.high < high and not piece.status.stopped:
                kept = piece.worth_keeping(policy.dropped)
                sizes = np.maximum(sizes, piece.field_sizes)
            yield piece
            if piece.status.stopped or not np.isfinite(piece.error):
                return
            if piece.error > policy.miss * aim:
                # It could not be met, and will not be later: no more than this is tried.
                shortest = max(shortest, piece.high - piece.low)
            position, inherited = piece.high, max(inherited, piece.error)
            # Lengths that only ever shrink would not get anywhere.
            stretch = self._stretch(piece, aim, pace)
            length = max((piece.high - piece.low) * stretch, 2 * max(shortest, least))
            last = piece

    def _stretch(self, piece: Piece, aim: float, pace: Pace) -> float:
        """How much longer the next window may be: as much as error and effort leave room for."""
        policy = self.policy
        added = 1.0 - piece.fit.inherited / max(1, len(piece.network.nodes))
        if piece.fit.inherited:
            room = policy.heir_longer - policy.effort * added
            if self.in_time_alone:
                return max(1.0, room)
            wanted = pace.factor(piece)
            return max(policy.least_change, min(wanted, room) if room < 1 else wanted)
        if len(piece.network.nodes) < policy.full * self.max_nodes:
            return policy.longer
        room = (aim / max(piece.error, _TINY)) ** (1 / policy.order)
        return float(np.clip(room, policy.least_change, policy.longer))

    def _heir_of(self, window: Window, last: Piece, kept: list[int]) -> Window:
        """The window with what it inherits: nodes, and how many points each of them took."""
        policy, before = self.policy, last.network
        per_node = policy.fewer * last.assembly.points.rows[0] / max(1, len(before.nodes))
        per_node = float(np.clip(per_node, policy.points_per_node, policy.points.most_per_node))
        return replace(
            window,
            activations=(before.activation,),
            inherits=True,
            kept=tuple(kept),
            expected=len(before.nodes),
            points=int(per_node * len(kept)),
        )

    def _heir(self, heir: Window, window: Window, end: float, shortest: float) -> Piece:
        """The next window with inherited nodes, shorter while that helps, or from scratch."""
        policy = self.policy
        error = np.inf
        tried: list[tuple[Window, Piece]] = []
        while True:
            heir = self._fitted(heir, end)
            piece = self.attempt(heir)
            if self._done(piece, window):
                return piece
            tried.append((heir, piece))
            length = piece.high - piece.low
            helped = policy.gains * piece.error < error
            if self.in_time_alone and not helped:
                return self._from_scratch(window, end, shortest)
            if not self.in_time_alone:
                # Other activations may do; whether they can is soon known.
                fresh = replace(window, high=heir.high)
                other = self.attempt(fresh)
                if self._done(other, window):
                    return other
                tried.append((fresh, other))
                if self._came_near(other, piece, window):
                    heir = self._again(window, other)
            if length < 2 * shortest or not (helped or len(tried) < 2 * policy.halvings):
                return self._with_more_nodes(tried)
            error = piece.error
            heir = replace(heir, high=heir.low + length / 2)

    def _came_near(self, piece: Piece, heir: Piece, window: Window) -> bool:
        """Whether a shorter window should begin with the nodes of this one, not with the heir's."""
        policy = self.policy
        near = piece.error <= policy.patience * window.tolerance
        return near and policy.gains * piece.error < heir.error

    def _again(self, window: Window, piece: Piece) -> Window:
        """A window with the nodes and the state of a longer one."""
        return replace(
            window,
            high=piece.high,
            activations=(piece.network.activation,),
            points=piece.assembly.points.rows[0],
            guess=piece.network,
        )

    def _done(self, piece: Piece, window: Window) -> bool:
        return piece.status.stopped or piece.error <= self.policy.miss * window.tolerance

    def _fitted(self, window: Window, end: float) -> Window:
        """The window, with no remainder left for a tiny one."""
        length = window.high - window.low
        return (
            replace(window, high=end) if end - window.high < self.policy.crumb * length else window
        )

    def _shorter(self, piece: Piece, aim: float) -> float:
        """The length with which the next attempt may succeed, from how far this one missed."""
        policy = self.policy
        length = piece.high - piece.low
        if not piece.error <= policy.learnt:
            return length * policy.most_shorter
        room = (aim / piece.error) ** (1 / policy.order)
        return length * float(np.clip(room, policy.most_shorter, policy.least_shorter))

    def _from_scratch(self, window: Window, end: float, shortest: float) -> Piece:
        """The window, made shorter until it meets the tolerance or that no longer helps."""
        policy, plain = self.policy, window
        tried: list[tuple[Window, Piece]] = []
        while True:
            window = self._fitted(window, end)
            divisible = window.high - window.low >= 2 * shortest
            piece = self._attempted(replace(window, give_up=divisible), [own for _, own in tried])
            if self._done(piece, window):
                return piece
            tried.append((window, piece))
            lost = piece.error > policy.learnt
            helped = len(tried) < 3 or lost or policy.worth * piece.error < tried[-3][1].error
            if self.in_time_alone:  # what is fast may be fast by decades
                helped = helped or len(tried) < policy.attempts_in_time
            if not (divisible and helped):
                return self._with_more_nodes(tried)
            length = max(self._shorter(piece, window.tolerance), shortest)
            near = piece.error <= policy.patience * window.tolerance
            window = self._again(plain, piece) if near else plain
            window = replace(window, high=window.low + length)

    def _with_more_nodes(self, tried: list[tuple[Window, Piece]]) -> Piece:
        """A kink, say, is the same in every window: the most accurate attempt gets more nodes."""
        window, piece = min(tried, key=lambda pair: pair[1].error)
        if piece.status is not Status.HOPELESS and window.more == self.more:
            return piece
        chosen = (piece.network.activation,)
        wider = replace(window, activations=chosen, give_up=False, more=self.more)
        other = self._attempted(wider, [piece])
        return other if other.status.stopped else best_of([piece, other])

    def _attempted(self, window: Window, before: Sequence[Piece]) -> Piece:
        """The window; if the run is stopped in it, the best of it and earlier attempts."""
        try:
            piece = self.attempt(window)
        except STOPS as stop:
            if not before:
                raise
            return best_of(before).ended(Status.after(stop))
        return best_of([*before, piece]).ended(piece.status) if piece.status.stopped else piece
