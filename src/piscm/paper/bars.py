"""What the engine reaches, in one run on one machine: accuracy and time, medians over seeds.

``python -m piscm.paper.bars out`` writes one line a run to ``out/bars.jsonl`` (a run that is there
already is not repeated) and prints the medians. Times are compared within the run: with one dense
least-squares solve of the final size, and with the literal PI-SC-III (`piscm.paper.literal`).
"""

import json
import statistics
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import scipy.linalg
from rich.console import Console
from rich.table import Table
from threadpoolctl import threadpool_limits

from piscm import PISC3, Auto, Windows, solve, zoo
from piscm.paper.literal import literal_pisc3

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


def timed(function):
    began = time.perf_counter()
    result = function()
    return result, time.perf_counter() - began


def literal_run(item, seed):
    """The literal algorithm's network and its time, to be taken right beside another one."""
    method = item.method(PISC3)
    with threadpool_limits(1):
        return timed(lambda: literal_pisc3(item.problem, method, item.sampling, seed))


def paper_run(name, seed):
    """PISC3 with the paper's settings, beside the literal algorithm."""
    item = zoo.load(name)
    method = item.method(PISC3)
    literal, slow = literal_run(item, seed)
    solution, fast = timed(lambda: solve(item.problem, method, sampling=item.sampling, seed=seed))
    return {
        "error": item.rmse(solution),
        "literal error": item.rmse(replace(solution, network=literal)),
        "seconds": fast,
        "literal seconds": slow,
    }


def lstsq_seconds(rows, columns):
    rng = np.random.default_rng(0)
    matrix, target = rng.standard_normal((rows, columns)), rng.standard_normal(rows)
    with threadpool_limits(1):
        runs = [timed(lambda: scipy.linalg.lstsq(np.asfortranarray(matrix), target))[1]]
        runs += [timed(lambda: scipy.linalg.lstsq(np.asfortranarray(matrix), target))[1]]
    return min(runs)


def orthogonal_run(name, seed):
    item = zoo.load(name)
    method = item.method(PISC3, selection="orthogonal", candidates=150, block=25)
    solution, seconds = timed(
        lambda: solve(item.problem, method, sampling=item.sampling, seed=seed)
    )
    rows = sum(block.rows for block in solution.block_residuals)
    return {
        "error": item.rmse(solution),
        "seconds": seconds,
        "lstsq seconds": lstsq_seconds(rows, solution.n_nodes),
    }


def windows_run(name, seed, count, each):
    item = zoo.load(name)
    t = next(symbol for symbol in item.problem.domain.coordinates if symbol.name == "t")
    record = default_run(name, seed, Windows(t, count, method=each))
    return {**record, "literal seconds": literal_run(item, seed)[1]}


def default_run(name, seed, method=None):
    item = zoo.load(name)
    solution, seconds = timed(lambda: solve(item.problem, method, seed=seed))
    record = {
        "error": item.relative_error(solution),
        "rmse": item.rmse(solution),
        "seconds": seconds,
        "estimate": solution.error_estimate.relative,
        "status": solution.status.name,
        "nodes": solution.n_nodes,
        "windows": len(solution.network.panels.counts) if solution.network.panels else 1,
    }
    if name == "allen-cahn":
        rng = np.random.default_rng(seed)
        points = item.problem.domain.interior(10_000, lambda n, d: rng.random((n, d)))
        inside = np.abs(points[:, 0]) < 0.9
        names = [symbol.name for symbol in item.problem.domain.coordinates]
        at = dict(zip(names, points[inside].T, strict=True))
        record["inside"] = float(np.sqrt(np.mean((solution(**at) - item.reference(**at)) ** 2)))
    return record


def inverse_run(name, seed, tol):
    item = zoo.load(name)
    problem = item.observed(item.observations, seed)
    solution, seconds = timed(lambda: solve(problem, tol=tol, seed=seed))
    (unknown,) = item.truth
    return {
        "error": abs(solution.unknowns[unknown].value - item.truth[unknown]),
        "rmse": item.rmse(solution),
        "seconds": seconds,
        "estimate": solution.error_estimate.relative,
    }


RUNS = {
    **{f"PI-SC-III, {name}": (paper_run, (name,)) for name in PAPER},
    "orthogonal, helmholtz": (orthogonal_run, ("helmholtz",)),
    "8 windows, van-der-pol": (
        windows_run,
        ("van-der-pol", 8, Auto(activation="sin", tolerance=2e-9, max_nodes=300)),
    ),
    "4 windows, allen-cahn": (
        windows_run,
        ("allen-cahn", 4, Auto(activation="tanh", tolerance=1e-4)),
    ),
    "Auto 1e-6, van-der-pol-inverse": (inverse_run, ("van-der-pol-inverse", 1e-6)),
    "Auto 1e-8, helmholtz-inverse": (inverse_run, ("helmholtz-inverse", 1e-8)),
    **{f"solve(), {name}": (default_run, (name,)) for name in DEFAULT},
    "Auto 1e-4, burgers": (default_run, ("burgers", Auto(tolerance=1e-4))),
}


def main(folder: Path, wanted: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "bars.jsonl"
    lines = path.read_text().splitlines() if path.exists() else []
    records = [json.loads(line) for line in lines]
    done = {(record["what"], record["seed"]) for record in records}
    for what, (function, (name, *rest)) in RUNS.items():
        for seed in SEEDS:
            if (what, seed) in done or wanted not in what:
                continue
            record = {"what": what, "seed": seed, **function(name, seed, *rest)}
            records.append(record)
            with open(path, "a") as file:
                file.write(json.dumps(record) + "\n")
            print(record, file=sys.stderr, flush=True)
    table = Table("what", "runs", "error", "seconds", "others", box=None)
    for what in RUNS:
        own = [record for record in records if record["what"] == what]
        if not own:
            continue
        medians = {
            key: statistics.median(record[key] for record in own)
            for key, value in own[0].items()
            if isinstance(value, int | float) and key != "seed"
        }
        others = {k: f"{v:.2g}" for k, v in medians.items() if k not in ("error", "seconds")}
        row = f"{medians['error']:.1e}", f"{medians['seconds']:.2f}", str(others)
        table.add_row(what, str(len(own)), *row)
    Console(width=160).print(table)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out"), *(sys.argv[2:3] or [""]))
