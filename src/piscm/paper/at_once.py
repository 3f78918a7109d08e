"""What one network on a whole domain reaches by default, and the best one-shot rival beside it.

``python -m piscm.paper.at_once out`` runs all, or those whose name contains a second argument:
medians over the seeds of error, CPU seconds, and multiples of one least-squares solve of the final
size. Errors are relative: in L2, and the largest one at points graded towards the faces as well;
where there are layers both are taken there, since even points see nothing of a thin one.
With ``--zoo`` it is the other forward problems of the zoo, windows, regions and shapes among them,
whose time has no bar. With ``--rival`` the same problems are solved by `RandomFeatures` with
scanned scale and width; the rival's error is the smallest of all its runs that took no longer than
`Auto` did. Since `Auto` stops as soon as it meets the tolerance, it is worse than the rival where
it misses the tolerance and the rival meets it, or misses it by less. The last column says which
bars the medians miss: the tolerance, 60 least-squares solves, the largest error where there are
layers, an estimate within a factor 3, the rival, and no run that is sure and wrong.
"""

import argparse
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import sympy

from piscm import Solution, solve, zoo
from piscm.assemble.grading import NEAREST, measuring
from piscm.paper.rival import best_rival, worse
from piscm.paper.store import Record, Store
from piscm.paper.study import grouped, measured, show
from piscm.paper.trials import Trial
from piscm.paper.yardstick import final_shapes, lstsq_seconds
from piscm.problem.box import Box
from piscm.zoo import layers
from piscm.zoo.benchmark import Benchmark

SEEDS = range(5)
TEST_POINTS = 20_000
COLUMNS = ("what", "runs", "error", "rival", "seconds", "others", "bars")
MOST_LSTSQ, LAYER_ERROR, ESTIMATE_FACTOR = 60.0, 1e-5, 3.0


class Run(NamedTuple):
    """A problem with a tolerance; a run takes about `effort` seconds, and at most `longest`.

    Where there are layers the largest error has a bar as well, and the time has none, as where it
    is not `timed`.
    """

    benchmark: Callable[[], Benchmark]
    tolerance: float = 1e-6
    effort: float = 5.0
    layers: bool = False
    timed: bool = True
    longest: float = 600.0


def _runs() -> dict[str, Run]:
    named: tuple[str, ...] = (
        "poisson-3d",
        "poisson-5d",
        "wave-2d",
        "maxwell-2d",
        "runge-bump",
        "kovasznay",
    )
    named += ("helmholtz", "helmholtz-10-waves")
    runs = {name: Run(partial(zoo.load, name)) for name in named}
    runs["runge-bump, tol 1e-10"] = Run(partial(zoo.load, "runge-bump"), 1e-10, 120.0)
    for power in range(2, 7):
        width = sympy.Rational(1, 10**power)
        runs[f"layer, 1e-{power}"] = Run(partial(layers.convection, width), 1e-6, 2.0, True)
        both_ends = partial(layers.reaction, width)
        runs[f"layers at both ends, 1e-{power}"] = Run(both_ends, 1e-6, 2.0, True)
    for power in range(1, 4):
        width = sympy.Rational(1, 10**power)
        in_a_square = {
            "layer in 2-D": layers.convection_2d,
            "layers in a corner": layers.in_corner,
            "layers at all sides": layers.at_all_sides,
        }
        for what, made in in_a_square.items():
            runs[f"{what}, 1e-{power}"] = Run(partial(made, width), 1e-6, 5.0, True)
    return runs


RUNS = _runs()


def _run(what: str) -> Run:
    """One of the table, or of the zoo."""
    return RUNS.get(what) or Run(partial(zoo.load, what), effort=60.0, timed=False)


def _others() -> list[str]:
    """The other forward problems of the zoo."""
    problems = {name: zoo.load(name).problem for name in zoo.names() if name not in RUNS}
    return [
        name
        for name, problem in problems.items()
        if not set(problem.unknowns) - set(problem.amplitudes) and not problem.observations
    ]


def _measured(what: str, seed: int, rival: bool) -> Record:
    run = _run(what)
    item = run.benchmark()
    began = time.process_time()
    solution = solve(
        item.problem, tol=run.tolerance, seed=seed, progress=False, max_seconds=run.longest
    )
    seconds = time.process_time() - began
    record: Record = {"what": what, "seed": seed, "seconds": seconds, "nodes": solution.n_nodes}
    error = _error(run, item, solution)
    record |= {"status": solution.status.name, "error": error}
    known = solution.known_error
    record["estimate / error"] = np.inf if known is None else known.relative / error
    if isinstance(item.problem.domain, Box):
        record["largest"] = near_faces(solution, item)[1]
    if run.timed:
        record["in lstsq"] = seconds / lstsq_seconds(final_shapes(solution), time.process_time)
    if rival:
        best = best_rival(item.problem, partial(_error, run, item), seed, seconds)
        record["rival"] = np.inf if best is None else best.error
        if best is not None:
            record |= {"rival s": best.seconds, "rival nodes": best.nodes}
            record["rival scale"] = best.scale
    return {key: _storable(value) for key, value in record.items()}


def _storable(value: Any) -> Any:
    """What is not finite is nothing, in JSON."""
    return None if isinstance(value, float) and not np.isfinite(value) else value


def _error(run: Run, item: Benchmark, solution: Solution) -> float:
    """The relative error, in layers where there are some."""
    return near_faces(solution, item)[0] if run.layers else item.relative_error(solution)


def near_faces(solution: Solution, item: Benchmark) -> tuple[float, float]:
    """The error in L2 and the largest one, relative, at points that see what is near the faces.

    Of several fields the worst counts.
    """
    box, rng = item.problem.domain.bounding_box, np.random.default_rng(0)
    inside = box.sample_inside(TEST_POINTS, lambda n, d: rng.random((n, d)))
    points, weights = measuring(inside, box, NEAREST, rng)
    at = dict(zip((symbol.name for symbol in box.coordinates), points.T, strict=True))
    true: Any = item.reference(**at)
    true = true if isinstance(true, dict) else {str(item.problem.fields[0].func): true}
    mean, largest = [], []
    for own in item.problem.fields:
        known = true[str(own.func)]
        missed = np.abs(solution(own, **at) - known)
        mean.append(np.sqrt(weights @ missed**2 / (weights @ known**2)))
        largest.append(missed.max() / np.abs(known).max())
    return float(max(mean)), float(max(largest))


def _medians(what: str, records: list[Record]) -> Record:
    """Medians over the seeds; what nothing is known of is infinite."""
    medians = {
        key: statistics.median(np.inf if (own := r.get(key)) is None else own for r in records)
        for key in dict.fromkeys(key for record in records for key in record)
        if key not in ("what", "seed", "status")
    }
    others = {key: f"{value:.2g}" for key, value in medians.items() if key not in COLUMNS}
    statuses = sorted({record["status"].lower() for record in records})
    row: Record = {"what": what, "runs": len(records), "rival": np.inf, **medians}
    missed = ", ".join(_missed(_run(what), row, records)) or "met"
    return row | {"others": f"{others} {statuses}", "bars": missed}


def _missed(run: Run, row: Record, records: list[Record]) -> Iterator[str]:
    """The bars that the medians of a problem miss, and what no single run may do."""
    if run.layers and not row["largest"] <= LAYER_ERROR:
        yield "layer"
    if not run.layers and not row["error"] <= run.tolerance:
        yield "tolerance"
    if run.timed and not run.layers and not row["in lstsq"] <= MOST_LSTSQ:
        yield "lstsq"
    if not 1 / ESTIMATE_FACTOR <= row["estimate / error"] <= ESTIMATE_FACTOR:
        yield "estimate"
    if worse(row["error"], row["rival"], run.tolerance):
        yield "rival"
    wrong = ESTIMATE_FACTOR * run.tolerance
    sure = [record["error"] for record in records if record["status"] == "CONVERGED"]
    if any(error is None or not error <= wrong for error in sure):
        yield "sure and wrong"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("out", type=Path, nargs="?", default=Path("out"))
    parser.add_argument("wanted", nargs="?", default="", help="a part of the names of runs")
    parser.add_argument("--rival", action="store_true", help="scan RandomFeatures as well")
    parser.add_argument("--zoo", action="store_true", help="the other problems of the zoo instead")
    parser.add_argument("--seeds", type=int, default=len(SEEDS))
    options = parser.parse_args()
    kind = "at once, rival" if options.rival else "at once"
    trials = [
        Trial(
            f"{kind}/{what}, {seed}",
            _run(what).effort,
            partial(_measured, what, seed, options.rival),
        )
        for what in (_others() if options.zoo else RUNS)
        for seed in range(options.seeds)
        if options.wanted in what
    ]
    records = measured(trials, store=Store(options.out))
    rows = [_medians(what, own) for (what,), own in grouped(records, "what").items()]
    show("Medians over the seeds", COLUMNS, rows)


if __name__ == "__main__":
    main()
