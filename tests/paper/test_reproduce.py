"""`piscm reproduce`: tiny trials, interrupted, resumed, on several workers and on a cluster."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest
from typer.testing import CliRunner

from piscm import ProblemError
from piscm.cli import app
from piscm.paper.experiment import BENCHMARKS, FIGURES
from piscm.paper.printed import PRINTED
from piscm.paper.reproduce import check_folder, current, figures
from piscm.paper.rows import EXPERIMENTS, selected
from piscm.paper.store import Store
from piscm.paper.trial import run_trial, trials_of
from piscm.paper.trials import run_trials
from piscm.paper.workers import dask_workers, local_workers

FAST = ["pi-sc-i", "pi-sc-iii", "random-features", "scipy"]
NUMBERS = ("rmse", "error", "nodes", "residual", "status", "settings", "residuals")


def numbers(records):
    """What a trial gives, whoever ran it: all but its time."""
    return {
        (r["table"], r["method"], r["paradigm"], r["seed"]): [r.get(key) for key in NUMBERS]
        for r in records
    }


def run_here(folder, experiments, seeds):
    with ThreadPoolExecutor(1) as executor:
        return run_trials(trials_of(experiments, seeds, quick=True), executor, 1, Store(folder))


def command(*words):
    return [sys.executable, "-c", "from piscm.cli import app; app()", "reproduce", *words]


# --- what there is to run ---------------------------------------------------------------------


def test_every_row_of_the_paper_is_run():
    assert set(PRINTED) <= {item.key for item in EXPERIMENTS}


def test_experiments_have_names_of_their_own():
    assert len({item.key for item in EXPERIMENTS}) == len(EXPERIMENTS)


@pytest.mark.parametrize("what", [*BENCHMARKS, *FIGURES])
def test_tables_and_figures_can_be_asked_for_one_by_one(what):
    assert {item.table for item in selected([what], [])} == {FIGURES.get(what, what)}


def test_a_figure_of_a_field_needs_one_row_only():
    (row,) = selected(["figure-2"], [])
    assert (row.table, row.method, row.paradigm) == ("table-2", "pi-sc-iii", "semi-supervised")


def test_all_is_the_default():
    assert selected([], []) == selected(["all"], []) == list(EXPERIMENTS)


# --- a small run, whole ------------------------------------------------------------------------


def test_a_small_run_of_all_tables_gives_a_report(tmp_path):
    # Four layers take their time to compile: one table shows that they train.
    deep = {"pinn-deep", "pinn-tuned", "vs-pinn-deep", "vs-pinn-tuned"}
    methods = ",".join({item.method for item in EXPERIMENTS} - deep)
    words = ["reproduce", "--quick", "--trials", "1", "--workers", "2", "--out", str(tmp_path)]
    for what in (["table-4", "--methods", "pinn-deep,pinn-tuned"], ["all", "--methods", methods]):
        done = CliRunner().invoke(app, [*words, *what])
        assert done.exit_code == 0, done.output
    records = list(Store(tmp_path).records())
    assert len(records) == 2 + sum(item.method not in deep for item in EXPERIMENTS)
    assert [r for r in records if "failure" in r] == []
    for name in ("report.html", "report.md", "trials.csv"):
        assert (tmp_path / name).stat().st_size > 0
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    text = re.sub("<[^>]*>", "", html)
    assert [item.label for item in EXPERIMENTS if item.label not in text] == []
    assert html.count("<img") >= 5
    assert "http" not in html.replace("http://www.w3.org", "")


# --- resuming ----------------------------------------------------------------------------------


def test_what_is_there_is_not_run_again(tmp_path, monkeypatch):
    experiments = selected(["table-2"], FAST)
    first = run_here(tmp_path, experiments, [0, 1])

    def never(*_):
        raise AssertionError("run again")

    monkeypatch.setattr("piscm.paper.trial.run_trial", never)
    assert run_here(tmp_path, experiments, [0, 1]) == first


def test_more_trials_and_more_methods_add_to_a_folder(tmp_path):
    run_here(tmp_path, selected(["table-2"], ["pi-sc-i"]), [0])
    run_here(tmp_path, selected(["table-2"], ["pi-sc-i", "scipy"]), [0, 1])
    assert len(list(Store(tmp_path).records())) == 2 * 2 + 2


def test_other_settings_make_a_trial_stale(tmp_path):
    experiments = selected(["table-2"], ["pi-sc-i"])
    run_here(tmp_path, experiments, [0])
    store = Store(tmp_path)
    assert current(store, quick=False) == []  # a small trial is none of the paper's
    assert len(current(store, quick=True)) == len(experiments)


def test_a_failed_trial_is_written_down_and_tried_again(tmp_path, monkeypatch):
    experiments = selected(["table-2"], ["scipy"])

    def breaks(*_):
        raise FloatingPointError("no such number")

    with monkeypatch.context() as patch:
        patch.setattr("piscm.paper.trial.classical", breaks)
        (record, *_) = run_here(tmp_path, experiments, [0])
    assert record["failure"] == "FloatingPointError: no such number"
    (record, *_) = run_here(tmp_path, experiments, [0])
    assert "failure" not in record
    assert record["rmse"] > 0


def test_whatever_goes_wrong_in_a_trial_does_not_end_the_others(tmp_path, monkeypatch):
    def breaks(*_, **__):
        raise IndexError("beyond the end")

    monkeypatch.setattr("piscm.paper.trial.solve", breaks)
    records = run_here(tmp_path, selected(["table-2"], ["pi-sc-i", "scipy"]), [0])
    failures = {record["method"]: record.get("failure") for record in records}
    assert failures == {"pi-sc-i": "IndexError: beyond the end", "scipy": None}


def test_a_lost_picture_is_made_again_and_a_stale_one_is_not_shown(tmp_path):
    experiments = selected(["figure-2"], [])
    run_here(tmp_path, experiments, [0])
    store = Store(tmp_path)
    assert list(figures(store, quick=True)) == ["table-2"]
    assert figures(store, quick=False) == {}
    store.solution_path("table-2/any").unlink()
    run_here(tmp_path, experiments, [0])
    assert list(figures(store, quick=True)) == ["table-2"]


def test_a_killed_run_keeps_what_was_finished_and_goes_on(tmp_path):
    words = ["table-2", "--quick", "--methods", "pi-sc-i,scipy"]
    words += ["--trials", "40", "--workers", "2", "--out", str(tmp_path)]
    process = subprocess.Popen(command(*words), stderr=subprocess.PIPE, start_new_session=True)
    try:
        deadline = time.monotonic() + 120
        while len(list((tmp_path / "trials").glob("*/[!.]*.json"))) < 3:
            assert process.poll() is None, process.stderr.read().decode()
            assert time.monotonic() < deadline
            time.sleep(0.02)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        _wait_until_gone(process.pid)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.stderr.close()
    kept = {path: path.read_bytes() for path in (tmp_path / "trials").glob("*/[!.]*.json")}
    assert all(json.loads(content) for content in kept.values())
    words[words.index("40")] = "8"
    subprocess.run(command(*words), check=True, capture_output=True, timeout=300)
    assert all(path.read_bytes() == content for path, content in kept.items())
    seeds = {r["seed"] for r in Store(tmp_path).records() if r["method"] == "pi-sc-i"}
    assert set(range(8)) <= seeds


def _wait_until_gone(group):
    """The workers end with the process that they work for."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    raise AssertionError("workers are left over")


def test_ctrl_c_stops_at_once_and_says_how_to_go_on(tmp_path):
    words = ["table-1", "--methods", "pi-sc-iii", "--trials", "50", "--out", str(tmp_path)]
    process = subprocess.Popen(command(*words), stderr=subprocess.PIPE, start_new_session=True)
    deadline = time.monotonic() + 120
    while not list((tmp_path / "trials").glob("*/[!.]*.json")):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    _, message = process.communicate(timeout=600)  # a guard against hangs
    assert process.returncode == 130
    assert b"the same command goes on" in message
    assert b"Traceback" not in message
    assert all(r["status"] != "interrupted" for r in Store(tmp_path).records())


# --- whoever runs it ---------------------------------------------------------------------------


def test_the_number_of_workers_changes_no_number(tmp_path):
    experiments = selected(["table-5"], [*FAST, "pinn-shallow", "auto"])
    trials, results = trials_of(experiments, [3], quick=True), []
    for count in (1, 2):
        with local_workers(count) as executor:
            results.append(run_trials(trials, executor, count, Store(tmp_path / str(count))))
    assert numbers(results[0]) == numbers(results[1])


def test_a_dask_cluster_gives_the_same_numbers(tmp_path):
    from distributed import LocalCluster

    experiments = selected(["table-2"], FAST)
    here = run_here(tmp_path / "here", experiments, [0])
    options = {"threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": None}
    with (
        LocalCluster(n_workers=2, **options) as cluster,
        dask_workers(cluster.scheduler_address) as (executor, count),
    ):
        assert count == 2
        trials = trials_of(experiments, [0], quick=True)
        there = run_trials(trials, executor, count, Store(tmp_path / "there"))
    assert numbers(here) == numbers(there)


def test_a_dask_worker_with_threads_is_refused():
    from distributed import LocalCluster

    options = {"threads_per_worker": 2, "host": "127.0.0.1", "dashboard_address": None}
    with (
        LocalCluster(n_workers=1, **options) as cluster,
        pytest.raises(ProblemError, match="--nthreads 1"),
        dask_workers(cluster.scheduler_address),
    ):
        pass


def test_no_scheduler_is_told(monkeypatch):
    import distributed

    def nobody(*_, **__):
        raise OSError("timed out")

    monkeypatch.setattr(distributed, "Client", nobody)
    with (
        pytest.raises(ProblemError, match="no scheduler answers there"),
        dask_workers("tcp://127.0.0.1:9"),
    ):
        pass


def test_a_dead_worker_is_told_and_what_was_finished_is_kept(tmp_path):
    class Dies(ThreadPoolExecutor):
        def submit(self, function, *arguments):
            from concurrent.futures.process import BrokenProcessPool

            future = Future()
            if arguments[0].args[1] == 0:  # the seed
                future.set_result(function(*arguments))
            else:  # a little later, so that the first has been written down
                threading.Timer(0.3, future.set_exception, [BrokenProcessPool()]).start()
            return future

    trials = trials_of(selected(["table-2"], ["scipy"])[:1], [0, 1], quick=True)
    with Dies(1) as executor, pytest.raises(RuntimeError, match="the same command goes on"):
        run_trials(trials, executor, 1, Store(tmp_path))
    assert len(list(Store(tmp_path).records())) == 1


# --- bad input ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["table-9"], "'table-9' is nothing the paper has"),
        (["table-1", "--methods", "pielm"], "--methods pielm: here are"),
        (["--trials", "0"], "--trials 0"),
        (["--workers", "0"], "--workers 0"),
        (["--seed", "-1"], "--seed -1"),
        (["--dask", "tcp://127.0.0.1:9", "--workers", "2"], "leave it out with --dask"),
    ],
)
def test_bad_input_is_told_before_any_work(tmp_path, words, message):
    done = CliRunner().invoke(app, ["reproduce", *words, "--out", str(tmp_path / "new")])
    assert done.exit_code == 2
    assert message in " ".join(done.output.split())
    assert not (tmp_path / "new").exists()


def test_a_damaged_trial_is_named(tmp_path):
    path = tmp_path / "trials" / "table-2" / "pi-sc-i-unsupervised-seed0.json"
    path.parent.mkdir(parents=True)
    for content in ("{", "[1]", "{}"):
        path.write_text(content)
        with pytest.raises(ProblemError, match=r"pi-sc-i-unsupervised-seed0\.json"):
            check_folder(tmp_path, quick=True)


def test_a_damaged_solution_is_named(tmp_path):
    Store(tmp_path).solution_path("table-1/any").write_bytes(b"nothing")
    with pytest.raises(ProblemError, match=r"table-1\.npz"):
        check_folder(tmp_path, quick=True)


@pytest.mark.parametrize("quick", [True, False])
def test_quick_trials_and_full_ones_do_not_share_a_folder(tmp_path, quick):
    record = run_trial("table-1/scipy/unsupervised", 0, quick, False)
    Store(tmp_path).write("table-1/any", record)
    check_folder(tmp_path, quick=quick)
    with pytest.raises(ProblemError, match="choose another folder"):
        check_folder(tmp_path, quick=not quick)


def test_without_jax_the_message_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "jax", None)
    done = CliRunner().invoke(app, ["reproduce", "table-1", "--out", str(tmp_path / "new")])
    assert done.exit_code == 2
    assert "piscm[baselines]" in done.output


def test_a_trial_takes_its_seed_to_the_data(tmp_path: Path):
    first = run_trial("table-1/pi-sc-i/semi-supervised", 0, True, False)
    other = run_trial("table-1/pi-sc-i/semi-supervised", 1, True, True)
    assert first["rmse"] != other["rmse"]
    assert "solution" not in first
    assert other["solution"][:2] == b"PK"
