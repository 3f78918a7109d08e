"""One trial of the paper: an experiment with a seed, in whatever process it is."""

import json
import math
import tempfile
import time
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from piscm import Auto, Solution, Windows, solve, zoo
from piscm.baselines.jax_arrays import jax_for
from piscm.march.options import method_to_document
from piscm.paper.classical import classical
from piscm.paper.experiment import BENCHMARKS, QUICK_SAMPLING, Experiment, miniature
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
    return [
        Trial(
            name=f"{item.table}/{item.method}-{item.paradigm}-seed{seed}",
            title=f"{item.table} {item.label}, seed {seed}",
            effort=item.effort,
            measure=partial(run_trial, item.key, seed, quick, item.pictured and seed == seeds[0]),
            settings=asked[item.key],
            kept=item.pictured and seed == seeds[0],
        )
        for seed in seeds
        for item in experiments
    ]


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
        document |= {"accuracy": experiment.accuracy}
    else:
        method, options = _asked(experiment, item, quick)
        sampling = options["sampling"]
        document |= {
            "method": method_to_document(method),
            "sampling": None if sampling is None else vars(sampling),
            "weights": options["weights"],
        }
    plain: dict[str, Any] = json.loads(json.dumps(document))  # as it comes back from a file
    return plain


def run_trial(key: str, seed: int, quick: bool, keep: bool) -> Record:
    """Run an experiment; what goes wrong in it is part of the record, so that others go on.

    Parameters
    ----------
    key : str
        The experiment's name.
    seed : int
        Of the points, the data, the nodes and the test points.
    quick : bool
        Tiny sizes, to show that it runs.
    keep : bool
        Give the saved solution back too.
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
        run = _classical if experiment.make is None else partial(_solved, quick=quick, keep=keep)
        return record | run(experiment, seed)
    except ImportError:
        raise
    except Exception as error:  # a thousand trials are not to end for one
        return record | {
            "failure": f"{type(error).__name__}: {error}",
            "rmse": None,
            "seconds": None,
        }


def _asked(experiment: Experiment, item: Benchmark, quick: bool) -> tuple[Any, dict[str, Any]]:
    """The method, and sampling and weights for `solve`."""
    assert experiment.make is not None
    method = experiment.make(item)
    options: dict[str, Any] = {"sampling": None, "weights": None}
    if not isinstance(method, Auto | Windows):  # these choose points and weights themselves
        sampling = QUICK_SAMPLING if quick else item.sampling
        options = {"sampling": sampling, "weights": dict(item.weights)}
    return miniature(method) if quick else method, options


def _solved(experiment: Experiment, seed: int, quick: bool, keep: bool) -> Record:
    item = zoo.load(BENCHMARKS[experiment.table])
    method, options = _asked(experiment, item, quick)
    if experiment.kind == "gradient":
        jax_for(experiment.label)  # its import is no part of the time of a run
    problem = item.observed(experiment.observations, seed)
    solution = solve(problem, method, **options, seed=seed, progress=False)
    growth = solution.history["residual"] if experiment.table == "table-6" else None
    return {
        "rmse": _number(item.rmse(solution, seed=seed)),
        "error": _error({name: u.value for name, u in solution.unknowns.items()}, item),
        "seconds": solution.seconds,
        "nodes": solution.n_nodes,
        "residual": _number(solution.fitted_residual),
        "status": solution.status.name.lower(),
        "residuals": None if growth is None else _rounded(growth),
        **({"solution": _saved(solution)} if keep else {}),
    }


def _classical(experiment: Experiment, seed: int) -> Record:
    item = zoo.load(BENCHMARKS[experiment.table])
    data = item.observed(experiment.observations, seed).observations
    began = time.perf_counter()
    found = classical(item.name, experiment.accuracy, data[0] if data else None)
    seconds = time.perf_counter() - began
    return {
        "rmse": _number(item.rmse(lambda _, **at: found(**at), seed=seed)),
        "error": _error(found.unknowns, item),
        "seconds": seconds,
        "nodes": None,
        "residual": None,
        "status": "converged",
        "residuals": None,
    }


def _error(found: dict[str, float], item: Benchmark) -> float | None:
    """Of the unknown; the paper's problems have one."""
    errors = [abs(found[name] - true) for name, true in item.truth.items()]
    return _number(max(errors)) if errors else None


def _rounded(values: Iterable[float]) -> list[float]:
    return [float(f"{value:.4e}") for value in values if np.isfinite(value)]


def _saved(solution: Solution) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "solution.npz"
        solution.save(path)
        return path.read_bytes()


def _number(value: float) -> float | None:
    """JSON knows no NaN."""
    return float(value) if math.isfinite(value) else None
