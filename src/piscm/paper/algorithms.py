"""The algorithms on the paper's problems, beside one least-squares solve and the literal paper."""

import statistics
from functools import partial
from typing import Any

import numpy as np

from piscm import PISC1, PISC2, PISC3, Auto, Sampling, Solution, solve, zoo
from piscm.paper.drawing import BELOW, finish
from piscm.paper.store import Record
from piscm.paper.study import Study, grouped
from piscm.paper.trials import Trial
from piscm.paper.yardstick import final_shapes, literal_solution, lstsq_seconds
from piscm.zoo.benchmark import Benchmark

# With how long each takes beside the others.
PROBLEMS = {"van-der-pol": 0.4, "helmholtz": 0.8, "allen-cahn": 1.8}
LITERAL, AUTO = "literal PI-SC-III", "Auto"
_MEASURED = ("nodes", "rows", "windows", "seconds", "in_lstsq", "in_literal", "rmse")
COLUMNS = ("problem", "method", "trials", *_MEASURED)
_ORTHOGONAL = {"selection": "orthogonal", "candidates": 100}
_METHODS: dict[str, tuple[Any, dict[str, Any], float]] = {
    LITERAL: (PISC3, {}, 11.0),
    "PI-SC-I": (PISC1, {}, 1.0),
    "PI-SC-II": (PISC2, {}, 2.0),
    "PI-SC-III": (PISC3, {}, 2.5),
    "PI-SC-III, orthogonal": (PISC3, _ORTHOGONAL, 1.2),
    AUTO: (Auto, {}, 8.0),
}
"""Options beside those of the paper, and about how long each takes."""
_QUICK = {"max_nodes": 20, "candidates": 10}
_QUICK_SAMPLING = Sampling(interior=200, boundary=40, rule="latin")
_QUICK_AUTO = Auto(tolerance=1e-1, max_nodes=30)
_NOTE = (
    "Medians over the trials. in_lstsq: time as a ratio to one SciPy lstsq (gelsd, one thread) of "
    "the final design's size, timed right after; of several windows, one lstsq for each. "
    "in_literal: as a ratio to the paper's algorithm written plainly, in the same trial."
)


def algorithms(trials: int, quick: bool) -> Study:
    """Every algorithm on every problem, with as many seeds as trials."""
    # The methods take turns within a trial, so that other work on the machine hits all alike.
    runs = [
        Trial(
            f"algorithms/{name}, {label}, seed {seed}",
            share * effort,
            partial(_measured, name, label, quick, seed),
        )
        for name, share in PROBLEMS.items()
        for seed in range(trials)
        for label, (_, _, effort) in _METHODS.items()
    ]
    title = "Algorithms with the paper's settings" + ", in miniature" * quick
    return Study(title, _NOTE, COLUMNS, runs, summary, draw)


def _solution(benchmark: Benchmark, label: str, quick: bool, seed: int) -> Solution:
    if label == AUTO:
        return solve(benchmark.problem, _QUICK_AUTO if quick else Auto(), seed=seed, progress=False)
    kind, options, _ = _METHODS[label]
    method = benchmark.method(kind, **{**(_QUICK if quick else {}), **options})
    sampling = _QUICK_SAMPLING if quick else benchmark.sampling
    if label == LITERAL:
        return literal_solution(benchmark.problem, method, sampling, seed)
    return solve(benchmark.problem, method, sampling=sampling, seed=seed, progress=False)


def _measured(name: str, label: str, quick: bool, seed: int) -> Record:
    benchmark = zoo.load(name)
    solution = _solution(benchmark, label, quick, seed)
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


def summary(records: list[Record]) -> list[Record]:
    """The medians over the seeds; ratios are taken within a seed, before the median."""
    rows = []
    for own in grouped(records, "problem", "seed").values():
        (literal,) = (record["seconds"] for record in own if record["method"] == LITERAL)
        rows += [
            {**r, "in_lstsq": r["seconds"] / r["lstsq"], "in_literal": r["seconds"] / literal}
            for r in own
        ]
    return [
        {"problem": problem, "method": method, "trials": len(own)}
        | {key: statistics.median(row[key] for row in own) for key in _MEASURED}
        for (problem, method), own in grouped(rows, "problem", "method").items()
    ]


def draw(rows: list[Record], ax: Any) -> None:
    """Time in least-squares solves, by problem and method, with the gain over the literal one."""
    problems = [problem for (problem,) in grouped(rows, "problem")]
    methods = grouped(rows, "method")
    offsets = np.linspace(-0.35, 0.35, len(methods))
    for number, ((method,), own) in enumerate(methods.items()):
        places = [problems.index(row["problem"]) + offsets[number] for row in own]
        ax.plot(places, [r["in_lstsq"] for r in own], "o", color=f"C{number}", label=method)
        for place, row in zip(places, own, strict=True):
            gain = f"{1 / row['in_literal']:.2g}" if method != LITERAL else ""
            at = (place, row["in_lstsq"])
            ax.annotate(gain, at, (0, 5), textcoords="offset points", ha="center", fontsize=7)
    ax.set_yscale("log")
    ax.set_xticks(range(len(problems)), problems)
    ax.margins(y=0.1)
    finish(
        ax,
        legend={**BELOW, "ncols": 2},
        lines="y",
        xlabel="numbers: how many times as fast as the literal PI-SC-III",
        ylabel="time / one lstsq of final size",
        title="algorithms",
    )
