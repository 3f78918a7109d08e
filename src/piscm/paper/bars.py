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

import numpy as np

from piscm import PISC3, Auto, Windows, solve, zoo
from piscm.paper.store import Record, Store
from piscm.paper.study import grouped, measured, show
from piscm.paper.trials import Trial
from piscm.paper.yardstick import final_shapes, literal_solution, lstsq_seconds
from piscm.zoo.benchmark import Benchmark

SEEDS = range(5)
PAPER = ("van-der-pol", "helmholtz", "allen-cahn")
DEFAULT = (
    "sine-gordon",
    "reaction-diffusion",
    "kovasznay",
    "kdv",
    "van-der-pol",
    "helmholtz",
    "kuramoto-sivashinsky",
    "allen-cahn",
)

Run = Callable[[Benchmark, int], Record]


def _literal(item: Benchmark, seed: int) -> Record:
    solution = literal_solution(item.problem, item.method(PISC3), item.sampling, seed)
    return {"literal error": item.rmse(solution), "literal seconds": solution.seconds}


def _paper(item: Benchmark, seed: int) -> Record:
    """PISC3 with the paper's settings, beside the literal algorithm."""
    method = item.method(PISC3)
    solution = solve(item.problem, method, sampling=item.sampling, seed=seed, progress=False)
    return {"error": item.rmse(solution), "seconds": solution.seconds, **_literal(item, seed)}


def _orthogonal(item: Benchmark, seed: int) -> Record:
    method = item.method(PISC3, selection="orthogonal", candidates=150, block=25)
    solution = solve(item.problem, method, sampling=item.sampling, seed=seed, progress=False)
    unit = lstsq_seconds(final_shapes(solution))
    return {"error": item.rmse(solution), "seconds": solution.seconds, "lstsq seconds": unit}


def _windows(item: Benchmark, seed: int, count: int, each: Auto) -> Record:
    t = next(symbol for symbol in item.problem.domain.coordinates if symbol.name == "t")
    record = _default(item, seed, Windows(t, count, method=each))
    return {**record, "literal seconds": _literal(item, seed)["literal seconds"]}


def _default(item: Benchmark, seed: int, method: Auto | Windows | None = None) -> Record:
    solution = solve(item.problem, method, seed=seed, progress=False)
    record = {
        "error": item.relative_error(solution),
        "rmse": item.rmse(solution),
        "seconds": solution.seconds,
        "estimate": solution.error_estimate.relative,
        "status": solution.status.name,
        "nodes": solution.n_nodes,
        "windows": len(final_shapes(solution)),
    }
    if item.name == "allen-cahn":  # whose layers at both ends are harder than all the rest
        rng = np.random.default_rng(seed)
        x, t = item.problem.domain.interior(10_000, lambda n, d: rng.random((n, d))).T
        inside = np.abs(x) < 0.9
        at = {"x": x[inside], "t": t[inside]}
        record["inside"] = float(np.sqrt(np.mean((solution(**at) - item.reference(**at)) ** 2)))
    return record


def _inverse(item: Benchmark, seed: int, tol: float) -> Record:
    problem = item.observed(item.observations, seed)
    solution = solve(problem, tol=tol, seed=seed, progress=False)
    (unknown,) = item.truth
    return {
        "error": abs(solution.unknowns[unknown].value - item.truth[unknown]),
        "rmse": item.rmse(solution),
        "seconds": solution.seconds,
        "estimate": solution.error_estimate.relative,
    }


_SINES = Auto(activation="sin", tolerance=2e-9, max_nodes=300)
_TANHS = Auto(activation="tanh", tolerance=1e-4)
RUNS: dict[str, tuple[str, Run, float]] = {
    **{f"PI-SC-III, {name}": (name, _paper, 12.0) for name in PAPER},
    "orthogonal, helmholtz": ("helmholtz", _orthogonal, 1.5),
    "8 windows, van-der-pol": ("van-der-pol", partial(_windows, count=8, each=_SINES), 12.0),
    "4 windows, allen-cahn": ("allen-cahn", partial(_windows, count=4, each=_TANHS), 25.0),
    "Auto 1e-6, van-der-pol-inverse": ("van-der-pol-inverse", partial(_inverse, tol=1e-6), 10.0),
    "Auto 1e-8, helmholtz-inverse": ("helmholtz-inverse", partial(_inverse, tol=1e-8), 10.0),
    **{f"solve(), {name}": (name, _default, 10.0) for name in DEFAULT},
    "Auto 1e-4, burgers": ("burgers", partial(_default, method=Auto(tolerance=1e-4)), 10.0),
}
"""On which benchmark, how, and about how many seconds it takes."""


def _measured(what: str, seed: int) -> Record:
    name, run, _ = RUNS[what]
    return {"what": what, "seed": seed, **run(zoo.load(name), seed)}


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
        Trial(f"bars/{what}, seed {seed}", effort, partial(_measured, what, seed))
        for what, (_, _, effort) in RUNS.items()
        for seed in SEEDS
        if options.wanted in what
    ]
    records = measured(trials, store=Store(options.out))
    rows = [_medians(what, own) for (what,), own in grouped(records, "what").items()]
    show("Medians over the seeds", ("what", "runs", "error", "seconds", "others"), rows)


if __name__ == "__main__":
    main()
