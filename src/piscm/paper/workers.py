"""Who works on trials, or on one solve: processes on this machine, or a Dask cluster."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import (
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
)
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from piscm import ProblemError

# Set before a worker starts: what is loaded there reads them once.
_ONE_THREAD = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "VECLIB_MAXIMUM_THREADS": "1",
    "NPROC": "1",  # for JAX
    "JAX_PLATFORMS": "cpu",
}


class _FreshProcesses(ThreadPoolExecutor):
    """Every call in a process of its own, so many at once.

    A run after others in one process was seen to differ by the last bit; in a fresh one it has
    always been the same. The processes are forked from one that has loaded what trials need and
    done nothing else (where systems have no such thing, started).
    """

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self._running: set[BaseProcess] = set()
        # Not forked from this process: JAX has threads, and a fork would take their locks along.
        known = multiprocessing.get_all_start_methods()
        self._context: Any = multiprocessing.get_context(
            "forkserver" if "forkserver" in known else "spawn"
        )
        if "forkserver" in known:
            # A worker's own child is alone, and loads no more than it needs.
            alone = multiprocessing.parent_process() is not None
            self._context.set_forkserver_preload([] if alone else ["piscm.paper.warm"])

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **_: Any) -> "Future[Any]":
        return super().submit(self._outcome, work, arguments)

    def end(self) -> None:
        """Nothing more is run, and what runs is stopped."""
        self.shutdown(wait=False, cancel_futures=True)
        for process in list(self._running):
            process.terminate()

    def _outcome(self, work: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        here, there = self._context.Pipe(duplex=False)
        process = self._context.Process(target=_work, args=(there, work, arguments))
        process.start()
        self._running.add(process)
        there.close()
        try:
            failed, outcome = here.recv()
        except EOFError:
            process.join()
            raise BrokenExecutor(f"its exit code is {process.exitcode}") from None
        finally:
            here.close()
            self._running.discard(process)
        process.join()
        if failed:
            raise outcome
        return outcome


def _work(answer: Connection, work: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    _ignore_interrupts()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        message = (False, work(*arguments))
    except Exception as error:  # is told where it was asked for
        message = (True, error)
    answer.send(message)


def _ignore_interrupts() -> None:
    """Ctrl-C is for the process that writes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextmanager
def local_workers(count: int) -> Iterator[Executor]:
    """Processes on this machine, one thread each, which end when this one does."""
    with _one_thread_each():
        executor = _FreshProcesses(count)
        try:
            yield executor
        except BaseException:
            executor.end()
            raise
        executor.shutdown()


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """What is started meanwhile has one thread."""
    before = dict(os.environ)
    os.environ.update(_ONE_THREAD)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def in_child(work: Callable[..., Any], arguments: tuple[Any, ...], limit: float) -> Any | None:
    """What `work` gives in a fresh process, whose memory holds nothing else.

    None where it takes longer than `limit` seconds, runs out of memory, or is killed.
    """
    try:
        with local_workers(1) as executor:
            return executor.submit(_within_half_of_memory, work, arguments).result(limit)
    except (TimeoutError, MemoryError, BrokenExecutor):
        return None


def _within_half_of_memory(work: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """A case that is too large ends with a `MemoryError` instead of with the machine."""
    try:
        import resource

        half = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
        resource.setrlimit(resource.RLIMIT_DATA, (half, half))
    except (AttributeError, ImportError, OSError, ValueError):  # not on this system
        pass
    return work(*arguments)


@contextmanager
def pool_of(count: int) -> Iterator[Executor | None]:
    """Processes that work on one solve together, one thread each; None if there is one only."""
    if count < 2:
        yield None
        return
    known = multiprocessing.get_all_start_methods()
    context: Any = multiprocessing.get_context("forkserver" if "forkserver" in known else "spawn")
    with _one_thread_each(), ProcessPoolExecutor(count, context, _ignore_interrupts) as pool:
        yield pool


@contextmanager
def dask_client(address: str) -> Iterator[Any]:
    """A client of a Dask cluster whose workers have one thread each."""
    client: Any  # Dask has few type hints
    try:
        from distributed import Client
    except ImportError:
        raise ImportError("--dask needs Dask: pip install 'piscm[cluster]'") from None
    try:
        client = Client(address, timeout=10)  # type: ignore[no-untyped-call]  # as above
    except (OSError, ValueError) as error:
        raise ProblemError(
            f"--dask {address}: no scheduler answers there ({error}); give tcp://HOST:PORT."
        ) from None
    with client:
        threads = client.nthreads().values()
        if not threads:
            raise ProblemError(f"--dask {address}: the scheduler has no workers.")
        if max(threads) > 1:
            raise ProblemError(
                f"--dask {address}: a worker has {max(threads)} threads, and tasks would share "
                "its time; start workers with --nthreads 1 (and --nworkers for more of them)."
            )
        yield client


@contextmanager
def dask_workers(address: str) -> Iterator[tuple[Executor, int]]:
    """A Dask cluster as an executor, and how many trials it runs at once."""
    with dask_client(address) as client:
        executor = client.get_executor(pure=False)
        try:
            yield executor, len(client.nthreads())
        finally:
            executor.shutdown(wait=False)  # cancels what is not finished
