"""Whoever was given to work at the same time, as one executor that a run can rely on.

Others wait until a piece of work is done, however long that takes, and draw all pieces before the
first is asked for. Here waiting looks at the clock, and pieces that are made one by one are made as
they are needed. A pool that has lost a process is told in words.
"""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sized
from concurrent.futures import BrokenExecutor, Executor, Future, wait
from contextlib import suppress
from itertools import islice
from typing import Any

from piscm.budget.clock import check_time
from piscm.linalg.executors import as_executor, is_dask_client
from piscm.problem.errors import ProblemError, shortened

# Pieces that are on their way, for each worker: one that is worked on, and one that waits.
_AHEAD = 2
# Seconds between two looks at the clock.
_LOOK = 0.1


class Workers(Executor):
    """An executor, or the one of a Dask client.

    Attributes
    ----------
    given : what the user gave
    """

    def __init__(self, given: Any) -> None:
        self.given = given
        self._executor: Executor = given.get_executor(pure=False) if _is_client(given) else given

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **named: Any) -> "Future[Any]":
        return self._executor.submit(work, *arguments, **named)

    def map(self, fn: Callable[..., Any], *iterables: Iterable[Any], **_: Any) -> Iterator[Any]:
        """Results in order. Lists are handed out at once, what an iterator makes a few ahead."""
        here = all(isinstance(own, Sized) for own in iterables)
        calls = zip(*iterables, strict=False)
        first = islice(calls, None if here else _AHEAD * self._count())
        waiting = deque(self.submit(fn, *own) for own in first)
        return self._in_order(fn, calls, waiting)

    def _in_order(
        self, work: Callable[..., Any], calls: Iterator[Any], waiting: "deque[Future[Any]]"
    ) -> Iterator[Any]:
        try:
            while waiting:
                done = awaited(waiting[0])
                waiting.popleft()
                waiting.extend(self.submit(work, *own) for own in islice(calls, 1))
                yield done
        finally:
            for future in waiting:
                future.cancel()

    def _count(self) -> int:
        """How many work at the same time; executors have no public name for it."""
        client: Any = getattr(self._executor, "_client", None)  # Dask's
        if client is not None:
            threads: dict[str, int] = client.nthreads()
            return max(1, sum(threads.values()))
        known: int | None = getattr(self._executor, "_max_workers", None)
        return known or os.cpu_count() or 1


def awaited(future: Any) -> Any:
    """The result of a future of any kind, with looks at the clock while it is not there."""
    wait_for(future)
    return future.result()


def wait_for(future: Any) -> None:
    """Look at the clock until a future is done; its result may still be elsewhere."""
    while not _is_done(future):
        check_time()


def _is_done(future: Any) -> bool:
    """Whether a future is done, or so in a moment."""
    if not future.done():
        if isinstance(future, Future):
            wait([future], _LOOK)
        else:
            from distributed import wait as wait_there

            with suppress(TimeoutError):
                wait_there([future], _LOOK)  # type: ignore[no-untyped-call]  # Dask has few hints
    return bool(future.done())


def loss(error: Exception) -> ProblemError | None:
    """What an error tells of workers that died, in words; None if it is another one."""
    if isinstance(error, BrokenExecutor):
        return ProblemError(
            "A worker has ended in the middle of its work, killed from outside or for want of "
            "memory, and its pool cannot be used any more: begin again with a new one, of fewer "
            "workers if memory is short. What was saved in a folder is still there."
        )
    if type(error).__name__ == "KilledWorker":  # Dask is not imported for that
        return ProblemError(
            "Dask gave up a piece of work whose workers died one after the other: start workers "
            f"with more memory, or fewer of them. It says: {shortened(str(error))}"
        )
    return None


def workers_of(given: Any) -> Workers | None:
    """Whoever was given, or None; what cannot work is refused."""
    if given is None or isinstance(given, Workers):
        return given
    if is_dask_client(given) and not _is_client(given):
        raise ProblemError(
            f"executor is a {type(given).__name__}; give a client of it, "
            "as executor=cluster.get_client()."
        )
    if _is_client(given):
        if given.status in ("closed", "closing"):
            raise ProblemError("executor is a Dask client that was closed; give a new one.")
        return Workers(given)
    executor = as_executor(given)
    # Asking for work would tell, and would start processes that may not be needed.
    if getattr(executor, "_broken", False):
        raise ProblemError(
            "executor has lost a worker and cannot be used any more; give a new one."
        )
    if getattr(executor, "_shutdown", False) or getattr(executor, "_shutdown_thread", False):
        raise ProblemError("executor was shut down; give a new one.")
    return Workers(executor)


def _is_client(given: Any) -> bool:
    return is_dask_client(given) and hasattr(given, "get_executor")
