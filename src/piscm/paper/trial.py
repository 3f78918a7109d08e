"""One trial of the paper: an experiment with a seed, in whatever process it is."""

import math
import time
from collections.abc import Collection, Mapping, Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from piscm import Auto, Problem, ProblemError, Sampling, Solution, Windows, solve, zoo
from piscm.baselines.jax_arrays import jax_for
from piscm.paper.classical import classical
from piscm.paper.experiment import QUICK_SAMPLING, Experiment, miniature
from piscm.paper.fields import field_data, thinned
from piscm.paper.given import numbers_given, numbers_of_activations
from piscm.paper.machine import commit, machine
from piscm.paper.rows import named
from piscm.paper.sources import BEFORE_A_METHOD, BY_THEIR_NUMBERS, fingerprint, state
from piscm.paper.store import Record
from piscm.paper.trials import Trial
from piscm.paper.yardstick import literal_solution
from piscm.text.document import problem_to_document


def trials_of(
    experiments: Sequence[Experiment],
    seeds: Mapping[str, Collection[int]],
    quick: bool = False,
) -> list[Trial]:
    """The trials of each row, seed by seed, so that who interrupts has all rows.

    The first seed of a row is the one that figures show.
    """
    codes = {item.key: code_of(item, quick) for item in experiments}
    sources = state()
    return [
        Trial(
            name_of(item, seed),
            item.effort,
            partial(run_trial, item.key, seed, quick, codes[item.key], commit(), sources),
            codes[item.key],
            item.figure if seed == min(seeds[item.key]) else "",
        )
        for seed in sorted({seed for own in seeds.values() for seed in own})
        for item in experiments
        if seed in seeds.get(item.key, ())
    ]


def name_of(experiment: Experiment, seed: int) -> str:
    """Under which a trial is stored."""
    return f"{experiment.table}/{experiment.method}-{experiment.paradigm}-seed{seed}"


@cache
def code_of(experiment: Experiment, quick: bool = False) -> str:
    """A hash of all that decides a row's numbers: what is stored under another one is stale."""
    item = experiment.benchmark
    document = {**_asked(item.name, experiment.observations), "quick": quick}
    if experiment.make is None:
        document["accuracy"] = experiment.accuracy
        return fingerprint(["piscm.paper.classical"], document, without=BEFORE_A_METHOD)
    arguments = _arguments(experiment, quick)
    document |= {**arguments, "method": arguments["method"].document()}
    document["sampling"] = arguments["sampling"] and vars(arguments["sampling"])
    modules = [type(arguments["method"]).__module__]
    if experiment.literal:
        modules.append("piscm.paper.literal")
    if arguments["sampling"] is None:  # the method goes back to the problem again and again
        return fingerprint(["piscm.solver", "piscm.asking", *modules], document)
    weights = tuple(arguments["weights"].items())
    document["given"] = _given(item.name, experiment.observations, arguments["sampling"], weights)
    document["activations"] = numbers_of_activations()
    return fingerprint(modules, document, without=(*BEFORE_A_METHOD, *BY_THEIR_NUMBERS))


@cache
def _asked(name: str, observations: int) -> dict[str, Any]:
    """What rows of one problem have in common."""
    item = zoo.load(name)
    return {
        "problem": problem_to_document(item.problem),
        "observed": _rounded(item.observed(observations)),
        "truth": f"{item.rmse(lambda field, **at: 0.0, count=100):.9e}",  # and the test points
    }


@cache
def _given(
    name: str, observations: int, sampling: Sampling, weights: tuple[tuple[str, float], ...]
) -> list[str]:
    return numbers_given(zoo.load(name).observed(observations), sampling, dict(weights))


def _rounded(problem: Problem) -> list[str]:
    """Observations of the first seed; other machines may have another last digit."""
    values = (np.column_stack([item.points, item.values]) for item in problem.observations)
    return [f"{number:.9e}" for array in values for number in array.flat]


def _arguments(experiment: Experiment, quick: bool) -> dict[str, Any]:
    """For `solve`."""
    assert experiment.make is not None
    item = experiment.benchmark
    method = experiment.make(item)
    arguments: dict[str, Any] = {"method": miniature(method) if quick else method}
    if isinstance(method, Auto | Windows):  # these choose points and weights themselves
        return arguments | {"sampling": None, "weights": None}
    weights = dict(item.weights)
    if experiment.kind == "gradient":  # the paper says nothing of theirs: all rows alike
        weights.pop("conditions", None)
    sampling = QUICK_SAMPLING if quick else item.sampling
    return arguments | {"sampling": sampling, "weights": weights}


def run_trial(
    key: str, seed: int, quick: bool, code: str = "", of_commit: str = "", sources: str = ""
) -> Record:
    """Run an experiment; what goes wrong in it is part of the record, so that others go on.

    The seed is that of the points, the data, the nodes and the test points. Who gives the state of
    the sources is told if those of this process are others.
    """
    if sources and sources != state():
        raise ProblemError(
            "The workers have another piscm than this one: bring them to one version, and leave "
            "its files alone while trials run."
        )
    experiment = named(key)
    record: Record = {
        "table": experiment.table,
        "method": experiment.method,
        "paradigm": experiment.paradigm,
        "seed": seed,
        "quick": quick,
        "code": code,
        "machine": machine(),
        "commit": of_commit,
    }
    try:
        return record | _measured(experiment, seed, quick)
    except ImportError:
        raise
    except Exception as error:  # a thousand trials are not to end for one
        failure = f"{type(error).__name__}: {error}"
        return record | {"failure": failure, "rmse": None, "seconds": None}


def _measured(experiment: Experiment, seed: int, quick: bool) -> Record:
    item = experiment.benchmark
    problem = item.observed(experiment.observations, seed)
    if experiment.kind == "gradient":
        jax_for(experiment.label)  # its import is no part of the time of a run
    began, cpu = time.perf_counter(), time.process_time()
    found = _found(experiment, problem, seed, quick)
    measured: Record = {
        "cpu": time.process_time() - cpu,
        "seconds": time.perf_counter() - began,
        "status": "converged",
    }
    if isinstance(found, Solution):
        unknowns = {name: unknown.value for name, unknown in found.unknowns.items()}
        measured["status"] = found.status.name.lower()
        measured["nodes"] = found.n_nodes
        measured["residual"] = _finite(found.fitted_residual)
        if experiment.table == "table-6":
            measured["residuals"] = thinned(found.history["residual"])
        if experiment.figure:
            measured["figure"] = field_data(found, item)
    else:
        unknowns = dict(found.unknowns)
    errors = [abs(unknowns[name] - true) for name, true in item.truth.items()]
    measured["error"] = _finite(max(errors)) if errors else None
    measured["rmse"] = _finite(item.rmse(found, seed=seed))
    return measured


def _found(experiment: Experiment, problem: Problem, seed: int, quick: bool) -> Any:
    if experiment.make is None:
        return classical(experiment.benchmark.name, experiment.accuracy, *problem.observations)
    arguments = _arguments(experiment, quick)
    if experiment.literal:
        return literal_solution(problem, **arguments, seed=seed)
    return solve(problem, **arguments, seed=seed, progress=False)


def _finite(value: float) -> float | None:
    """JSON knows no NaN."""
    return float(value) if math.isfinite(value) else None
