"""What the engine reaches, in one run on one machine: accuracy and time, medians over seeds.

``python -m piscm.paper.bars out`` runs all, or those whose name contains a second argument. A run
that is in the folder already is not repeated. Times are compared within the run: with one dense
least-squares solve of the final size, and with the literal PI-SC-III (`piscm.paper.literal`).
"""

import argparse
import statistics
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from piscm import PISC3, Auto, Solution, solve, zoo
from piscm.paper.rows import ORTHOGONAL, windows_in_time
from piscm.paper.store import Record, Store
from piscm.paper.study import grouped, measured, show
from piscm.paper.trials import Trial
from piscm.paper.yardstick import final_shapes, literal_solution, lstsq_seconds
from piscm.zoo.benchmark import Benchmark

SEEDS = range(5)
_PAPER = ("van-der-pol", "helmholtz", "allen-cahn")
_DEFAULT = (
    "sine-gordon",
    "reaction-diffusion",
    "kovasznay",
    "kdv",
    "van-der-pol",
    "helmholtz",
    "kuramoto-sivashinsky",
    "allen-cahn",
)


class Run(NamedTuple):
    """A method on a benchmark, and what its time is compared with: "literal", "lstsq" or nothing.

    A run takes about `effort` seconds.
    """

    benchmark: str
    method: Callable[[Benchmark], Any] = lambda item: None
    beside: str = ""
    effort: float = 10.0


_SINES = Auto(activation="sin", tolerance=2e-9, max_nodes=300)
_TANHS = Auto(activation="tanh", tolerance=1e-4)
RUNS = {
    **{f"PI-SC-III, {n}": Run(n, lambda item: item.method(PISC3), "literal") for n in _PAPER},
    "orthogonal, helmholtz": Run(
        "helmholtz", lambda item: item.method(PISC3, **ORTHOGONAL), "lstsq", 1.5
    ),
    "8 windows, van-der-pol": Run(
        "van-der-pol", lambda item: windows_in_time(item, 8, _SINES), "literal"
    ),
    "4 windows, allen-cahn": Run(
        "allen-cahn", lambda item: windows_in_time(item, 4, _TANHS), "literal", 25.0
    ),
    "Auto 1e-6, van-der-pol-inverse": Run("van-der-pol-inverse", lambda item: Auto(tolerance=1e-6)),
    "Auto 1e-8, helmholtz-inverse": Run("helmholtz-inverse", lambda item: Auto(tolerance=1e-8)),
    **{f"solve(), {name}": Run(name) for name in _DEFAULT},
    "Auto 1e-4, burgers": Run("burgers", lambda item: Auto(tolerance=1e-4)),
}


def _measured(what: str, seed: int) -> Record:
    run = RUNS[what]
    item, method = zoo.load(run.benchmark), run.method(zoo.load(run.benchmark))
    grown = isinstance(method, PISC3)
    problem = item.observed(item.observations if item.truth else 0, seed)
    sampling = item.sampling if grown else None
    solution = solve(problem, method, sampling=sampling, seed=seed, progress=False)
    record: Record = {"what": what, "seed": seed, "seconds": solution.seconds}
    record |= {"rmse": item.rmse(solution), "status": solution.status.name}
    record |= {"nodes": solution.n_nodes, "windows": len(final_shapes(solution))}
    record["error"] = record["rmse"] if grown else item.relative_error(solution)
    for name, true in item.truth.items():
        record["error"] = abs(solution.unknowns[name].value - true)
    if not grown:
        record["estimate"] = solution.error_estimate.relative
        if item.name == "allen-cahn":
            record["inside"] = _rmse_inside(solution, item, seed)
    if run.beside == "lstsq":
        record["lstsq seconds"] = lstsq_seconds(final_shapes(solution))
    elif run.beside == "literal":
        literal = literal_solution(problem, item.method(PISC3), item.sampling, seed)
        record |= {"literal error": item.rmse(literal), "literal seconds": literal.seconds}
    return record


def _rmse_inside(solution: Solution, item: Benchmark, seed: int) -> float:
    """Away from the layers at both ends, which are harder than all the rest."""
    rng = np.random.default_rng(seed)
    x, t = item.problem.domain.sample_inside(10_000, lambda n, d: rng.random((n, d))).T
    at = {"x": x[np.abs(x) < 0.9], "t": t[np.abs(x) < 0.9]}
    return float(np.sqrt(np.mean((solution(**at) - item.reference(**at)) ** 2)))


def _medians(what: str, records: list[Record]) -> Record:
    medians = {
        key: statistics.median(record[key] for record in records)
        for key, value in records[0].items()
        if isinstance(value, int | float) and key != "seed"
    }
    others = {k: f"{v:.2g}" for k, v in medians.items() if k not in ("error", "seconds")}
    return {"what": what, "runs": len(records), **medians, "others": others}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("out", type=Path, nargs="?", default=Path("out"))
    parser.add_argument("wanted", nargs="?", default="", help="a part of the names of runs")
    options = parser.parse_args()
    trials = [
        Trial(f"bars/{what}, seed {seed}", run.effort, partial(_measured, what, seed))
        for what, run in RUNS.items()
        for seed in SEEDS
        if options.wanted in what
    ]
    records = measured(trials, store=Store(options.out))
    rows = [_medians(what, own) for (what,), own in grouped(records, "what").items()]
    show("Medians over the seeds", ("what", "runs", "error", "seconds", "others"), rows)


if __name__ == "__main__":
    main()
