"""The length of the next window and its number of nodes: the choices of `Auto`."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from piscm.fit.piece import Piece
from piscm.fit.stages import OutOfReach, PointPolicy
from piscm.network.network import Network
from piscm.result.status import Status

Floats = NDArray[np.float64]

_TINY = 1e-300
# A field that is smaller than this fraction of the largest one counts as if it had this size.
_SMALLEST_FIELD = 1e-6


def _floored(sizes: Floats) -> Floats | None:
    largest = float(sizes.max())
    return np.maximum(sizes, _SMALLEST_FIELD * largest) if largest > 0 else None



@dataclass(frozen=True)
class MarchPolicy:
    """The parameters behind the choices of `Auto`.

    Parameters
    ----------
    trial : int
        Number of nodes after which activations are compared and growth may be given up. Fewer are
        cheaper and leave the choice to luck.
    candidates : int
        Number of candidates for each block of nodes. More find better nodes and cost evaluations.
    stage : int
        Points are added every `stage` nodes if the residual between them is too large.
    points_per_node : int
        Number of points of the equations per node to come. Fewer are faster, but let the network
        oscillate between the points.
    alone : int
        Without windows, the maximum number of nodes is multiplied by this.
    aim : float
        Each window aims at this fraction of the tolerance, since errors accumulate.
    miss : float
        Growth is given up if it would miss the tolerance by more than this factor.
    worth : float
        Halving helps if a quarter of a window is more accurate by this factor.
    learnt : float
        A window with a larger error has found nothing yet, and can only be halved.
    shortest, shortest_in_time : float
        No window is shorter than this fraction of the whole; of a problem in time alone, where
        windows cost little and scales may be decades apart, the second one.
    crumb : float
        A remainder shorter than this fraction of the last window is added to it.
    added : float
        A window may add this fraction of the error it inherits.
    full, longer : float
        A window that took fewer nodes than the fraction `full` of those allowed is followed by one
        `longer` times as long.
    more : int
        If halving a window does not help, the maximum number of nodes is multiplied by this.
    bad_fit : float
        If one network misses the observations by more than this fraction, it may be in the wrong
        minimum: other row weights are tried too.
    lost, worse : float
        Windows are lost if they miss more than the fraction `lost` of the data, and `worse` times
        more than one network did. (Somewhat worse is fine: they do not compromise the equation.)
    points : PointPolicy
        When a window gets more points.
    """

    trial: int = 100
    retrial: int = 40
    candidates: int = 100
    stage: int = 100
    points_per_node: int = 4
    alone: int = 4
    aim: float = 0.3
    miss: float = 2.0
    worth: float = 2.0
    learnt: float = 0.03
    shortest: float = 1 / 512
    shortest_in_time: float = 1e-12
    crumb: float = 0.25
    added: float = 0.1
    full: float = 0.7
    longer: float = 2.0
    more: int = 2
    bad_fit: float = 0.1
    lost: float = 0.5
    worse: float = 3.0
    repeats: int = 2
    closer: float = 0.3
    tightest: float = 1e-3
    least_share: float = 1 / 64
    inherits: bool = True
    dropped: float = 0.2
    renewed: float = 1.5
    patience: float = 100.0
    gains: float = 3.0
    halvings: int = 3
    fewer: float = 0.9
    efforts: tuple[float, ...] = (0.0, 0.1, 0.2, 0.4)
    stretches: tuple[float, ...] = (1.5, 1.2, 1.0, 0.8)
    order: float = 6.0
    least_change: float = 0.7
    least_shorter: float = 0.7
    most_shorter: float = 0.125
    points: PointPolicy = field(default_factory=PointPolicy)

    def out_of_reach(self, most: int, least: int = 0) -> OutOfReach:
        """Whether the residuals so far, extrapolated at their latest rate, miss the tolerance.

        Always False with fewer than `least` nodes, and once there are `most`.
        """

        def out_of_reach(residuals: Floats, tolerance: float, inherited: int) -> bool:
            count = len(residuals)
            new = count - inherited
            if new < (self.retrial if inherited else max(self.trial, least)) or count >= most:
                return False
            half = inherited + new // 2
            fall = np.log(residuals[half - 1] / residuals[-1]) / (count - half)
            extrapolated = np.log(residuals[-1]) - fall * (most - count)
            return bool(extrapolated > np.log(self.miss * tolerance))

        return out_of_reach


@dataclass(frozen=True)
class Window:
    """The task for one window."""

    low: float
    high: float
    before: Network | None
    tolerance: float
    activations: tuple[str, ...]
    give_up: bool  # once the tolerance is out of reach
    more: int = 1  # factor on the method's number of nodes
    inherits: bool = False  # the nodes of the window before come first
    kept: tuple[int, ...] | None = None  # which of them
    points: int = 0  # of the equations, at least
    fields: Floats | None = None  # their sizes, if known
    within: bool = False  # a part of the whole


Attempt = Callable[[Window], Piece]


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

    def march(self, low: float, high: float) -> Iterator[Piece]:
        """The windows from `low` to `high`."""
        policy = self.policy
        position, length, inherited = low, high - low, 0.0
        shortest = self.shortest * (high - low)
        last: Piece | None = None
        kept: list[int] = []
        sizes = np.zeros(1)
        while position < high:
            aim = max(policy.aim * self.tolerance, policy.added * inherited)
            window = Window(
                position, position + length, None, aim, self.activations, True, within=True
            )
            if last is None:
                piece = self._from_scratch(window, high, shortest)
            else:
                piece = self._heir(replace(window, fields=_floored(sizes)), last, kept, high, shortest)
            if piece.high < high and not piece.status.stopped:
                kept = piece.worth_keeping(policy.dropped)
                sizes = np.maximum(sizes, piece.field_sizes)
            yield piece
            if piece.status.stopped or not np.isfinite(piece.error):
                return
            position, inherited = piece.high, max(inherited, piece.error)
            length = (piece.high - piece.low) * self._stretch(piece, aim)
            last = piece

    def _stretch(self, piece: Piece, aim: float) -> float:
        """How much longer the next window may be: as much as error and effort leave room for."""
        policy = self.policy
        added = 1.0 - piece.fit.inherited / max(1, len(piece.network.nodes))
        if piece.fit.inherited:
            room = np.interp(added, policy.efforts, policy.stretches)
        else:
            room = (aim / max(piece.error, _TINY)) ** (1 / policy.order)
            if len(piece.network.nodes) < policy.full * self.max_nodes:
                room = policy.longer
        return float(np.clip(room, policy.least_change, policy.longer))

    def _heir(
        self, window: Window, last: Piece, kept: list[int], end: float, shortest: float
    ) -> Piece:
        """The next window with inherited nodes, shorter while that helps, or from scratch."""
        policy, before = self.policy, last.network
        window = replace(window, before=before)
        if not policy.inherits or not kept:
            return self._from_scratch(window, end, shortest)
        if len(before.nodes) > self.max_nodes and not self.in_time_alone:
            # They have become many: other activations may need fewer.
            piece = self.attempt(self._fitted(window, end))
            if self._done(piece, window):
                return piece
        per_node = policy.fewer * last.assembly.points.rows[0] / max(1, len(before.nodes))
        per_node = min(per_node, policy.points.most_per_node)
        heir = replace(
            window,
            activations=(before.activation,),
            inherits=True,
            kept=tuple(kept),
            points=int(max(policy.points_per_node, per_node) * len(kept)),
        )
        error, tried = np.inf, []
        while True:
            heir = self._fitted(heir, end)
            piece = self.attempt(heir)
            if self._done(piece, window):
                return piece
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
                tried += [(heir, piece), (fresh, other)]
            if length < 2 * shortest or not (helped or len(tried) < 2 * policy.halvings):
                return self._with_more_nodes(tried)
            error = piece.error
            heir = replace(heir, high=heir.low + length / 2)

    def _done(self, piece: Piece, window: Window) -> bool:
        return piece.status.stopped or piece.error <= self.policy.miss * window.tolerance

    def _fitted(self, window: Window, end: float) -> Window:
        """The window, with no remainder left for a tiny one."""
        length = window.high - window.low
        return replace(window, high=end) if end - window.high < self.policy.crumb * length else window

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
        policy = self.policy
        tried: list[tuple[Window, Piece]] = []
        while True:
            window = self._fitted(window, end)
            divisible = window.high - window.low >= 2 * shortest
            piece = self.attempt(replace(window, give_up=divisible))
            met = piece.error <= policy.miss * window.tolerance
            if met or piece.status.stopped:
                return piece
            tried.append((window, piece))
            lost = piece.error > policy.learnt
            helped = len(tried) < 3 or lost or policy.worth * piece.error < tried[-3][1].error
            if not (divisible and helped):
                return self._with_more_nodes(tried)
            window = replace(window, high=window.low + self._shorter(piece, window.tolerance))

    def _with_more_nodes(self, tried: list[tuple[Window, Piece]]) -> Piece:
        """A kink, say, is the same in every window: the most accurate attempt gets more nodes."""
        window, piece = min(tried, key=lambda pair: pair[1].error)
        if piece.status is not Status.HOPELESS and window.more == self.more:
            return piece
        chosen = (piece.network.activation,)
        other = self.attempt(replace(window, activations=chosen, give_up=False, more=self.more))
        best = min(piece, other, key=lambda item: item.error)
        return best.ended(other.status) if other.status.stopped else best
