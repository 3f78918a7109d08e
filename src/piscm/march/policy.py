"""The length of the next window and its number of nodes: the choices of `Auto`."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from piscm.budget.budget import STOPS
from piscm.fit.piece import Piece, best_of
from piscm.fit.stages import OutOfReach, PointPolicy
from piscm.network.network import Network
from piscm.result.status import Status

Floats = NDArray[np.float64]


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
    at_once : int
        One-shot networks may have this many times the weights.
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
    candidates: int = 100
    stage: int = 100
    points_per_node: int = 4
    alone: int = 4
    at_once: int = 10
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
    points: PointPolicy = field(default_factory=PointPolicy)

    def out_of_reach(self, most: int, least: int = 0) -> OutOfReach:
        """Whether the residuals so far, extrapolated at their latest rate, miss the tolerance.

        Always False with fewer than `least` nodes, and once there are `most`.
        """

        def out_of_reach(residuals: Floats, tolerance: float) -> bool:
            count = len(residuals)
            if count < max(self.trial, least) or count >= most:
                return False
            half = count // 2
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
        position, length, inherited, tried, times = low, high - low, 0.0, self.activations, 1
        shortest = policy.shortest * (high - low)
        while position < high:
            aim = max(policy.aim * self.tolerance, policy.added * inherited)
            end = position + length
            window = Window(position, end, before, aim, tried, give_up=True, more=times)
            piece = self._longest(window, high, shortest)
            yield piece
            if piece.status.stopped or not np.isfinite(piece.error):
                return
            before, position = piece.network, piece.high
            inherited = max(inherited, piece.error)
            length, tried = piece.high - piece.low, self.activations
            times = self.more if len(piece.network.nodes) > self.max_nodes else 1
            easy = len(piece.network.nodes) < policy.full * self.max_nodes
            if easy or (length < 2 * shortest and piece.error <= policy.miss * aim):
                tried = (piece.network.activation,)  # it did well
            if easy:
                length *= policy.longer

    def _longest(self, window: Window, end: float, shortest: float) -> Piece:
        """The window, halved until it meets the tolerance or halving no longer helps."""
        policy = self.policy
        tried: list[tuple[Window, Piece]] = []
        while True:
            length = window.high - window.low
            if end - window.high < policy.crumb * length:  # leave no remainder for a tiny window
                window = replace(window, high=end)
                length = window.high - window.low
            divisible = length >= 2 * shortest
            piece = self._attempted(replace(window, give_up=divisible), [own for _, own in tried])
            if piece.status.stopped or piece.error <= policy.miss * window.tolerance:
                return piece
            tried.append((window, piece))
            lost = piece.error > policy.learnt
            helped = len(tried) < 3 or lost or policy.worth * piece.error < tried[-3][1].error
            if divisible and helped:
                high = window.low + length / 2
                window = replace(window, high=high, activations=self.activations)
            elif not divisible and window.activations != self.activations:
                # The activation that did well no longer does.
                window = replace(window, activations=self.activations)
            else:
                return self._with_more_nodes(tried)

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
