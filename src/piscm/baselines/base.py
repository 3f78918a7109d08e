"""What every rival method is: settings, and a fit on the points that piscm's own methods get."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piscm.compile.blocks import Block
from piscm.construct.machine import HISTORY, Report
from piscm.network.model import Fitted
from piscm.network.start import Start
from piscm.problem.errors import ProblemError
from piscm.problem.problem import Problem
from piscm.result.status import Status

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Given:
    """What a baseline is given: the problem, compiled, and the points where it must hold.

    Attributes
    ----------
    problem : Problem
    blocks : sequence of Block
    points : for each block its arrays of points
    weights : mapping of a kind of block to its weight
    start : Start
        Starting values, to which the network is added.
    rng : numpy.random.Generator
    report : callable
        To be called with the number of the iteration and the residual.
    """

    problem: Problem
    blocks: Sequence[Block]
    points: Sequence[tuple[Floats, ...]]
    weights: Mapping[str, float]
    start: Start
    rng: np.random.Generator
    report: Report


@dataclass(frozen=True)
class Trained:
    """What a baseline gives back.

    `residual` is the square root of the weighted mean squares of all blocks, as for `PISC3`;
    `history` has one record an iteration.
    """

    network: Fitted
    status: Status
    residual: float
    history: np.recarray[Any, Any]


@dataclass(frozen=True, kw_only=True)
class Baseline(ABC):
    """A method of others, with its settings."""

    @property
    @abstractmethod
    def iterations(self) -> int:
        """How many steps a run takes at most, for the progress bar."""

    def check(self, problem: Problem) -> None:
        """Tell what the method cannot do, before any work."""
        if any(data.noise is not None or data.loss != "square" for data in problem.observations):
            raise ProblemError(
                f"{type(self).__name__} fits observations by plain least squares: leave noise=... "
                "and loss=... out, or use PISC3()."
            )

    @abstractmethod
    def fit(self, given: Given) -> Trained:
        """Solve the problem."""


def history_of(residuals: Sequence[float], seconds: Sequence[float]) -> np.recarray[Any, Any]:
    """A history with one record an iteration; what only growth has is left at zero."""
    records = np.zeros(len(residuals), dtype=HISTORY)
    records["residual"], records["seconds"] = residuals, seconds
    return np.rec.array(records)
