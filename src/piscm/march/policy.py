"""How far the next window reaches, and with how many nodes: the choices of `Auto`."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from piscm.construct.machine import Report
from piscm.construct.methods import PISC3
from piscm.evaluate import Network
from piscm.march.piece import Piece, Task, solve_piece
from piscm.sampling import Sampling
from piscm.status import Status

Floats = NDArray[np.float64]

ACTIVATIONS = ("sin", "tanh", "gaussian")
# Nodes after which activations are compared and growth may be given up; candidates for each block.
_TRIAL = 100
_CANDIDATES = 100
# After so many nodes more, points are added where the residual between them is too large.
_STAGE = 50
# Points of the equations for each node that may come.
_POINTS_PER_NODE = 4
# Growth is given up where it would miss the tolerance by more than this factor.
_MISS = 2.0
# No window is shorter than this share of the whole.
_SHORTEST = 1 / 32
# What would be left of the last window is added to it if it is shorter than this share.
_CRUMB = 0.25
# Of the error that a window inherits, this share is allowed to be added in it.
_ADDED = 0.1
# A window that took fewer nodes than this share of those allowed is followed by a longer one.
_FULL = 0.7
_LONGER = 2.0


@dataclass(frozen=True)
class Settings:
    """What the user asked of `Auto`."""

    tolerance: float
    max_nodes: int
    activations: tuple[str, ...]
    sampling: Sampling | None
    max_seconds: float | None = None

    def points(self, dimension: int) -> Sampling:
        """Points to begin a window with: the user's, or a few for each node of the first stage."""
        if self.sampling is not None:
            return self.sampling
        interior = int(_POINTS_PER_NODE * _TRIAL)
        # On a line a few dozen are plenty; faces of higher dimension take after the interior.
        return Sampling(interior, interior // 4 if dimension <= 2 else interior // 2)


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


def attempt(
    task: Task,
    settings: Settings,
    low: float,
    high: float,
    before: Network | None,
    tolerance: float,
    activations: Sequence[str],
    rng: np.random.Generator,
    report: Report,
    *,
    give_up: bool,
) -> Piece:
    """One network on one window, with the activation that does best."""
    most = settings.max_nodes
    methods = [
        PISC3(
            selection="orthogonal",
            candidates=_CANDIDATES,
            activation=activation,
            max_nodes=most,
            tolerance=tolerance,
            max_seconds=settings.max_seconds,
        )
        for activation in activations
    ]
    return solve_piece(
        task,
        low,
        high,
        before,
        methods,
        settings.points(task.problem.domain.dimension),
        rng,
        report,
        hopeless=out_of_reach(most) if give_up else None,
        stages=range(_TRIAL, most, _STAGE),
        points_per_node=0.0 if settings.sampling is not None else _POINTS_PER_NODE,
    )


def march(
    task: Task,
    settings: Settings,
    low: float,
    high: float,
    rng: np.random.Generator,
    report: Report,
) -> Iterator[Piece]:
    """Windows one after the other, each as long as its nodes can carry."""
    before: Network | None = None
    activations = settings.activations
    position, length, inherited = low, high - low, 0.0
    shortest = _SHORTEST * (high - low)
    while position < high:
        tolerance = max(settings.tolerance, _ADDED * inherited)
        piece = _longest(
            task,
            settings,
            position,
            high,
            length,
            before,
            tolerance,
            activations,
            shortest,
            rng,
            report,
        )
        yield piece
        if piece.growth.status is Status.INTERRUPTED:
            return
        before, position = piece.network, piece.high
        inherited = max(inherited, piece.error)
        length = piece.high - piece.low
        activations = settings.activations
        if len(piece.network.nodes) < _FULL * settings.max_nodes:
            length *= _LONGER
            activations = (piece.network.activation,)  # it did well


def _longest(
    task: Task,
    settings: Settings,
    low: float,
    end: float,
    length: float,
    before: Network | None,
    tolerance: float,
    activations: Sequence[str],
    shortest: float,
    rng: np.random.Generator,
    report: Report,
) -> Piece:
    """The window from `low` on: halved until it meets the tolerance, or cannot be any shorter."""
    while True:
        high = low + length
        if end - high < _CRUMB * length:  # leave no crumb for a window of its own
            high = end
        divisible = high - low >= 2 * shortest
        piece = attempt(
            task,
            settings,
            low,
            high,
            before,
            tolerance,
            activations,
            rng,
            report,
            give_up=divisible,
        )
        met = piece.error <= _MISS * tolerance
        if met or not divisible or piece.growth.status is Status.INTERRUPTED:
            return piece
        activations, length = settings.activations, (high - low) / 2


def chosen(pieces: Sequence[Piece]) -> str:
    """The windows in words."""
    nodes = [len(piece.network.nodes) for piece in pieces]
    points = [len(piece.points[0][0]) for piece in pieces]
    return f"{_range(nodes)} nodes, {_range(points)} points"


def _range(numbers: Sequence[int]) -> str:
    low, high = min(numbers), max(numbers)
    return f"{low}" if low == high else f"{low} to {high}"
