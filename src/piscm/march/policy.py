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
    shortest : float
        No window is shorter than this fraction of the whole.
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
    aim: float = 0.5
    miss: float = 2.0
    worth: float = 2.0
    learnt: float = 0.03
    shortest: float = 1 / 32
    crumb: float = 0.25
    added: float = 0.1
    full: float = 0.7
    longer: float = 2.0
    more: int = 2
    bad_fit: float = 0.1
    lost: float = 0.5
    worse: float = 3.0
    inherits: bool = True
    comfortable: int = 250
    order: float = 6.0
    least_change: float = 0.7
    least_shorter: float = 0.7
    most_shorter: float = 0.125
    stuck: float = 0.6
    dropped: float = 1.0
    renewed: float = 1.5
    patience: float = 100.0
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


Attempt = Callable[[Window], Piece]


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
    """

    attempt: Attempt
    policy: MarchPolicy
    tolerance: float
    max_nodes: int
    activations: tuple[str, ...]
    more: int

    def march(self, low: float, high: float) -> Iterator[Piece]:
        """The windows from `low` to `high`."""
        policy = self.policy
        before: Network | None = None
        position, length, inherited, kept = low, high - low, 0.0, None
        shortest = policy.shortest * (high - low)
        while position < high:
            aim = max(policy.aim * self.tolerance, policy.added * inherited)
            window = Window(position, position + length, before, aim, self.activations, True)
            piece = self._next(replace(window, kept=kept), high, shortest)
            if policy.inherits and piece.high < high and not piece.status.stopped:
                kept = tuple(piece.worth_keeping(policy.dropped))
            yield piece
            if piece.status.stopped or not np.isfinite(piece.error):
                return
            before, position = piece.network, piece.high
            inherited = max(inherited, piece.error)
            length = (piece.high - piece.low) * self._stretch(piece, aim)

    def _stretch(self, piece: Piece, aim: float) -> float:
        """How much longer the next window may be: as much as the error leaves room for."""
        policy = self.policy
        if len(piece.network.nodes) < policy.full * self.comfortable:
            return policy.longer  # growth may add nodes
        room = (aim / max(piece.error, _TINY)) ** (1 / policy.order)
        return float(np.clip(room, policy.least_change, policy.longer))

    @property
    def comfortable(self) -> int:
        return min(self.policy.comfortable, self.max_nodes)

    def _next(self, window: Window, end: float, shortest: float) -> Piece:
        """The next window: with inherited nodes, or from scratch if these do not do."""
        before = window.before
        if before is None or not self.policy.inherits:
            return self._from_scratch(window, end, shortest)
        first = window.high - window.low
        heir = replace(window, activations=(before.activation,), inherits=True)
        while heir.high - heir.low >= self.policy.stuck * first:
            piece = self.attempt(self._fitted(heir, end))
            if piece.status.stopped or piece.error <= self.policy.miss * window.tolerance:
                return piece
            heir = replace(heir, high=heir.low + self._shorter(piece, window.tolerance))
        return self._from_scratch(window, end, shortest)

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
