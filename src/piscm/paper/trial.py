"""One trial: an experiment with a seed, in whatever process it is."""

import json
import math
import os
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from piscm import zoo
from piscm.baselines.jax_arrays import jax_for
from piscm.march.options import Auto, Windows, method_to_document
from piscm.paper.classical import classical
from piscm.paper.experiments import BENCHMARKS, SMALL, Experiment, small
from piscm.paper.machine import machine
from piscm.paper.rows import named
from piscm.paper.store import Record
from piscm.result.solution import Solution
from piscm.result.status import Status
from piscm.solve import solve
from piscm.text.document import problem_to_document
from piscm.zoo.benchmark import Benchmark

Finished = tuple[Record, bytes | None]
"""A record, and the saved solution where one is wanted for a figure."""


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
        method, sampling, weights = _asked(experiment, item, quick)
        document |= {
            "method": method_to_document(method),
            "sampling": None if sampling is None else vars(sampling),
            "weights": weights,
        }
    plain: dict[str, Any] = json.loads(json.dumps(document))  # as it comes back from a file
    return plain


def run_trial(key: str, seed: int, quick: bool, keep: bool) -> Finished:
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
    os.environ.setdefault("JAX_PLATFORMS", "cpu")  # one core for everybody
    experiment = named(key)
    record: Record = {
        "table": experiment.table,
        "method": experiment.method,
        "paradigm": experiment.paradigm,
        "seed": seed,
        "quick": quick,
        "settings": settings(experiment, quick),
        "machine": machine(),
    }
    content = None
    try:
        with threadpool_limits(1):
            if experiment.make is None:
                record |= _classical(experiment, seed)
            else:
                measured, solution = _solved(experiment, seed, quick)
                record |= measured
                content = _saved(solution) if keep else None
    except ImportError:
        raise
    except Exception as error:  # a thousand trials are not to end for one
        record |= {"failure": f"{type(error).__name__}: {error}", "rmse": None, "seconds": None}
    return record, content


def _asked(experiment: Experiment, item: Benchmark, quick: bool) -> tuple[Any, Any, Any]:
    """Method, sampling and weights."""
    assert experiment.make is not None
    method = experiment.make(item)
    marching = isinstance(method, Auto | Windows)  # these choose points and weights themselves
    sampling = None if marching else (SMALL if quick else item.sampling)
    weights = None if marching else dict(item.weights)
    return small(method) if quick else method, sampling, weights


def _solved(experiment: Experiment, seed: int, quick: bool) -> tuple[Record, Solution]:
    item = zoo.load(BENCHMARKS[experiment.table])
    method, sampling, weights = _asked(experiment, item, quick)
    if experiment.kind == "gradient":
        jax_for(experiment.label)  # its import is no part of the time of a run
    problem = item.observed(experiment.observations, seed)
    solution = solve(problem, method, sampling=sampling, weights=weights, seed=seed, progress=False)
    if solution.status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    return {
        "rmse": _number(item.rmse(solution, seed=seed)),
        "error": _error({name: u.value for name, u in solution.unknowns.items()}, item),
        "seconds": solution.seconds,
        "nodes": solution.n_nodes,
        "residual": _number(solution.fitted_residual),
        "status": solution.status.name.lower(),
        "residuals": _residuals(solution) if experiment.table == "table-6" else None,
    }, solution


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


def _residuals(solution: Solution) -> list[float]:
    return [float(f"{value:.4e}") for value in solution.history["residual"] if np.isfinite(value)]


def _saved(solution: Solution) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "solution.npz"
        solution.save(path)
        return path.read_bytes()


def _number(value: float) -> float | None:
    """JSON knows no NaN."""
    return float(value) if math.isfinite(value) else None
