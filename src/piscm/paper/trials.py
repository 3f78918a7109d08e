"""Trials through an executor, each of them written down as soon as it ends."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Executor, Future, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Column

from piscm import ProblemError
from piscm.linalg.threads import one_thread
from piscm.paper.store import Record, Store
from piscm.problem.errors import shortened


@dataclass(frozen=True)
class Trial:
    """One measurement."""

    name: str  # "GROUP/NAME", under which it is stored and which the progress bar shows
    effort: float  # about how many seconds it takes
    measure: Callable[[], Record]  # a function that pickle can name, for whatever process
    code: str = ""  # a hash of what decides its numbers: a record of another one is stale
    figure: str = ""  # which the record brings the data of


def run_trials(
    trials: Sequence[Trial], executor: Executor, workers: int, store: Store | None = None
) -> list[Record]:
    """The records of all; a trial in the store that has not failed, nor is stale, is not run again.

    Who made the executor ends it: after an error trials may be waiting in it. The number of workers
    is only for the first estimate of the time left.
    """
    records = {} if store is None else {t.name: r for t in trials if (r := _stored(store, t))}
    todo = [trial for trial in trials if trial.name not in records]
    with _bar(len(trials), todo, workers) as advance:
        futures = {executor.submit(_measured, trial.measure): trial for trial in todo}
        for future in as_completed(futures):
            trial, record = futures[future], _outcome(future)
            if store is not None:
                store.write(trial.name, record, trial.figure)
            records[trial.name] = record
            advance(trial)
    return [records[trial.name] for trial in trials]


def _stored(store: Store, trial: Trial) -> Record | None:
    record = store.read(trial.name)
    if record is None or "failure" in record or record.get("code", "") != trial.code:
        return None
    return None if trial.figure and not store.figure_path(trial.figure).exists() else record


def _measured(measure: Callable[[], Record]) -> Record:
    os.environ.setdefault("JAX_PLATFORMS", "cpu")  # one core for everybody
    with one_thread():
        return measure()


def _outcome(future: Future[Record]) -> Record:
    try:
        return future.result()
    except (ImportError, ProblemError):
        raise
    except (Exception, CancelledError) as error:  # every kind of executor has its own
        reason = f"{type(error).__name__}: {error}".rstrip(": ")
        raise RuntimeError(
            f"A worker was lost ({shortened(reason)}): out of memory, perhaps, or killed. What was "
            "finished is kept: the same command goes on from there; fewer workers need less memory."
        ) from error


@contextmanager
def _bar(count: int, todo: Sequence[Trial], workers: int) -> Iterator[Callable[[Trial], None]]:
    """A progress bar over the whole; the function advances it by a trial."""
    columns = (
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TextColumn("trials"),
        TimeElapsedColumn(),
        TextColumn("and {task.fields[left]} to go"),
        TextColumn("{task.description}", table_column=Column(ratio=1, no_wrap=True)),
    )
    began, total, finished = time.monotonic(), sum(trial.effort for trial in todo), 0.0

    def left() -> timedelta:
        pace = finished / (time.monotonic() - began) if finished else workers
        return timedelta(seconds=round((total - finished) / pace))

    with Progress(*columns, console=Console(stderr=True), expand=True) as progress:
        task = progress.add_task("", total=count, completed=count - len(todo), left=left())

        def advance(trial: Trial) -> None:
            nonlocal finished
            finished += trial.effort
            progress.update(task, advance=1, left=left(), description=trial.name)

        yield advance
