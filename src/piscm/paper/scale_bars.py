"""What patches, processes and a Dask cluster reach: one line for each bar.

``python -m piscm.paper.scale_bars out`` measures all, or those whose name contains a second
argument (``processes``, ``dask``, ``whole solves``); a case that is in the folder is not measured
again. Growth is measured in CPU seconds.
Where processes are compared the seconds are those of the clock, and mean something on a quiet
machine only: the load is told beside them.
"""

import argparse
import os
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from piscm import Patches, Solution, solve
from piscm.paper.growth import fitted_exponent
from piscm.paper.scale import Size, cost
from piscm.paper.scale_problems import helmholtz, multiscale, oscillation, relative_error
from piscm.paper.scale_workers import (
    killed_clients,
    killed_worker,
    two_processes,
    two_solves,
    two_workers,
)
from piscm.paper.store import Record, Store
from piscm.paper.study import grouped, measured, show
from piscm.paper.trials import Trial
from piscm.paper.workers import in_child
from piscm.text.files import write_csv

COLUMNS = ("what", "bar", "reached", "others", "load", "runs")
_SECONDS = 7200.0


class Case(NamedTuple):
    """A measurement for one bar: a size, the seeds, and what is measured of them."""

    what: str
    bar: str
    sizes: tuple[int, ...]
    seeds: int
    measure: Callable[[int, int], Record]


def _helmholtz(wavelengths: int, seed: int) -> Record:
    problem, exact = helmholtz(wavelengths)
    x, y = problem.domain.coordinates
    side = round(0.8 * wavelengths)
    began = time.process_time()
    solution = solve(problem, Patches({x: side, y: side}), tol=1e-5, seed=seed, progress=False)
    return _of(solution, began, relative_error(solution, problem, exact), wavelengths**2)


def _oscillation(periods: int, seed: int) -> Record:
    problem, exact = oscillation(periods)
    began = time.process_time()
    solution = solve(problem, Patches(2 * periods), tol=1e-8, seed=seed, progress=False)
    return _of(solution, began, relative_error(solution, problem, exact), periods)


def _multiscale(highest: int, seed: int) -> Record:
    problem, exact = multiscale(highest)
    x, y = problem.domain.coordinates
    began = time.process_time()
    solution = solve(
        problem, Patches({x: highest // 4, y: highest // 4}), tol=1e-6, seed=seed, progress=False
    )
    return _of(solution, began, relative_error(solution, problem, exact), highest)


def _of(solution: Solution, began: float, error: float, size: int) -> Record:
    seconds, status = time.process_time() - began, solution.status.name
    return {"error": error, "seconds": seconds, "size": size, "status": status}


def _memory(millions: int, seed: int) -> Record:
    found = cost(Size(8, 16, 200, millions * 10**6))
    return {"gigabytes": found["megabytes"] / 1000, **found, "size": found["points"]}


CASES = (
    Case("2-D Helmholtz, wavelengths", "1e-5 each, exponent ≤ 1.2", (10, 20, 40), 3, _helmholtz),
    Case("oscillation, periods", "1e-8, linear", (125, 250, 500, 1000), 3, _oscillation),
    Case("Poisson, highest frequency", "≤ 1e-6", (64,), 3, _multiscale),
    Case("256 patches of 200 nodes, million points", "< 4 GB", (10,), 1, _memory),
    Case("64 patches, processes", "≥ 1.7 ×, same bits", (2,), 3, two_processes),
    Case("64 patches, Dask workers", "≥ 1.5 ×, same bits", (2,), 3, two_workers),
    Case("whole solves at once", "what the machine gives", (2,), 1, two_solves),
    Case("a worker killed", "its own tasks only", (2,), 1, killed_worker),
    Case("sweep, client killed three times", "0 lost, 0 repeated", (200,), 1, killed_clients),
)


def _measured(case: str, size: int, seed: int) -> Record:
    """One measurement, in a process of its own, whose memory holds nothing else."""
    chosen = next(own for own in CASES if own.what == case)
    load = os.getloadavg()[0]
    found = in_child(chosen.measure, (size, seed), _SECONDS) or {}
    return {"case": case, "at": size, "seed": seed, "load": load, **found}


def summary(records: list[Record]) -> list[Record]:
    """A line for each case and size: medians over the seeds; then exponents."""
    rows = []
    for (case,), of_case in grouped(records, "case").items():
        bar = next(own.bar for own in CASES if own.what == case)
        points = []
        for (size,), own in grouped(of_case, "at").items():
            middle = {
                key: statistics.median(row[key] for row in own)
                for key, value in own[0].items()
                if isinstance(value, int | float) and key not in ("seed", "at", "load")
            }
            words = [key for key, value in own[0].items() if isinstance(value, str)]
            rest = {key: _spread([row[key] for row in own]) for key in middle if key != "size"}
            # A run that differs from the others is told.
            rest |= {key: " or ".join({row[key]: 0 for row in own}) for key in words}
            rest.pop("case")
            rows.append(
                {
                    "what": f"{case}: {size}",
                    "bar": bar,
                    "reached": rest.pop("error", "") or next(iter(rest.values()), ""),
                    "others": ", ".join(f"{key} {value}" for key, value in rest.items()),
                    "load": statistics.median(row["load"] for row in own),
                    "runs": len(own),
                }
            )
            if "seconds" in middle and "size" in middle:
                points.append((middle["size"], middle["seconds"]))
        if len(points) > 1:
            exponent = f"{fitted_exponent(points):.2f}"
            name = f"{case}: exponent of the time"
            rows.append({**rows[-1], "what": name, "reached": exponent, "others": ""})
    return rows


def _spread(values: list[float]) -> str:
    """The median, and from where to where values are."""
    low, middle, high = (f"{of(values):.3g}" for of in (min, statistics.median, max))
    return middle if low == high else f"{middle} ({low} to {high})"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("out", type=Path, nargs="?", default=Path("out"))
    parser.add_argument("wanted", nargs="?", default="", help="a part of the names of bars")
    parser.add_argument("--seeds", type=int, help="fewer or more seeds than usual")
    parser.add_argument("--most", type=int, default=10**9, help="leave out larger sizes")
    options = parser.parse_args()
    trials = [
        Trial(
            f"scale/{case.what}, {size}, seed {seed}",
            float(size),
            partial(_measured, case.what, size, seed),
        )
        for case in CASES
        if options.wanted.lower() in case.what.lower()
        for size in case.sizes
        if size <= options.most
        for seed in range(options.seeds or case.seeds)
    ]
    rows = summary(measured(trials, store=Store(options.out)))
    write_csv(options.out / "scale-bars.csv", COLUMNS, rows)
    show("Scale: medians over the seeds", COLUMNS, rows)


if __name__ == "__main__":
    main()
