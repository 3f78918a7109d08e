"""The budget of a run: the moment at which it must end, and the memory it may take.

Any array operation may turn out to be the long one, so the budget is not a parameter of all of
them: `solve` sets it for a run (in the context of its thread), and whoever is about to compute
something large asks here first. Asking changes no digit; it only raises.
"""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace

from piscm.budget.allocator import keep_memory
from piscm.problem.errors import ProblemError

# After the deadline a run may take this many seconds, and this share of its time limit, to put its
# result together.
_GRACE, _GRACE_SHARE = 0.2, 0.1
# Pieces are taken for slower than they should be by at most this factor.
_SLOWEST = 8.0


class OutOfTimeError(Exception):
    """The time limit has come; raised where a run asks, and caught where it has a result."""


class OutOfMemoryError(ProblemError):
    """What is about to be computed takes more memory than it may."""


STOPS = (KeyboardInterrupt, OutOfTimeError, OutOfMemoryError, MemoryError)
"""Whatever ends a run early. Who has something to return by then catches them."""


@dataclass
class Pace:
    """How much longer pieces of a run take than they should, on a busy machine for instance."""

    expected: float = 0.0
    took: float = 0.0
    begun: tuple[float, float] | None = None  # when, and how many seconds it should take

    def end(self) -> None:
        """The piece that was begun has ended; pieces count half as much with each later one."""
        if self.begun is None:
            return
        moment, expected = self.begun
        self.expected = self.expected / 2 + expected
        self.took = self.took / 2 + time.perf_counter() - moment
        self.begun = None

    @property
    def slowdown(self) -> float:
        return min(_SLOWEST, max(1.0, self.took / self.expected)) if self.expected > 0 else 1.0


@dataclass(frozen=True)
class Budget:
    """Time and memory of a run.

    Attributes
    ----------
    deadline : float
        On the clock of `time.perf_counter`.
    grace : float
        Seconds after the deadline in which the result is put together.
    memory : float
        Bytes.
    pace : Pace
    """

    deadline: float = math.inf
    grace: float = 0.0
    memory: float = math.inf
    pace: Pace = field(default_factory=Pace, compare=False)

    @classmethod
    def of(cls, seconds: float | None, memory: float) -> "Budget":
        """The budget of a run that begins now."""
        if seconds is None:
            return cls(memory=memory)
        grace = _GRACE + _GRACE_SHARE * seconds
        return cls(time.perf_counter() + seconds, grace, memory)

    @property
    def left(self) -> float:
        """Seconds until the deadline."""
        return self.deadline - time.perf_counter()


UNLIMITED = Budget()
_current: ContextVar[Budget] = ContextVar("budget", default=UNLIMITED)


def current() -> Budget:
    """The budget of the run under way; without limits outside of one."""
    return _current.get()


@contextmanager
def spending(budget: Budget) -> Iterator[None]:
    """Hold what is computed inside to a budget."""
    keep_memory()
    token = _current.set(budget)
    try:
        yield
    finally:
        _current.reset(token)


@contextmanager
def finishing() -> Iterator[None]:
    """Allow the grace: what is computed inside describes a result that is already there."""
    budget = current()
    with spending(replace(budget, deadline=budget.deadline + budget.grace, grace=0.0)):
        yield


def check_memory(needed: float, what: str, instead: str) -> None:
    """Raise `OutOfMemoryError` if something would take more bytes than the budget has."""
    allowed = current().memory
    if needed > allowed:
        raise OutOfMemoryError(
            f"{what} would take about {_size(needed)} of memory, and {_size(allowed)} may be used: "
            f"{instead}, or raise max_memory."
        )


def _size(count: float) -> str:
    unit, name = (1e9, "GB") if count >= 1e9 else (1e6, "MB")
    return f"{count / unit:.3g} {name}"
