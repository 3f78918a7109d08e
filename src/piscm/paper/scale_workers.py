"""Measurements with several processes: how much faster, the same bits, what a loss costs."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import active_children, get_context
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piscm import PISC3, Patches, Solution, solve
from piscm.paper.machine import cpu_seconds
from piscm.paper.scale_problems import helmholtz
from piscm.paper.store import Record

# 8 × 8 patches of so many nodes: a few seconds of work.
_SIDE, _NODES = 8, 300
# Dask has no type hints: hence what is ignored below.
_CLUSTER = {"threads_per_worker": 1, "dashboard_address": None, "processes": True}
# By default workers of Dask give memory back after every array, and a profiler looks at them.
DASK_SETTINGS = {
    "distributed.worker.profile.enabled": False,
    "distributed.nanny.pre-spawn-environ": {
        "MALLOC_TRIM_THRESHOLD_": 2**28,
        "MALLOC_MMAP_THRESHOLD_": 2**25,
        "OMP_NUM_THREADS": 1,
        "OPENBLAS_NUM_THREADS": 1,
    },
}


def _solved(executor: Any = None, nodes: int = _NODES) -> Solution:
    problem, _ = helmholtz(_SIDE)
    x, y = problem.domain.coordinates
    method = Patches({x: _SIDE, y: _SIDE}, method=PISC3(max_nodes=nodes))
    return solve(problem, method, executor=executor, progress=False)


def _values(solution: Solution) -> NDArray[np.float64]:
    at = np.random.default_rng(0).random((2, 1000))
    return solution(*at)


@dataclass(frozen=True)
class Timed:
    """One solve: seconds on the clock, CPU seconds of the longest path, and values.

    The longest path is whoever asked and the worker that had most to do: what a quiet machine with
    a core for each would take.
    """

    clock: float
    path: float
    values: NDArray[np.float64]


def timed(run: Callable[[], Solution], workers: Sequence[int] = ()) -> Timed:
    """The better of two solves; `workers` are the processes that work on it."""
    return better([once(run, workers) for _ in range(2)])


def once(run: Callable[[], Solution], workers: Sequence[int] = ()) -> Timed:
    """One solve; `workers` are the processes that work on it."""
    before = [cpu_seconds(own) for own in workers]
    clock, here = time.perf_counter(), time.process_time()
    solution = run()
    clock, here = time.perf_counter() - clock, time.process_time() - here
    there = [cpu_seconds(own) - was for own, was in zip(workers, before, strict=True)]
    return Timed(clock, here + max(there, default=0.0), _values(solution))


def better(several: Sequence[Timed]) -> Timed:
    """The shortest times of several solves of the same problem."""
    clock, path = min(own.clock for own in several), min(own.path for own in several)
    return Timed(clock, path, several[0].values)


def _compared(executor: Any, workers: Callable[[], Sequence[int]]) -> Record:
    """Alone and together in turns, twice, so that both have the same share of what else runs."""
    _solved(executor, nodes=20)  # workers load what they need
    pids, pairs = workers(), []
    for _ in range(2):
        pairs.append((once(_solved), once(partial(_solved, executor), pids)))
    alone, together = (better(own) for own in zip(*pairs, strict=True))
    same = all(np.array_equal(own.values, alone.values) for pair in pairs for own in pair)
    return {
        "times faster": alone.clock / together.clock,
        "by CPU seconds of the longest path": alone.path / together.path,
        "serial": alone.clock,
        "same bits": "yes" if same else "NO",
    }


def two_processes(count: int, seed: int) -> Record:
    """Serial against a pool of processes."""
    with ProcessPoolExecutor(count, mp_context=get_context("forkserver")) as pool:
        return _compared(pool, lambda: [own.pid or 0 for own in active_children()])


def two_solves(count: int, seed: int) -> Record:
    """What the machine gives whole solves at once: no work in common can gain more."""
    with ProcessPoolExecutor(count, mp_context=get_context("forkserver")) as pool:
        list(pool.map(_clock, range(count)))  # workers load what they need
        one = max(pool.map(_clock, range(1)))
        return {"times faster": count * one / max(pool.map(_clock, range(count)))}


def _clock(_: int) -> float:
    return timed(_solved).clock


def two_workers(count: int, seed: int) -> Record:
    """Serial against a Dask cluster on this machine."""
    import dask
    from distributed import Client, LocalCluster

    with (
        dask.config.set(DASK_SETTINGS),
        LocalCluster(n_workers=count, **_CLUSTER) as cluster,  # type: ignore[no-untyped-call]
        Client(cluster) as client,  # type: ignore[no-untyped-call]
    ):
        return _compared(client, lambda: list(client.run(os.getpid).values()))


def killed_worker(count: int, seed: int) -> Record:
    """Which tasks are computed anew if a worker dies in the middle of a solve."""
    from distributed import Client, LocalCluster

    values = _values(_solved())
    with LocalCluster(n_workers=count, **_CLUSTER) as cluster, Client(cluster) as client:  # type: ignore[no-untyped-call]
        _solved(client, nodes=20)
        made: dict[str, int] = {}
        held: set[str] = set()
        pids: dict[str, int] = client.run(os.getpid)
        cluster.scheduler.add_plugin(_watch(cluster.scheduler, pids, made, held))
        found = _solved(client)
        again = [key for key, times in made.items() if times > 1]
        others = [key for key in again if key not in held]
        same = "yes" if np.array_equal(_values(found), values) else "NO"
        return {
            "others' tasks repeated": len(others),
            "repeated": len(again),
            "tasks": len(made),
            "same bits": same,
        }


def _watch(scheduler: Any, pids: dict[str, int], made: dict[str, int], held: set[str]) -> Any:
    """Counts how often tasks are done, and kills a worker after some of them."""
    from distributed import SchedulerPlugin

    class Watch(SchedulerPlugin):
        def transition(self, key: Any, start: str, finish: str, *args: Any, **kwargs: Any) -> None:
            if finish != "memory" or start != "processing":
                return
            made[str(key)] = made.get(str(key), 0) + 1
            if held or sum("factored" in own for own in made) < 3:
                return
            worker = next(iter(scheduler.workers.values()))
            held.update(str(own.key) for own in (*worker.has_what, *worker.processing))
            held.add("")  # once only, even if it held nothing
            os.kill(pids[worker.address], signal.SIGKILL)

    return Watch()


_SWEEP = """
from distributed import Client
import time
import piscm
from piscm.baselines import RandomFeatures

x = piscm.coordinates("x")
u = piscm.field("u", x)

def decay(rate):
    start = piscm.Condition(u - 1, on={{x: 0}})
    return piscm.Problem(piscm.Box({{x: (0, 1)}}), [u.diff(x) + rate * u], [start])

def show(done, residual):
    print(done, flush=True)

if __name__ == "__main__":
    with Client("{address}") as client:
        rates = [1 + i / 100 for i in range({count})]
        piscm.sweep(
            decay,
            {{"rate": rates}},
            executor=client,
            store="{store}",
            method=RandomFeatures(nodes=60, scale=3.0),
            progress=show,
        )
"""


def killed_clients(count: int, seed: int) -> Record:
    """A sweep whose client is killed three times: what is lost, what is solved again."""
    from distributed import LocalCluster

    kept: dict[str, int] = {}
    lost = repeated = 0
    with (
        tempfile.TemporaryDirectory() as folder,
        LocalCluster(n_workers=2, **_CLUSTER) as cluster,  # type: ignore[no-untyped-call]
    ):
        store, script = Path(folder) / "store", Path(folder) / "client.py"
        text = _SWEEP.format(address=cluster.scheduler_address, count=count, store=store)
        script.write_text(text, encoding="utf-8")
        for turn in range(4):
            _run_client(script, None if turn == 3 else (turn + 1) * count // 5)
            time.sleep(2.0)  # what runs on workers ends
            now = {path.name: path.stat().st_mtime_ns for path in store.glob("*.npz")}
            lost += len(set(kept) - set(now))
            repeated += sum(now[name] != kept[name] for name in set(kept) & set(now))
            kept = now
    return {"lost or repeated": lost + repeated, "solved": len(kept), "of": count}


def _run_client(script: Path, until: int | None) -> None:
    """Run a client, to its end or until it has told of so many solves."""
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True) as client:
        assert client.stdout is not None
        for line in client.stdout:
            if until is not None and int(line) >= until:
                client.kill()
                break
