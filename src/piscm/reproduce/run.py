"""Trials through an executor, each of them written down as soon as it ends."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any

from piscm.problem.errors import ProblemError
from piscm.reproduce.experiments import Experiment
from piscm.reproduce.forecast import Forecast, bar
from piscm.reproduce.store import Record, Store
from piscm.reproduce.trial import Finished, run_trial, settings

# Set before a worker starts: what is loaded there reads them once.
_ONE_THREAD = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NPROC": "1",  # for JAX
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
        Any; what it runs is `piscm.reproduce.trial.run_trial`.
    workers : int
        How many trials run at once; only for the estimate of the time left.
    """
    asked = {item.key: settings(item, quick) for item in experiments}
    records = {_key(record): record for record in store.records()}
    # Seed by seed, so that who interrupts the run has all rows.
    every = [(item, seed) for seed in seeds for item in experiments]
    todo = [(item, seed) for item, seed in every if not _done(records, item, seed, asked)]
    forecast = Forecast(todo, records.values(), workers)
    with bar(forecast, len(every), len(every) - len(todo)) as advance:
        futures: dict[Future[Finished], Trial] = {}
        try:
            for item, seed in todo:
                keep = _pictured(item) and seed == seeds[0]
                futures[executor.submit(run_trial, item.key, seed, quick, keep)] = item, seed
            for future in as_completed(futures):
                record, solution = future.result()
                record["commit"] = commit
                store.write(record)
                if solution is not None:
                    store.write_solution(record["table"], solution)
                records[_key(record)] = record
                advance(*futures[future], record)
        except BrokenProcessPool:
            raise RuntimeError(
                "A worker process died (out of memory, or killed). What was finished is kept: the "
                "same command goes on from there; --workers 1 needs less memory."
            ) from None
        finally:
            for future in futures:
                future.cancel()
    return [records[f"{item.key}/{seed}"] for item, seed in every]


def _key(record: Mapping[str, Any]) -> str:
    return "/".join(str(record[part]) for part in ("table", "method", "paradigm", "seed"))


def _done(
    records: Mapping[str, Record], item: Experiment, seed: int, asked: Mapping[str, Any]
) -> bool:
    record = records.get(f"{item.key}/{seed}")
    return record is not None and "failure" not in record and record["settings"] == asked[item.key]


def _pictured(item: Experiment) -> bool:
    """Whether a figure shows it: the paper's show PI-SC-III with observations."""
    return (item.method, item.paradigm) == ("pi-sc-iii", "semi-supervised")


@contextmanager
def local_workers(count: int) -> Iterator[Executor]:
    """Processes on this machine, one thread each, which end when this one does."""
    # Not forked: JAX has threads of its own, and a fork would take their locks with it.
    context = multiprocessing.get_context("spawn")
    before = {name: os.environ.get(name) for name in _ONE_THREAD}
    os.environ.update(_ONE_THREAD)
    try:
        executor = ProcessPoolExecutor(count, mp_context=context, initializer=_prepare_worker)
        try:
            yield executor
        except BaseException:
            executor.shutdown(wait=False, cancel_futures=True)
            for child in multiprocessing.active_children():
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
        client = Client(address, timeout=10)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise ProblemError(
            f"--dask {address}: no scheduler answers there ({error}); give tcp://HOST:PORT."
        ) from None
    with client:
        count = sum(client.ncores().values())
        if not count:
            raise ProblemError(f"--dask {address}: the scheduler has no workers.")
        yield client.get_executor(pure=False), count
