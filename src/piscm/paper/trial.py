"""One trial of the paper: an experiment with a seed, in whatever process it is."""

import json
import math
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from piscm import Auto, Solution, Windows, solve, zoo
from piscm.baselines.jax_arrays import jax_for
from piscm.paper.classical import Classical, classical
from piscm.paper.experiment import BENCHMARKS, QUICK_SAMPLING, Experiment, Make, miniature
from piscm.paper.machine import commit, machine
from piscm.paper.rows import named
from piscm.paper.store import Record
from piscm.paper.trials import Trial
from piscm.text.document import problem_to_document
from piscm.zoo.benchmark import Benchmark


def trials_of(
    experiments: Sequence[Experiment], seeds: Sequence[int], quick: bool = False
) -> list[Trial]:
    """The trials of experiments, seed by seed, so that who interrupts the run has all rows."""
    asked = {item.key: settings(item, quick) for item in experiments}
    trials = []
    for seed in seeds:
        for item in experiments:
            name = f"{item.table}/{item.method}-{item.paradigm}-seed{seed}"
            kept = item.pictured and seed == seeds[0]
            measure = partial(run_trial, item.key, seed, quick, kept)
            trials.append(Trial(name, item.effort, measure, asked[item.key], kept))
    return trials


def settings(experiment: Experiment, quick: bool) -> dict[str, Any]:
    """What a trial is about, as plain data: what is stored under other settings is stale.

    The code is not part of it; records and report name the commit.
    """
    item = zoo.load(BENCHMARKS[experiment.table])
    document: dict[str, Any] = {
        "problem": problem_to_document(item.problem),
        "observations": experiment.observations,
        "quick": quick,
    }
    if experiment.make is None:
        document["accuracy"] = experiment.accuracy
    else:
        document |= _arguments(experiment.make, item, quick)
        document["method"] = document["method"].document()
        document["sampling"] = document["sampling"] and vars(document["sampling"])
    plain: dict[str, Any] = json.loads(json.dumps(document))  # as it comes back from a file
    return plain


def _arguments(make: Make, item: Benchmark, quick: bool) -> dict[str, Any]:
    """For `solve`."""
    method = make(item)
    arguments: dict[str, Any] = {"method": miniature(method) if quick else method}
    if isinstance(method, Auto | Windows):  # these choose points and weights themselves
        return arguments | {"sampling": None, "weights": None}
    sampling = QUICK_SAMPLING if quick else item.sampling
    return arguments | {"sampling": sampling, "weights": dict(item.weights)}


def run_trial(key: str, seed: int, quick: bool, keep: bool) -> Record:
    """Run an experiment; what goes wrong in it is part of the record, so that others go on.

    The seed is that of the points, the data, the nodes and the test points. To `keep` gives the
    saved solution back too.
    """
    experiment = named(key)
    record: Record = {
        "table": experiment.table,
        "method": experiment.method,
        "paradigm": experiment.paradigm,
        "seed": seed,
        "quick": quick,
        "settings": settings(experiment, quick),
        "machine": machine(),
        "commit": commit(),
    }
    try:
        return record | _measured(experiment, seed, quick, keep)
    except ImportError:
        raise
    except Exception as error:  # a thousand trials are not to end for one
        failure = f"{type(error).__name__}: {error}"
        return record | {"failure": failure, "rmse": None, "seconds": None}


def _measured(experiment: Experiment, seed: int, quick: bool, keep: bool) -> Record:
    item = zoo.load(BENCHMARKS[experiment.table])
    problem = item.observed(experiment.observations, seed)
    found: Classical | Solution
    measured: Record
    if experiment.make is None:
        began = time.perf_counter()
        found = classical(item.name, experiment.accuracy, *problem.observations)
        measured = {"seconds": time.perf_counter() - began, "status": "converged"}
        unknowns = found.unknowns
    else:
        if experiment.kind == "gradient":
            jax_for(experiment.label)  # its import is no part of the time of a run
        arguments = _arguments(experiment.make, item, quick)
        found = solve(problem, **arguments, seed=seed, progress=False)
        unknowns = {name: unknown.value for name, unknown in found.unknowns.items()}
        measured = {
            "seconds": found.seconds,
            "status": found.status.name.lower(),
            "nodes": found.n_nodes,
            "residual": _finite(found.fitted_residual),
        }
        if experiment.table == "table-6":
            residuals = found.history["residual"]
            measured["residuals"] = [float(f"{r:.4e}") for r in residuals if math.isfinite(r)]
        if keep:
            measured["solution"] = _saved(found)
    errors = [abs(unknowns[name] - true) for name, true in item.truth.items()]
    measured["error"] = _finite(max(errors)) if errors else None
    measured["rmse"] = _finite(item.rmse(found, seed=seed))
    return measured


def _finite(value: float) -> float | None:
    """JSON knows no NaN."""
    return float(value) if math.isfinite(value) else None


def _saved(solution: Solution) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "solution.npz"
        solution.save(path)
        return path.read_bytes()
