"""What ``piscm reproduce`` does."""

from collections.abc import Sequence
from contextlib import ExitStack
from itertools import count as count_from
from itertools import islice
from pathlib import Path

from rich.console import Console
from rich.text import Text

from piscm import ProblemError
from piscm.baselines.jax_arrays import jax_for
from piscm.paper.confirmation import adopt, confirm, forget
from piscm.paper.machine import cores, versions
from piscm.paper.report import write_report
from piscm.paper.rows import EXPERIMENTS, selected
from piscm.paper.store import Store
from piscm.paper.summary import Summary
from piscm.paper.timing import NAME, are_current, measure_times, read_times, summary_of_times
from piscm.paper.trial import code_of, trials_of
from piscm.paper.trials import run_trials
from piscm.paper.workers import dask_workers, local_workers


def reproduce(
    what: Sequence[str],
    out: Path,
    *,
    trials: int | None = None,
    seed: int | None = None,
    methods: Sequence[str] = (),
    workers: int | None = None,
    dask: str | None = None,
    quick: bool = False,
) -> None:
    """Run the trials that a folder lacks or that are stale, and report on all that it holds.

    Without `trials` and `seed`, each row is brought to its number of trials, whatever the seeds of
    those that are there. Times are measured anew if they are asked for by name, and with the whole
    page if they are of other code.
    """
    tables = [name for name in what if name != NAME]
    experiments = selected(tables, methods) if tables or not what else []
    _check_options(trials, seed, workers, dask)
    if NAME in what and quick:
        raise ProblemError("times --quick: tiny sizes tell nothing of times; give one of them.")
    if NAME in what or any(item.kind == "gradient" for item in experiments):
        _check_jax()
    check_folder(out, quick)
    store = Store(out)
    rows = {item.key: item for item in EXPERIMENTS}
    adopt(store, lambda key: code_of(rows[key], quick) if key in rows else None)
    own = store.seeds()
    if trials is None and seed is None:
        seeds = {
            item.key: _completed(own.get(item.key, set()), item.trials) for item in experiments
        }
    else:
        first = seed or 0
        seeds = {item.key: {*range(first, first + (trials or item.trials))} for item in experiments}
    asked = trials_of(experiments, seeds, quick)
    there = trials_of(experiments, own, quick)
    with ExitStack() as stack:
        if dask is not None:
            executor, count = stack.enter_context(dask_workers(dask))
        else:
            count = workers or cores()
            executor = stack.enter_context(local_workers(count))
        confirm(store, there, executor, count)
        run_trials(asked, executor, count, store)
    forget(store, there)
    codes = {key: code_of(rows[key], quick) for key in store.seeds() if key in rows}
    whole = "all" in (what or ("all",)) and trials is None and not methods and not quick
    if NAME in what or (whole and not are_current(read_times(out))):
        measure_times(out)
    summary = Summary(EXPERIMENTS, store.records(), codes)
    write_report(out, summary, versions(), summary_of_times(out))
    Console(stderr=True).print(Text(f"The report is {out / 'report.html'}"), soft_wrap=True)


def _completed(there: set[int], wanted: int) -> set[int]:
    """The seeds that are there, and the next ones up to the number that is wanted."""
    following = count_from(max(there, default=-1) + 1)
    return there | set(islice(following, max(0, wanted - len(there))))


def check_folder(out: Path, quick: bool) -> None:
    """Tell of a damaged file, or of trials of another kind, before any work."""
    if out.exists() and any(record["quick"] != quick for record in Store(out).records()):
        there = "full" if quick else "quick"
        raise ProblemError(f"{out} holds {there} trials: choose another folder with --out.")


def _check_options(
    trials: int | None, seed: int | None, workers: int | None, dask: str | None
) -> None:
    for name, number, least in ("trials", trials, 1), ("workers", workers, 1), ("seed", seed, 0):
        if number is not None and number < least:
            raise ProblemError(f"--{name} {number}: give a whole number from {least} up.")
    if dask is not None and workers is not None:
        raise ProblemError("--workers is for processes on this machine: leave it out with --dask.")


def _check_jax() -> None:
    try:
        jax_for("PINN")
    except ImportError:
        raise ImportError(
            "The gradient-trained rows need JAX and optax: pip install 'piscm[baselines]', or "
            "leave them out with --methods."
        ) from None
