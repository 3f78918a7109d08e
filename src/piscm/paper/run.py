"""Trials through an executor, each of them written down as soon as it ends."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import (
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    as_completed,
)
from contextlib import contextmanager
from typing import Any

from piscm.paper.experiments import Experiment
from piscm.paper.forecast import Forecast, bar
from piscm.paper.store import Record, Store
from piscm.paper.trial import Finished, run_trial, settings
from piscm.problem.errors import ProblemError, shortened

# Set before a worker starts: what is loaded there reads them once.
_ONE_THREAD = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "VECLIB_MAXIMUM_THREADS": "1",
    "NPROC": "1",  # for JAX
    "JAX_PLATFORMS": "cpu",
}

Trial = tuple[Experiment, int]


def run_trials(
    store: Store,
    experiments: Sequence[Experiment],
    seeds: Sequence[int],
    executor: Executor,
    workers: int,
    quick: bool = False,
    commit: str = "",
) -> list[Record]:
    """Run the trials that are not there yet; return every record of these experiments and seeds.

    Parameters
    ----------
    store : Store
        A trial that it holds with the same settings, and that did not fail, is not run again.
    executor : concurrent.futures.Executor
        Any; what it runs is `piscm.paper.trial.run_trial`. Who made it ends it: after an error
        trials may be waiting in it.
    workers : int
        How many trials run at once; only for the estimate of the time left.
    """
    asked = {item.key: settings(item, quick) for item in experiments}
    records = {_key(record): record for record in store.records()}
    # Seed by seed, so that who interrupts the run has all rows.
    every = [(item, seed) for seed in seeds for item in experiments]
    done = {
        key: record
        for key, record in records.items()
        if record["settings"] == asked.get(_row(record))
    }
    todo = [(item, seed) for item, seed in every if not _done(store, done, item, seed, seeds)]
    forecast = Forecast(todo, done.values(), workers)
    with bar(forecast, len(every), len(every) - len(todo)) as advance:
        futures: dict[Future[Finished], Trial] = {}
        for item, seed in todo:
            keep = item.pictured and seed == seeds[0]
            futures[executor.submit(run_trial, item.key, seed, quick, keep)] = item, seed
        for future in as_completed(futures):
            item, seed = futures[future]
            record, solution = _finished(future)
            if record["settings"] != asked[item.key]:
                raise ProblemError(
                    "The workers have another piscm than this one: bring them to one version."
                )
            record["commit"] = commit
            if solution is not None:  # first, because the record says that all is there
                store.write_solution(record["table"], solution)
            store.write(record)
            records[_key(record)] = record
            advance(item, seed, record)
    return [records[f"{item.key}/{seed}"] for item, seed in every]


def _finished(future: Future[Finished]) -> Finished:
    try:
        return future.result()
    except (ImportError, ProblemError):
        raise
    except (Exception, CancelledError) as error:  # every kind of executor has its own
        reason = f"{type(error).__name__}: {error}".rstrip(": ")
        raise RuntimeError(
            f"A worker was lost ({shortened(reason)}): out of memory, perhaps, or killed. What was "
            "finished is kept: the same command goes on from there; fewer workers need less memory."
        ) from None


def _row(record: Mapping[str, Any]) -> str:
    return "/".join(str(record[part]) for part in ("table", "method", "paradigm"))


def _key(record: Mapping[str, Any]) -> str:
    return f"{_row(record)}/{record['seed']}"


def _done(
    store: Store, done: Mapping[str, Record], item: Experiment, seed: int, seeds: Sequence[int]
) -> bool:
    record = done.get(f"{item.key}/{seed}")
    if record is None or "failure" in record:
        return False
    wanted = item.pictured and seed == seeds[0]
    return not wanted or store.solution_path(item.table).exists()


@contextmanager
def local_workers(count: int) -> Iterator[Executor]:
    """Processes on this machine, one thread each, which end when this one does."""
    # Not forked: JAX has threads of its own, and a fork would take their locks with it.
    context = multiprocessing.get_context("spawn")
    before = {name: os.environ.get(name) for name in _ONE_THREAD}
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
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _prepare_worker() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that writes
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


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
