"""What ``piscm reproduce`` does."""

import os
import platform
import subprocess
from collections.abc import Sequence
from contextlib import ExitStack
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.text import Text

from piscm import __version__
from piscm.baselines.jax_arrays import jax_for
from piscm.loading import load
from piscm.problem.errors import ProblemError
from piscm.reproduce.experiments import FIGURES
from piscm.reproduce.report import write_report
from piscm.reproduce.rows import EXPERIMENTS, selected
from piscm.reproduce.run import dask_workers, local_workers, run_trials
from piscm.reproduce.store import Record, Store
from piscm.reproduce.trial import settings
from piscm.solution import Solution

_PACKAGES = ("numpy", "scipy", "sympy", "jax", "optax")


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
    """Run the trials that are missing in a folder, and write the report on all that it holds.

    Parameters
    ----------
    what : sequence of str
        "all", tables and figures.
    out : Path
        The folder.
    trials : int
        Trials of each row, with the seeds from `seed` on.
    methods : sequence of str
        Those to run; all where none is named.
    workers : int, optional
        Processes; left out, as many as there are cores.
    dask : str, optional
        The address of a Dask scheduler to run on instead.
    quick : bool
        Tiny sizes: shows that it runs, not how well.
    """
    experiments = selected(what, methods)
    for name, number in ("trials", trials), ("workers", 1 if workers is None else workers):
        if number < 1:
            raise ProblemError(f"--{name} {number}: give a whole number from 1 up.")
    if seed < 0:
        raise ProblemError(f"--seed {seed}: give a whole number from 0 up.")
    if dask is not None and workers is not None:
        raise ProblemError("--workers is for processes on this machine: leave it out with --dask.")
    if any(item.kind == "gradient" for item in experiments):
        _check_jax()
    store = Store(out)
    store.check()
    commit = _commit()
    with ExitStack() as stack:
        if dask is not None:
            executor, count = stack.enter_context(dask_workers(dask))
        else:
            count = workers or _cores()
            executor = stack.enter_context(local_workers(count))
        seeds = range(seed, seed + trials)
        run_trials(store, experiments, seeds, executor, count, quick, commit)
    records = current(store, quick)
    facts = {
        "last command": _command(what, trials, seed, methods, quick),
        "run on": f"a Dask cluster, {count} at once" if dask else f"{count} processes",
        **_machine(),
        "commit": ", ".join(sorted({record["commit"] for record in records})),
    }
    write_report(out, EXPERIMENTS, records, facts, figures(store))
    Console(stderr=True).print(Text(f"The report is {out / 'report.html'}"), soft_wrap=True)


def current(store: Store, quick: bool = False) -> list[Record]:
    """The stored trials whose settings are those of today."""
    asked = {item.key: settings(item, quick) for item in EXPERIMENTS}
    return [
        record
        for record in store.records()
        if asked.get(f"{record['table']}/{record['method']}/{record['paradigm']}")
        == record["settings"]
    ]


def figures(store: Store) -> dict[str, Solution]:
    """The solutions that figures show, by the table they belong to."""
    paths = {table: store.solution_path(table) for table in FIGURES.values()}
    return {table: load(path) for table, path in paths.items() if path.exists()}


def _command(
    what: Sequence[str], trials: int, seed: int, methods: Sequence[str], quick: bool
) -> str:
    words = ["piscm reproduce", *(what or ("all",)), f"--trials {trials}"]
    words += [f"--seed {seed}"] if seed else []
    words += [f"--methods {','.join(methods)}"] if methods else []
    return " ".join([*words, *(["--quick"] if quick else [])])


def _check_jax() -> None:
    try:
        jax_for("PINN")
    except ImportError:
        raise ImportError(
            "The gradient-trained rows need JAX and optax: pip install 'piscm[baselines]', or "
            "leave them out with --methods."
        ) from None


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _machine() -> dict[str, str]:
    """Where this ran, as far as it can be told."""
    facts = {
        "machine": f"{_processor()}, {_cores()} cores{_memory()}",
        "system": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        "piscm": __version__,
    }
    for package in _PACKAGES:
        try:
            facts[package] = version(package)
        except PackageNotFoundError:
            facts[package] = "not installed"
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    facts["BLAS"] = f"{blas['name']} {blas['version']}, one thread"
    return facts


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def _memory() -> str:
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not everywhere
        return ""
    return f", {size / 2**30:.0f} GiB"


def _commit() -> str:
    """The commit of this source, if it is a checkout."""
    source = Path(__file__).resolve().parent
    command = ["git", "-C", str(source), "describe", "--always", "--dirty", "--abbrev=10"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return f"release {__version__}"
    return done.stdout.strip()
