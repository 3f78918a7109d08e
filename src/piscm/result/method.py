"""The interface of a method: whether it can solve a problem, and its result."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Self

import numpy as np
import sympy
from numpy.typing import NDArray

from piscm.assemble.sampling import Sampling
from piscm.inference.error_estimate import ErrorEstimate
from piscm.inference.uncertainty import Uncertainty
from piscm.network.model import Model
from piscm.network.network import Network
from piscm.network.start import Start
from piscm.problem.errors import ProblemError, brief
from piscm.problem.problem import Problem
from piscm.result.history import History
from piscm.result.progress import Callback, Watcher, reporting
from piscm.result.status import Status

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Request:
    """The input of a method.

    Attributes
    ----------
    problem : Problem
    sampling : Sampling or None
        None leaves the points to the method.
    weights : mapping from the kind of a block to its weight
    start : Start
        The fields of the empty network, to which the nodes are added.
    rng : numpy.random.Generator
        The only source of random numbers.
    progress : bool, callable or None
        As passed to `solve`.
    guess : Network or None
        The solution of a similar problem, to begin with.
    callback : callable or None
        As passed to `solve`.
    executor : concurrent.futures.Executor or None
        Who may work at the same time.
    """

    problem: Problem
    sampling: Sampling | None
    weights: Mapping[str, float]
    start: Start
    rng: np.random.Generator
    progress: bool | Callable[[int, float], None] | None = None
    guess: Network | None = None
    callback: Callback | None = None
    executor: Any = None

    def reporting(
        self, total: int, doing: str = "growing", units: str = "nodes"
    ) -> AbstractContextManager[Watcher]:
        """A function to call with the number of nodes (or steps) done and the residual."""
        return reporting(self.progress, total, doing, units, self.callback)


@dataclass(frozen=True)
class BlockResidual:
    """How well one block is satisfied: root mean squares of its unweighted residual.

    `held_out` is None if there are no other points: observations, conditions at a point.
    """

    name: str
    kind: str
    rows: int
    fitted: float
    held_out: float | None


@dataclass(frozen=True)
class Outcome:
    """The result of a method.

    Attributes
    ----------
    model : Model
        The fields and unknowns found.
    status : Status
    residual : float
        The fitted residual, as the method measures it.
    block_residuals : tuple of BlockResidual
    history : numpy.recarray
    sampling : Sampling
        The points used.
    uncertainty : Uncertainty or None
    error : ErrorEstimate or None
    remarks : tuple of str
        What a user must know beyond the status, a sentence each.
    tried : tuple of str
        What was tried on the way, in words.
    determined : bool
        Whether the method has made sure itself that fields and unknowns are determined.
    points : mapping of str to ndarray
        Where equations and conditions were fitted, by kind.
    bent : bool
        Whether the noise of observations may have bent the equations.
    exact : bool
        Whether the data have determined the unknowns with the equations solved.
    """

    model: Model
    status: Status
    residual: float
    block_residuals: tuple[BlockResidual, ...]
    history: History
    sampling: Sampling
    uncertainty: Uncertainty | None = None
    error: ErrorEstimate | None = None
    remarks: tuple[str, ...] = ()
    tried: tuple[str, ...] = ()
    determined: bool = False
    points: Mapping[str, Floats] = field(default_factory=dict)
    bent: bool = False
    exact: bool = False


class Method(ABC):
    """A way to solve a problem, with its settings: a frozen dataclass.

    Your own method needs `check` and `run`, and is passed to `solve` like any other.
    """

    @abstractmethod
    def check(self, problem: Problem) -> None:
        """Raise `ProblemError`, before any computation, for what the method cannot do."""

    @abstractmethod
    def run(self, request: Request) -> Outcome:
        """Solve the problem."""

    @property
    def time_limit(self) -> float | None:
        """Its own time limit in seconds, if it has one."""
        limit: float | None = getattr(self, "max_seconds", None)
        return limit

    @property
    def asked(self) -> float:
        """The tolerance that was asked for; 0 if none was."""
        return float(getattr(self, "tolerance", 0.0))

    def with_tolerance(self, tolerance: float) -> "Method":
        """The same method with another tolerance, for ``solve(..., tol=...)``."""
        if not hasattr(self, "tolerance"):
            raise ProblemError(f"tol: {type(self).__name__} has no tolerance; leave it out.")
        if isinstance(tolerance, list | np.ndarray):
            raise ProblemError(f"tol={brief(tolerance)}: the tolerance is one number.")
        return replace(self, tolerance=tolerance)  # type: ignore[type-var]  # every method is a dataclass

    @property
    def measure(self) -> str:
        """What the residual of a solution means, in words."""
        return "weighted root mean square of all rows"

    def chosen(self, model: Model) -> str:
        """What the method chose itself, in one line; empty if there is no choice."""
        return ""

    @property
    def records_iterations(self) -> bool:
        """Whether its history has one record per iteration rather than per node."""
        return False

    def options(self) -> dict[str, Any]:
        """The settings as plain data."""
        return asdict(self)  # type: ignore[call-overload,no-any-return]  # every method is a dataclass

    def document(self) -> dict[str, Any]:
        """The method as plain data."""
        return {"name": type(self).__name__, "options": self.options()}

    @classmethod
    def from_options(cls, options: Mapping[str, Any], coordinates: Sequence[sympy.Symbol]) -> Self:
        """The method written by `options`, for a problem with these coordinates."""
        return cls(**options)
