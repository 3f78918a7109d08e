"""What ``piscm reproduce`` does."""

import json
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from rich.console import Console
from rich.text import Text

from piscm import ProblemError, Solution, load
from piscm.baselines.jax_arrays import jax_for
from piscm.paper.experiment import key_of
from piscm.paper.machine import cores
from piscm.paper.report import write_report
from piscm.paper.rows import EXPERIMENTS, selected
from piscm.paper.store import Record, Store
from piscm.paper.trial import settings, trials_of
from piscm.paper.trials import run_trials
from piscm.paper.workers import dask_workers, local_workers


def reproduce(
    what: Sequence[str],
    out: Path,
    *,
    trials: int,
    seed: int = 0,
    methods: Sequence[str] = (),
    workers: int | None = None,
    dask: str | None = None,
    quick: bool = False,
) -> None:
    """Run the trials that are missing in a folder, and write the report on all that it holds."""
    experiments = selected(what, methods)
    _check_options(trials, seed, workers, dask)
    if any(item.kind == "gradient" for item in experiments):
        _check_jax()
    check_folder(out, quick)
    store = Store(out)
    with ExitStack() as stack:
        if dask is not None:
            executor, count = stack.enter_context(dask_workers(dask))
        else:
            count = workers or cores()
            executor = stack.enter_context(local_workers(count))
        asked = trials_of(experiments, range(seed, seed + trials), quick)
        run_trials(asked, executor, count, store)
    records = current(store, quick)
    words = ["piscm reproduce", *(what or ("all",)), f"--trials {trials}"]
    words += [f"--seed {seed}"] * (seed > 0) + [f"--methods {','.join(methods)}"] * bool(methods)
    facts = {
        "last command": " ".join(words + ["--quick"] * quick),
        "at once": f"{count} on a Dask cluster" if dask else f"{count} on this machine",
    }
    for name in ("machine", "commit"):
        facts[name] = " and ".join(sorted({record[name] for record in records}))
    write_report(out, EXPERIMENTS, records, facts, figures(store, quick))
    Console(stderr=True).print(Text(f"The report is {out / 'report.html'}"), soft_wrap=True)


def check_folder(out: Path, quick: bool) -> None:
    """Tell of a damaged file, or of trials of another kind, before any work."""
    if not out.exists():
        return
    store = Store(out)
    for record in store.records():
        if record.get("settings", {}).get("quick") != quick:
            there = "full" if quick else "quick"
            raise ProblemError(f"{out} holds {there} trials: choose another folder with --out.")
    for item in EXPERIMENTS:
        if item.pictured and store.solution_path(item.key).exists():
            load(store.solution_path(item.key))


def current(store: Store, quick: bool = False) -> list[Record]:
    """The stored trials whose settings are those of today."""
    asked = {item.key: settings(item, quick) for item in EXPERIMENTS}
    return [record for record in store.records() if asked.get(key_of(record)) == record["settings"]]


def figures(store: Store, quick: bool = False) -> dict[str, Solution]:
    """The solutions that figures show, by the table they belong to."""
    found = {}
    for item in EXPERIMENTS:
        path = store.solution_path(item.key)
        if item.pictured and path.exists():
            solution = load(path)
            method = json.loads(json.dumps(solution.method.document()))
            if method == settings(item, quick)["method"]:  # else it is stale
                found[item.table] = solution
    return found


def _check_options(trials: int, seed: int, workers: int | None, dask: str | None) -> None:
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
