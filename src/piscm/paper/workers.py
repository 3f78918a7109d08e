"""Who runs trials: processes on this machine, or a Dask cluster."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor
from contextlib import contextmanager
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


@contextmanager
def local_workers(count: int) -> Iterator[Executor]:
    """Processes on this machine, one thread each, which end when this one does."""
    # Not forked: JAX has threads of its own, and a fork would take their locks with it.
    context = multiprocessing.get_context("spawn")
    before = dict(os.environ)
    os.environ.update(_ONE_THREAD)
    try:
        executor = ProcessPoolExecutor(count, mp_context=context, initializer=_prepare_worker)
        others = set(multiprocessing.active_children())
        try:
            yield executor
        except BaseException:
            executor.shutdown(wait=False, cancel_futures=True)
            for child in set(multiprocessing.active_children()) - others:
                child.terminate()
            raise
        executor.shutdown()
    finally:
        os.environ.clear()
        os.environ.update(before)


def _prepare_worker() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that writes
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


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
def dask_workers(address: str) -> Iterator[tuple[Executor, int]]:
    """A Dask cluster as an executor, and how many trials it runs at once."""
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
                f"--dask {address}: a worker has {max(threads)} threads, and trials would share "
                "its time; start workers with --nthreads 1 (and --nworkers for more of them)."
            )
        executor = client.get_executor(pure=False)
        try:
            yield executor, len(threads)
        finally:
            executor.shutdown(wait=False)  # cancels what is not finished
