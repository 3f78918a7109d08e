"""Patches and sweeps on a Dask cluster on this machine, whose workers may die."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import sympy
from typer.testing import CliRunner

import piscm
import piscm.fit.slabs as slabs
from piscm import PISC3, Box, Condition, Patches, Problem, Sampling, solve
from piscm.cli import app

distributed = pytest.importorskip("distributed")

# Sockets that Dask leaves to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore")

x = piscm.coordinates("x")
u = piscm.field("u", x)
PROBLEM = Problem(
    Box({x: (0, 2)}), [u.diff(x, 2) + sympy.exp(-u) - x], [Condition(u, on="boundary")]
)
AT = np.linspace(0, 2, 101)
CLUSTER = {"threads_per_worker": 1, "dashboard_address": None, "processes": True}


@pytest.fixture(scope="module")
def alone():
    return solve(PROBLEM, Patches(8), tol=1e-6)(x=AT)


def _cluster(workers, **more):
    return distributed.LocalCluster(n_workers=workers, **CLUSTER, **more)


def _shrink(cluster, client, workers):
    cluster.scale(workers)
    deadline = time.monotonic() + 60
    while len(client.nthreads()) > workers:
        assert time.monotonic() < deadline
        time.sleep(0.05)


FILE = """
equations = ["u_xx + exp(-u) - x"]
conditions = ["u(x=0) = 0", "u(x=2) = 0"]
domain = {x = [0, 2]}
method = {name = "patches", count = 8}
"""


def _by_command(folder, address):
    """What ``piscm solve`` finds on a cluster."""
    file = folder / "file.toml"
    file.write_text(FILE)
    options = ["--tol", "1e-6", "--dask", address, "--out", str(folder)]
    result = CliRunner().invoke(app, ["solve", str(file), *options])
    assert result.exit_code == 0, result.output
    return piscm.load(folder / "file-patches-seed0.npz")(x=AT)


@pytest.mark.slow
def test_the_same_bits_for_any_number_of_workers(alone, tmp_path):
    with _cluster(4) as cluster, distributed.Client(cluster) as client:
        assert np.array_equal(solve(PROBLEM, Patches(8), tol=1e-6, executor=client)(x=AT), alone)
        _shrink(cluster, client, 2)
        assert _by_command(tmp_path, cluster.scheduler_address) == pytest.approx(alone, abs=1e-6)
        assert np.array_equal(solve(PROBLEM, Patches(8), tol=1e-6, executor=client)(x=AT), alone)
        _shrink(cluster, client, 1)
        pool = client.get_executor()
        assert np.array_equal(solve(PROBLEM, Patches(8), tol=1e-6, executor=pool)(x=AT), alone)


ROWS = PISC3(max_nodes=6, scale=2.0, selection="orthogonal")


@pytest.mark.slow
def test_slabs_and_sweeps_of_workers_that_live_elsewhere(tmp_path, monkeypatch):
    monkeypatch.setattr(slabs, "_COLUMNS", 0)
    monkeypatch.setattr(slabs, "_ENOUGH_POINTS", 150)
    monkeypatch.setattr(slabs, "_SLAB", 1)  # a thousand points each
    many = Sampling(interior=9000)
    alone = solve(PROBLEM, ROWS, sampling=many)(x=AT)
    monkeypatch.chdir(tmp_path)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / "file.toml").write_text(FILE.replace("- x", "- k*x") + "parameters = {k = 1}\n")
    with _cluster(2) as cluster, distributed.Client(cluster) as client:
        for executor in (client, client.get_executor()):
            found = solve(PROBLEM, ROWS, sampling=many, executor=executor)
            assert np.array_equal(found(x=AT), alone)
        client.run(os.chdir, elsewhere)
        sweep = ["sweep", "file.toml", "--set", "k=1,2", "--tol", "1e-2", "--out", "runs"]
        result = CliRunner().invoke(app, [*sweep, "--dask", cluster.scheduler_address])
        assert result.exit_code == 0, result.output
    assert len(list((tmp_path / "runs").glob("*.npz"))) == 2


@pytest.mark.slow
def test_a_worker_killed_in_the_middle_costs_its_own_tasks(alone):
    with _cluster(2) as cluster, distributed.Client(cluster) as client:
        killed = []

        def kill(done, residual):
            if not killed:  # after the first trial: its districts are on the workers
                killed.append(next(iter(client.run(os.getpid).values())))
                os.kill(killed[0], signal.SIGKILL)

        found = solve(PROBLEM, Patches(8), tol=1e-6, executor=client, progress=kill)
        assert killed
        assert np.array_equal(found(x=AT), alone)


@pytest.mark.slow
def test_workers_with_little_memory_suffice():
    k = 20.3
    v = piscm.field("v", x, piscm.coordinates("y"))
    y = v.args[1]
    exact = sympy.sin(k * (0.6 * x + 0.8 * y))
    equation = v.diff(x, 2) + v.diff(y, 2) + k**2 * v
    box = Box({x: (0, 1), y: (0, 1)})
    problem = Problem(box, [equation], [Condition(v - exact, on="boundary")])
    with (
        _cluster(2, memory_limit="500MB") as cluster,
        distributed.Client(cluster) as client,
    ):
        before = set(client.run(os.getpid).values())
        assert solve(problem, Patches({x: 6, y: 6}), tol=1e-4, executor=client).status.ok
        assert set(client.run(os.getpid).values()) == before  # none was ended for its memory


SWEEP = """
import sys, time
from distributed import Client
import piscm
from piscm.baselines import RandomFeatures
import piscm.sweeping

x = piscm.coordinates("x")
u = piscm.field("u", x)

def decay(rate):
    start = piscm.Condition(u - 1, on={{x: 0}})
    return piscm.Problem(piscm.Box({{x: (0, 1)}}), [u.diff(x) + rate * u], [start])

def show(done, residual):
    print(done, flush=True)
    time.sleep({pause})

if __name__ == "__main__":
    with Client("{address}") as client:
        method = RandomFeatures(nodes=12, scale=3.0)
        rates = [1 + i / 100 for i in range({count})]
        piscm.sweep(
            decay, {{"rate": rates}}, executor=client, store="{store}", method=method, progress=show
        )
"""


@pytest.mark.slow
def test_a_client_that_dies_loses_no_finished_solve(tmp_path):
    count, store = 30, tmp_path / "store"
    with _cluster(2) as cluster:
        times = {}
        for turn in range(2):
            script = tmp_path / f"client{turn}.py"
            last = turn == 1
            script.write_text(
                SWEEP.format(
                    address=cluster.scheduler_address,
                    count=count,
                    store=store,
                    pause=0 if last else 0.5,
                )
            )
            with subprocess.Popen(
                [sys.executable, str(script)], stdout=subprocess.PIPE, text=True
            ) as client:
                if not last:
                    for _ in range(3):
                        client.stdout.readline()
                    client.kill()
                else:
                    client.communicate(timeout=120)
                    assert client.returncode == 0
            time.sleep(1.0)  # what runs on workers ends
            now = {path.name: path.stat().st_mtime_ns for path in store.glob("*.npz")}
            for name, written in times.items():
                assert now[name] == written  # neither lost nor solved again
            times = now
        assert len(times) == count
