"""The model of patches on many machines, its constants measured here, beside what was measured."""

import os
import pickle
import statistics
import time
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import asdict
from functools import partial
from typing import Any

import numpy as np

from piscm import PISC3, Patches, Problem, Solution, solve
from piscm.assemble.weighting import EVEN
from piscm.assemble.windows import Part
from piscm.linalg.threads import one_thread
from piscm.linalg.tsqr import triangle_of
from piscm.network.start import Start
from piscm.paper.drawing import finish
from piscm.paper.scale_model import Constants, Counts, counted, predicted
from piscm.paper.scale_problems import helmholtz
from piscm.paper.scale_workers import DASK_SETTINGS, timed
from piscm.paper.store import Record
from piscm.paper.study import Study, grouped
from piscm.paper.trials import Trial
from piscm.paper.workers import in_child
from piscm.patches.coupled import Coupled
from piscm.patches.cutting import cut_problem
from piscm.patches.grid import Grid
from piscm.patches.levels import Level, resolution

COLUMNS = (
    *("what", "workers", "patches", "clock", "seconds", "predicted"),
    *("districts", "alone", "top", "messages", "load"),
)
_NOTE = (
    "Helmholtz's equation on a square of patches, one solve. Seconds: CPU seconds of whoever asked "
    "and of the worker that had most to do, which is the clock of a quiet machine with a core for "
    "each. Predicted from constants that were measured on few patches, one front and one worker. "
    "0 workers: whoever asked does it all."
)
_NODES, _SIDE, _WORKERS = 200, 12, (0, 1, 2, 4)
_MACHINES = (1, 10, 100, 1000)
_LARGE = 100  # patches along a side, for the prediction
_SECONDS = 1800.0
# Dask has no type hints: hence what is ignored below.
_CLUSTER = {"threads_per_worker": 1, "dashboard_address": None, "processes": True}


def model(quick: bool) -> Study:
    """Constants, then a solve by each number of workers, then the prediction."""
    nodes, side = (30, 4) if quick else (_NODES, _SIDE)
    workers = (0, 1) if quick else _WORKERS
    trials = [
        Trial("model/constants", 20.0, partial(_in_child, constants, nodes)),
        *(
            Trial(f"model/{count} workers", 60.0, partial(_in_child, solved, nodes, side, count))
            for count in workers
        ),
    ]
    return Study("Patches on many machines", _NOTE, COLUMNS, trials, summary, draw)


def _in_child(work: Any, *arguments: int) -> Record:
    found: Record | None = in_child(work, arguments, _SECONDS)
    return found if found is not None else {"what": "failed"}


class _Clocked(Executor):
    """Works here, and keeps the time of it."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def map(self, work: Any, *arguments: Any, **_: Any) -> Any:  # type: ignore[override]
        began = time.process_time()
        found = list(map(work, *arguments))
        self.seconds += time.process_time() - began
        return found


def constants(nodes: int) -> Record:
    """What a patch, a front and a message take here."""
    small, large = 3, 6
    _in_patches(small, nodes)  # once, to load everything
    (few, few_alone, _, _), (many, many_alone, terms, sent) = (
        _in_patches(side, nodes) for side in (small, large)
    )
    more = large**2 - small**2
    rate = _rate(10 * terms)
    counts = [counted(side, nodes, terms) for side in (small, large)]
    merging = (counts[1].inner - counts[0].inner) / rate
    work = max(many - few - merging, 0.0) / more
    alone = max(many_alone - few_alone - (counts[1].top - counts[0].top) / rate, 0.0) / more
    latency, bandwidth = _wire()
    measured = Constants(work, alone, rate, latency, bandwidth, sent)
    return {"what": "constants", "nodes": nodes, "terms": terms, **asdict(measured)}


def _in_patches(side: int, nodes: int) -> tuple[float, float, int, float]:
    """Seconds of a solve in districts and beside them, polynomials, bytes of a patch."""
    problem, method = _asked(side, nodes)
    workers = _Clocked()
    with one_thread():
        began = time.process_time()
        solve(problem, method, executor=workers, progress=False)
        whole = time.process_time() - began
    grid = Grid.even(problem.domain, (side, side))
    level = Level(tuple(tuple(map(float, own)) for own in grid.edges), nodes)
    chosen = resolution(problem, grid, level, "sin", None, 1.0)
    rng = np.random.default_rng(0)
    cutting = cut_problem(Part.whole(problem), grid, chosen, Start(problem), EVEN, rng)
    sent = sum(len(pickle.dumps(own)) for own in Coupled(cutting).districts) / len(grid)
    return workers.seconds, whole - workers.seconds, chosen.terms, sent


def _asked(side: int, nodes: int) -> tuple[Problem, Patches]:
    problem, _ = helmholtz(side)
    x, y = problem.domain.coordinates
    return problem, Patches({x: side, y: side}, method=PISC3(max_nodes=nodes))


def _rate(columns: int) -> float:
    """Flops per second of a QR factorization of a front."""
    columns = max(columns, 400)
    rows = np.random.default_rng(0).standard_normal((2 * columns, columns))
    with one_thread():
        triangle_of(rows.copy())
        began = time.process_time()
        triangle_of(rows.copy())
        seconds = time.process_time() - began
    return 2.0 * columns**2 * (2 * columns - columns / 3) / seconds


def _wire() -> tuple[float, float]:
    """Seconds of a message and bytes per second, between a client and a worker of Dask here."""
    from distributed import Client, LocalCluster, wait

    calls, size = 200, 8_000_000
    latencies, bandwidths = [], []
    with LocalCluster(n_workers=1, **_CLUSTER) as cluster, Client(cluster) as client:  # type: ignore[no-untyped-call]
        client.gather(client.map(abs, range(20)))
        for _ in range(3):
            began = time.perf_counter()
            client.gather(client.map(abs, range(calls), pure=False))
            latencies.append((time.perf_counter() - began) / (2 * calls))  # there and back
            made = client.submit(np.ones, size, pure=False)
            wait(made)  # type: ignore[no-untyped-call]
            began = time.perf_counter()
            made.result()
            bandwidths.append(8.0 * size / (time.perf_counter() - began))
    return statistics.median(latencies), statistics.median(bandwidths)


def solved(nodes: int, side: int, workers: int) -> Record:
    """One solve by so many workers; the better of two."""
    import dask
    from distributed import Client, LocalCluster

    problem, method = _asked(side, nodes)

    def run(executor: Any = None) -> Solution:
        return solve(problem, method, executor=executor, progress=False)

    if workers:
        with (
            dask.config.set(DASK_SETTINGS),
            LocalCluster(n_workers=workers, **_CLUSTER) as cluster,  # type: ignore[no-untyped-call]
            Client(cluster) as client,  # type: ignore[no-untyped-call]
        ):
            pids = list(client.run(os.getpid).values())
            found = timed(partial(run, client), pids)
    else:
        found = timed(run)
    return {
        "what": "measured",
        "workers": workers,
        "patches": side**2,
        "clock": found.clock,
        "seconds": found.path,
        "load": os.getloadavg()[0],
    }


def summary(records: list[Record]) -> list[Record]:
    """What was measured beside what is predicted, and the prediction for many machines."""
    found = [own for own in records if own["what"] == "constants"]
    if not found:
        return []
    known = found[0]
    constants = Constants(**{name: known[name] for name in Constants.__dataclass_fields__})
    rows = []
    for own in records:
        if own["what"] == "measured":
            counts = counted(round(own["patches"] ** 0.5), known["nodes"], known["terms"])
            rows.append({**_row(counts, constants, own["workers"]), **own})
    large = counted(_LARGE, known["nodes"], known["terms"])
    rows += [{**_row(large, constants, count), "what": "predicted"} for count in (0, *_MACHINES)]
    best, alone = _row(large, constants, 100), large.top / constants.rate
    rows.append(
        {
            **best,
            "what": "predicted, if one merged all fronts",
            "top": alone,
            "predicted": best["predicted"] - best["top"] + alone,
        }
    )
    values = {name: float(value) for name, value in asdict(constants).items()}
    text = ", ".join(f"{name} {value:.3g}" for name, value in values.items())
    rows.append({**dict.fromkeys(COLUMNS, ""), "what": f"constants: {text}"})
    return rows


def _row(counts: Counts, constants: Constants, workers: int) -> Record:
    parts = predicted(counts, constants, workers)
    return {
        "workers": workers,
        "patches": counts.patches,
        "clock": float("nan"),
        "seconds": float("nan"),
        "predicted": sum(parts.values()),
        "messages": 0.0,
        "load": float("nan"),
        **parts,
    }


def draw(rows: Sequence[Record], ax: Any) -> None:
    """Seconds against workers: measured and predicted here, and the parts for a large problem."""
    groups = grouped([row for row in rows if row["workers"] != ""], "what")
    here = groups.get(("measured",), [])
    if here:
        at = [max(row["workers"], 0.7) for row in here]  # nobody else stands left of one
        ax.loglog(at, [row["seconds"] for row in here], "ko", label=f"measured, {_many(here)}")
        ax.loglog(at, [row["predicted"] for row in here], "k--", label="its prediction")
    large = [row for row in groups.get(("predicted",), []) if row["workers"]]
    machines = [row["workers"] for row in large]
    ax.loglog(machines, [row["predicted"] for row in large], "C0-", lw=2, label=_many(large))
    for number, part in enumerate(("districts", "alone", "top", "messages"), start=1):
        ax.loglog(machines, [row[part] for row in large], f"C{number}:", label=f"  {part}")
    finish(ax, legend={"fontsize": 8}, xlabel="workers", ylabel="seconds", title="many machines")


def _many(rows: Sequence[Record]) -> str:
    return f"{rows[0]['patches']} patches" if rows else ""
