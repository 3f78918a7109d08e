"""How far the next window reaches, and with how many nodes: the choices of `Auto`."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.sampling import Sampling
from piscm.construct.machine import Report
from piscm.construct.methods import PISC3, Method
from piscm.fit.piece import STOPPED, Piece, Task
from piscm.fit.stages import Hopeless, solve_piece
from piscm.march.options import Auto
from piscm.network.model import Network
from piscm.result.status import Status

Floats = NDArray[np.float64]

MORE = 2
"""Where halving a window does not help, so many times as many nodes may come."""

# Nodes after which activations are compared and growth may be given up; candidates for each block.
_TRIAL = 100
_CANDIDATES = 100
# After so many nodes more, points are added where the residual between them is too large.
_STAGE = 100
# Points of the equations for each node that may come.
_POINTS_PER_NODE = 4
# Where there are no windows, so many times as many nodes may come.
_ALONE = 4
# Each window aims at this share of the tolerance: errors add up.
_AIM = 0.5
# Growth is given up where it would miss the tolerance by more than this factor.
_MISS = 2.0
# A quarter of a window must be more accurate by this factor, or halving does not help.
_WORTH = 2.0
# A window with a larger error has found nothing yet, and halving it is the only hope.
_LEARNT = 0.03
# No window is shorter than this share of the whole.
_SHORTEST = 1 / 32
# What would be left of the last window is added to it if it is shorter than this share.
_CRUMB = 0.25
# Of the error that a window inherits, this share is allowed to be added in it.
_ADDED = 0.1
# A window that took fewer nodes than this share of those allowed is followed by a longer one.
_FULL = 0.7
_LONGER = 2.0


def out_of_reach(most: int) -> Callable[[Floats, float], bool]:
    """Whether the residuals so far, extrapolated as they fell last, miss the tolerance."""

    def hopeless(residuals: Floats, tolerance: float) -> bool:
        count = len(residuals)
        if count < _TRIAL or count >= most:
            return False
        half = count // 2
        fall = np.log(residuals[half - 1] / residuals[-1]) / (count - half)
        return bool(np.log(residuals[-1]) - fall * (most - count) > np.log(_MISS * tolerance))

    return hopeless


@dataclass(frozen=True)
class Window:
    """What is asked of one window."""

    low: float
    high: float
    before: Network | None
    tolerance: float
    activations: tuple[str, ...]
    give_up: bool  # as soon as the tolerance is out of reach
    more: int = 1  # times as many nodes as the method has


Attempt = Callable[[Window], Piece]


def auto_attempt(
    task: Task,
    auto: Auto,
    sampling: Sampling | None,
    rng: np.random.Generator,
    report: Report,
    deadline: float,
    hopeless: Hopeless | None = None,
) -> Attempt:
    """Networks whose activation, points and size are found out."""
    flat = task.problem.domain.dimension <= 2
    interior = int(_POINTS_PER_NODE * _TRIAL)
    # Faces of two dimensions and more take after the interior; on a line fewer are plenty.
    begin = Sampling(interior, interior // 4 if flat else interior // 2)

    def attempt(window: Window) -> Piece:
        most = window.more * auto.max_nodes
        out = out_of_reach(most) if hopeless is None else hopeless
        methods = [
            PISC3(
                selection="orthogonal",
                candidates=_CANDIDATES,
                activation=activation,
                max_nodes=most,
                tolerance=window.tolerance,
                max_seconds=_left(deadline),
            )
            for activation in window.activations
        ]
        return solve_piece(
            task,
            window.low,
            window.high,
            window.before,
            methods,
            begin if sampling is None else sampling,
            rng,
            report,
            hopeless=out if window.give_up else None,
            stages=range(_TRIAL, most, _STAGE),
            points_per_node=_POINTS_PER_NODE if sampling is None else 0.0,
        )

    return attempt


def lone_attempt(
    task: Task,
    auto: Auto,
    sampling: Sampling | None,
    rng: np.random.Generator,
    report: Report,
    deadline: float,
) -> Attempt:
    """The same where there is nothing to cut: more nodes, for as long as they promise enough."""
    most = _ALONE * auto.max_nodes
    out = out_of_reach(most)

    def hopeless(residuals: Floats, tolerance: float) -> bool:
        return len(residuals) >= auto.max_nodes and out(residuals, tolerance)

    larger = auto_attempt(
        task, replace(auto, max_nodes=most), sampling, rng, report, deadline, hopeless
    )
    return lambda window: larger(replace(window, tolerance=_AIM * window.tolerance, give_up=True))


def plain_attempt(
    task: Task,
    method: Method,
    sampling: Sampling | None,
    rng: np.random.Generator,
    report: Report,
    deadline: float,
) -> Attempt:
    """Networks by a method whose settings the user gave."""
    points = Sampling() if sampling is None else sampling

    def attempt(window: Window) -> Piece:
        own = replace(method, tolerance=window.tolerance, max_seconds=_left(deadline))
        low, high, before = window.low, window.high, window.before
        return solve_piece(task, low, high, before, [own], points, rng, report)

    return attempt


def _left(deadline: float) -> float | None:
    return None if np.isinf(deadline) else max(1e-3, deadline - time.perf_counter())


def evenly(
    attempt: Attempt, low: float, high: float, count: int, tolerance: float, activations: Any
) -> Iterator[Piece]:
    """Windows of one length."""
    before: Network | None = None
    edges = np.linspace(low, high, count + 1)
    for begin, end in pairwise(edges):
        window = Window(float(begin), float(end), before, tolerance, activations, give_up=False)
        piece = attempt(window)
        yield piece
        if piece.growth.status in STOPPED or not np.isfinite(piece.error):
            return
        before = piece.network


def march(
    attempt: Attempt,
    low: float,
    high: float,
    tolerance: float,
    most: int,
    activations: tuple[str, ...],
    more: int,
) -> Iterator[Piece]:
    """Windows one after the other, each as long as its nodes can carry.

    Where they cannot carry the shortest one either, there may be `more` times as many.
    """
    before: Network | None = None
    position, length, inherited, tried, times = low, high - low, 0.0, activations, 1
    shortest = _SHORTEST * (high - low)
    while position < high:
        window = Window(
            position,
            position + length,
            before,
            max(_AIM * tolerance, _ADDED * inherited),
            tried,
            give_up=True,
            more=times,
        )
        piece = _longest(attempt, window, high, shortest, activations, more)
        yield piece
        if piece.growth.status in STOPPED or not np.isfinite(piece.error):
            return
        before, position = piece.network, piece.high
        inherited = max(inherited, piece.error)
        length, tried = piece.high - piece.low, activations
        times = more if len(piece.network.nodes) > most else 1
        easy = len(piece.network.nodes) < _FULL * most
        if easy or (length < 2 * shortest and piece.error <= _MISS * window.tolerance):
            tried = (piece.network.activation,)  # it did well
        if easy:
            length *= _LONGER


def _longest(
    attempt: Attempt,
    window: Window,
    end: float,
    shortest: float,
    activations: tuple[str, ...],
    more: int,
) -> Piece:
    """The window halved until it meets the tolerance, or halving does not help."""
    tried: list[tuple[Window, Piece]] = []
    while True:
        length = window.high - window.low
        if end - window.high < _CRUMB * length:  # leave no crumb for a window of its own
            window = replace(window, high=end)
            length = window.high - window.low
        divisible = length >= 2 * shortest
        piece = attempt(replace(window, give_up=divisible))
        met = piece.error <= _MISS * window.tolerance
        if met or piece.growth.status in STOPPED:
            return piece
        tried.append((window, piece))
        lost = piece.error > _LEARNT
        helped = len(tried) < 3 or lost or _WORTH * piece.error < tried[-3][1].error
        if divisible and helped:
            window = replace(window, high=window.low + length / 2, activations=activations)
        elif not divisible and window.activations != activations:  # what did well does no longer
            window = replace(window, activations=activations)
        else:
            break
    # A kink, say, is the same in every window: the one that came nearest gets more nodes.
    window, piece = min(tried, key=lambda pair: pair[1].error)
    if piece.growth.status is not Status.HOPELESS and window.more == more:
        return piece
    chosen = (piece.network.activation,)
    other = attempt(replace(window, activations=chosen, give_up=False, more=more))
    best = min(piece, other, key=lambda item: item.error)
    if other.growth.status in STOPPED:
        best = replace(best, growth=replace(best.growth, status=other.growth.status))
    return best
