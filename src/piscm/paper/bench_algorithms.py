"""The algorithms on the paper's problems, beside one least-squares solve and the literal paper."""

import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
from threadpoolctl import threadpool_limits

from piscm import zoo
from piscm.assemble.sampling import Sampling
from piscm.construct.methods import PISC1, PISC2, PISC3
from piscm.march.options import Auto
from piscm.paper.bench_part import Case, Part, Row, solved
from piscm.paper.literal import literal_pisc3
from piscm.paper.yardstick import final_shapes, lstsq_seconds
from piscm.result.solution import Solution
from piscm.zoo.benchmark import Benchmark

# With how long each takes beside the others.
PROBLEMS = {"van-der-pol": 0.4, "helmholtz": 0.8, "allen-cahn": 1.8}
LITERAL = "literal PI-SC-III"
COLUMNS = (
    "problem",
    "method",
    "trials",
    "nodes",
    "rows",
    "windows",
    "seconds",
    "in_lstsq",
    "in_literal",
    "rmse",
)
NOTE = (
    "Medians over the trials. in_lstsq: time as a ratio to one SciPy lstsq (gelsd, one thread) of "
    "the final design's size, timed right after; of several windows, one lstsq for each. "
    "in_literal: as a ratio to the paper's algorithm written plainly, in the same trial."
)
_QUICK = {"max_nodes": 20, "candidates": 10}
_QUICK_SAMPLING = Sampling(interior=200, boundary=40, rule="latin")
_QUICK_AUTO = Auto(tolerance=1e-2, max_nodes=50, max_seconds=0.5)

Solve = Callable[[Benchmark, int], Solution]


def algorithms(trials: int, quick: bool) -> Part:
    """Every algorithm on every problem, with as many seeds as trials."""
    # The methods take turns within a trial, so that other work on the machine hits all alike.
    cases = [
        Case(
            f"{name}, {label}, seed {seed}",
            share * effort,
            partial(_measured, name, label, run, seed),
        )
        for name, share in PROBLEMS.items()
        for seed in range(trials)
        for label, (run, effort) in _methods(quick).items()
    ]
    title = "Algorithms with the paper's settings" + ", in miniature" * quick
    return Part("algorithms", title, NOTE, COLUMNS, cases, summary)


def _methods(quick: bool) -> dict[str, tuple[Solve, float]]:
    """How each is run, and about how long that takes."""
    options = _QUICK if quick else {}
    orthogonal = {**options, "selection": "orthogonal", "candidates": 100}

    def sampling(benchmark: Benchmark) -> Sampling:
        return _QUICK_SAMPLING if quick else benchmark.sampling

    def literal(benchmark: Benchmark, seed: int) -> Solution:
        return _literal(benchmark, options, sampling(benchmark), seed)

    def paper(kind: type[PISC1] | type[PISC2] | type[PISC3], own: dict[str, object]) -> Solve:
        def run(benchmark: Benchmark, seed: int) -> Solution:
            method = benchmark.method(kind, **own)
            return solved(benchmark.problem, method, sampling(benchmark), seed)

        return run

    def auto(benchmark: Benchmark, seed: int) -> Solution:
        return solved(benchmark.problem, _QUICK_AUTO if quick else Auto(), None, seed)

    return {
        LITERAL: (literal, 11.0),
        "PI-SC-I": (paper(PISC1, {**options}), 1.0),
        "PI-SC-II": (paper(PISC2, {**options}), 2.0),
        "PI-SC-III": (paper(PISC3, {**options}), 2.5),
        "PI-SC-III, orthogonal": (paper(PISC3, orthogonal), 1.2),
        "Auto": (auto, 8.0),
    }


def _literal(
    benchmark: Benchmark, options: dict[str, int], sampling: Sampling, seed: int
) -> Solution:
    """The literal algorithm's network and time, as a solution.

    It gives a network only. Points and rows are those of the fast algorithm with the same seed, so
    a run of one node lends the rest.
    """
    method = benchmark.method(PISC3, **options)
    shell = solved(benchmark.problem, replace(method, max_nodes=1), sampling, seed)
    began = time.perf_counter()
    with threadpool_limits(1), np.errstate(all="ignore"):  # as in `solve`
        network = literal_pisc3(benchmark.problem, method, sampling, seed)
    return replace(shell, network=network, method=method, seconds=time.perf_counter() - began)


def _measured(name: str, label: str, run: Solve, seed: int) -> Row:
    benchmark = zoo.load(name)
    solution = run(benchmark, seed)
    shapes = final_shapes(solution)
    return {
        "problem": name,
        "method": label,
        "seed": seed,
        "nodes": solution.n_nodes,
        "rows": sum(rows for rows, _ in shapes),
        "windows": len(shapes),
        "seconds": solution.seconds,
        "lstsq": lstsq_seconds(shapes),
        "rmse": benchmark.rmse(solution, seed=seed),
    }


def summary(measured: list[Row]) -> list[Row]:
    """The medians over the seeds; ratios are taken within a seed, before the median."""
    literal = {
        (row["problem"], row["seed"]): row["seconds"]
        for row in measured
        if row["method"] == LITERAL
    }
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in measured:
        ratios = {
            "in_lstsq": row["seconds"] / row["lstsq"],
            "in_literal": row["seconds"] / literal[row["problem"], row["seed"]],
        }
        groups.setdefault((row["problem"], row["method"]), []).append({**row, **ratios})
    return [
        {"problem": problem, "method": method, "trials": len(own)}
        | {key: statistics.median(row[key] for row in own) for key in COLUMNS[3:]}
        for (problem, method), own in groups.items()
    ]
