"""`piscm reproduce`: tiny trials, interrupted, resumed, on several workers and on a cluster."""

import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from piscm import Problem, ProblemError, zoo
from piscm.cli import app
from piscm.network.activations import Gaussian, Sine, Tanh
from piscm.paper import sources
from piscm.paper.confirmation import COLUMNS, adopt, confirm
from piscm.paper.experiment import BENCHMARKS, FIGURES, QUICK_SAMPLING
from piscm.paper.given import numbers_given, numbers_of_activations
from piscm.paper.printed import PRINTED
from piscm.paper.report import write_report
from piscm.paper.reproduce import _completed, check_folder
from piscm.paper.rows import EXPERIMENTS, selected
from piscm.paper.store import Store
from piscm.paper.summary import Summary
from piscm.paper.trial import run_trial, trials_of
from piscm.paper.trials import Trial, run_trials
from piscm.paper.workers import dask_workers, local_workers

FAST = ["pi-sc-i", "pi-sc-iii", "random-features", "scipy"]
NUMBERS = ("rmse", "error", "nodes", "residual", "status", "code", "residuals")


def numbers(records):
    """What a trial gives, whoever ran it: all but its time."""
    return {
        (r["table"], r["method"], r["paradigm"], r["seed"]): [r.get(key) for key in NUMBERS]
        for r in records
    }


def tiny(experiments, count=1, first=0):
    seeds = {item.key: range(first, first + count) for item in experiments}
    return trials_of(experiments, seeds, quick=True)


def run_here(folder, experiments, count=1):
    with ThreadPoolExecutor(1) as executor:
        return run_trials(tiny(experiments, count), executor, 1, Store(folder))


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


def test_a_small_run_gives_a_report(tmp_path):
    # What is trained takes its time to compile: one row of each kind shows that it trains.
    deep = {"pinn-deep", "pinn-tuned", "vs-pinn-deep", "vs-pinn-tuned"}
    words = ["reproduce", "--quick", "--trials", "1", "--workers", "2", "--out", str(tmp_path)]
    most = ["table-5", "table-6", "figure-1", "figure-2", "figure-3"]
    asked = 0
    for what, methods in (
        (["table-1", "table-4"], {"piscn", "literal", "windows", "scipy"}),
        (most, {item.method for item in selected(most, ())} - deep),
    ):
        done = CliRunner().invoke(app, [*words, *what, "--methods", ",".join(methods)])
        assert done.exit_code == 0, done.output
        asked += len(selected(what, list(methods)))
    records = list(Store(tmp_path).records())
    assert len(records) == asked
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
    first = run_here(tmp_path, experiments, 2)

    def never(*_):
        raise AssertionError("run again")

    monkeypatch.setattr("piscm.paper.trial.run_trial", never)
    assert run_here(tmp_path, experiments, 2) == first


def test_more_trials_and_more_methods_add_to_a_folder(tmp_path):
    run_here(tmp_path, selected(["table-2"], ["pi-sc-i"]))
    run_here(tmp_path, selected(["table-2"], ["pi-sc-i", "scipy"]), 2)
    assert len(list(Store(tmp_path).records())) == 2 * 2 + 2


def test_a_trial_of_other_code_is_confirmed_by_its_digits_or_run_again(tmp_path):
    experiments = selected(["table-2"], ["pi-sc-i", "scipy"])
    first = run_here(tmp_path, experiments, 5)
    store, asked = Store(tmp_path), tiny(experiments, 5)
    for trial, record in zip(asked, first, strict=True):
        off = 1e-15 if record["method"] == "scipy" and record["seed"] == 1 else 0.0
        store.write(trial.name, {**record, "code": "other", "rmse": record["rmse"] + off})
    with ThreadPoolExecutor(1) as executor:
        confirm(store, asked, executor, 1)
    told = {}
    for trial in asked:
        record = store.read(trial.name)
        told.setdefault(record["method"], []).append(record["code"] == trial.code)
    assert told == {"pi-sc-i": [True] * 10, "scipy": [True] * 3 + [False] * 2}
    assert "3 of 5 run again" in store.read(asked[-3].name)["confirmed"]


@pytest.mark.parametrize(("factor", "stands"), [(1 + 1e-8, True), (1 + 1e-5, False)])
def test_a_trial_of_another_machine_may_differ_by_its_round_off(tmp_path, factor, stands):
    experiments = selected(["table-2"], ["scipy"])
    first = run_here(tmp_path, experiments, 4)
    store, asked = Store(tmp_path), tiny(experiments, 4)
    for trial, record in zip(asked, first, strict=True):
        other = {"code": "other", "machine": "another", "rmse": record["rmse"] * factor}
        store.write(trial.name, {**record, **other})
    with ThreadPoolExecutor(1) as executor:
        confirm(store, asked, executor, 1)
    assert (store.read(asked[-1].name)["code"] == asked[-1].code) is stands


def test_the_table_of_a_folder_is_read_back(tmp_path):
    experiments = selected(["figure-2"], [])
    first = run_here(tmp_path / "one", experiments, 2)
    summary = Summary(EXPERIMENTS, first)
    write_report(tmp_path / "one", summary, "")
    store = Store(tmp_path / "two")
    shutil.copy(tmp_path / "one" / "trials.csv", tmp_path / "two")
    adopt(store, {experiments[0].key: first[0]["code"]}.get)
    kept = {name: first[1][name] for name in COLUMNS if name in first[1]}
    assert store.read(tiny(experiments, 2)[1].name).items() >= kept.items()


def test_a_row_is_completed_whatever_its_seeds():
    assert _completed(set(), 3) == {0, 1, 2}
    assert _completed({1000, 1001}, 4) == {1000, 1001, 1002, 1003}
    assert _completed({0, 5}, 2) == {0, 5}


def test_comments_and_docstrings_change_no_fingerprint(tmp_path, monkeypatch):
    for number, text in enumerate(('"""A."""\nx = 1\n', "x = 1  # why\n", "x = 2\n")):
        (tmp_path / f"{number}" / "piscm").mkdir(parents=True)
        (tmp_path / f"{number}" / "piscm" / "some.py").write_text(text)
    found = []
    for number in range(3):
        monkeypatch.setattr(sources, "_ROOT", tmp_path / f"{number}")
        forget_sources()
        found.append(sources.fingerprint(["piscm.some"], {}))
    monkeypatch.undo()
    forget_sources()
    assert found[0] == found[1] != found[2]


def test_a_fingerprint_sees_what_a_method_is_given(monkeypatch):
    item = zoo.load("van-der-pol")
    given = numbers_given(item.problem, QUICK_SAMPLING, item.weights)
    assert given == numbers_given(item.problem, QUICK_SAMPLING, item.weights)
    (equation,), (t, _) = item.problem.equations, item.problem.domain.coordinates
    other = Problem(item.problem.domain, [equation + t / 1e6], item.problem.conditions)
    changes = [
        (other, QUICK_SAMPLING, item.weights),
        (item.problem, replace(QUICK_SAMPLING, rule="sobol"), item.weights),
        (item.problem, QUICK_SAMPLING, {**item.weights, "conditions": 1.5}),
    ]
    for change in changes:
        assert numbers_given(*change) != given


def test_a_fingerprint_sees_what_activations_give(monkeypatch):
    given = numbers_of_activations()
    assert given == numbers_of_activations()
    monkeypatch.setattr(Gaussian, "derivatives", Tanh.derivatives)
    assert numbers_of_activations() != given
    monkeypatch.undo()
    monkeypatch.setattr(Sine, "deep", Tanh.deep)
    assert numbers_of_activations() != given


def forget_sources():
    for kept in (sources._code, sources._imports, sources._path, sources._reached):
        kept.cache_clear()


def test_a_failed_trial_is_written_down_and_tried_again(tmp_path, monkeypatch):
    experiments = selected(["table-2"], ["scipy"])

    def breaks(*_):
        raise FloatingPointError("no such number")

    with monkeypatch.context() as patch:
        patch.setattr("piscm.paper.trial.classical", breaks)
        (record, *_) = run_here(tmp_path, experiments)
    assert record["failure"] == "FloatingPointError: no such number"
    (record, *_) = run_here(tmp_path, experiments)
    assert "failure" not in record
    assert record["rmse"] > 0


def test_whatever_goes_wrong_in_a_trial_does_not_end_the_others(tmp_path, monkeypatch):
    def breaks(*_, **__):
        raise IndexError("beyond the end")

    monkeypatch.setattr("piscm.paper.trial.solve", breaks)
    records = run_here(tmp_path, selected(["table-2"], ["pi-sc-i", "scipy"]))
    failures = {record["method"]: record.get("failure") for record in records}
    assert failures == {"pi-sc-i": "IndexError: beyond the end", "scipy": None}


def test_lost_data_of_a_figure_are_made_again(tmp_path):
    experiments = selected(["figure-2"], [])
    run_here(tmp_path, experiments)
    path = Store(tmp_path).figure_path("figure-2")
    before = path.read_bytes()
    path.unlink()
    run_here(tmp_path, experiments)
    assert path.read_bytes() == before


def test_a_killed_run_keeps_what_was_finished_and_goes_on(tmp_path):
    words = ["table-2", "--quick", "--methods", "pi-sc-i"]
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
    words[words.index("40")] = "5"
    assert CliRunner().invoke(app, ["reproduce", *words]).exit_code == 0
    assert all(path.read_bytes() == content for path, content in kept.items())
    seeds = {r["seed"] for r in Store(tmp_path).records() if r["method"] == "pi-sc-i"}
    assert set(range(5)) <= seeds


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
    words = ["table-1", "--methods", "pi-sc-i", "--trials", "50", "--out", str(tmp_path)]
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
    experiments = selected(["table-5"], [*FAST, "auto"])
    trials, results = tiny(experiments, 1, 3), []
    for count in (1, 2):
        with local_workers(count) as executor:
            results.append(run_trials(trials, executor, count, Store(tmp_path / str(count))))
            trials.reverse()
    assert numbers(results[0]) == numbers(results[1])


def test_a_dask_cluster_gives_the_same_numbers(tmp_path):
    from distributed import LocalCluster

    experiments = selected(["table-2"], FAST)
    here = run_here(tmp_path / "here", experiments)
    options = {"threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": None}
    with (
        LocalCluster(n_workers=2, **options) as cluster,
        dask_workers(cluster.scheduler_address) as (executor, count),
    ):
        assert count == 2
        trials = tiny(experiments)
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

    trials = tiny(selected(["table-2"], ["scipy"])[:1], 2)
    with Dies(1) as executor, pytest.raises(RuntimeError, match="the same command goes on"):
        run_trials(trials, executor, 1, Store(tmp_path))
    assert len(list(Store(tmp_path).records())) == 1


# --- bad input ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def quick_trial():
    return run_trial("table-1/scipy/unsupervised", 0, quick=True)


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


@pytest.mark.parametrize(
    "damage",
    [
        "{",
        "[1]",
        "{}",
        "[" * 100_000,
        '{"seed": 0}',
        *({"seed": seed} for seed in (-1, 0.5, "0", None, True, 1)),
        *({"rmse": rmse} for rmse in ("a", -1, math.nan, math.inf, [1.0], True)),
        *({"quick": quick} for quick in (0, "no", None)),
        {"nodes": 1.5},
        {"residuals": [1.0, 0.5]},
        {"residuals": "1.0 b"},
        {"table": "table-9"},
        {"method": 3},
        {"status": "fine\x1b[2J"},
        {"machine": []},
    ],
    ids=lambda damage: str(damage)[:30],
)
def test_a_damaged_trial_is_named_and_run_again(tmp_path, capsys, damage, quick_trial):
    record, name = quick_trial, "table-1/scipy-unsupervised-seed0"
    Store(tmp_path).write(name, record)
    path = tmp_path / "trials" / f"{name}.json"
    assert Store(tmp_path).read(name) == record
    sound = path.read_text()
    path.write_text(damage if isinstance(damage, str) else json.dumps({**record, **damage}))
    store = Store(tmp_path)
    assert store.read(name) is None
    assert list(store.records()) == []
    words = " ".join(capsys.readouterr().err.split())
    assert words.count("seed0.json is damaged") == 1
    assert "\x1b" not in words
    again = Trial(name, 1.0, lambda: record)
    with ThreadPoolExecutor(1) as executor:
        run_trials([again], executor, 1, store)
    assert path.read_text() == sound


@pytest.mark.parametrize("quick", [True, False])
def test_quick_trials_and_full_ones_do_not_share_a_folder(tmp_path, quick):
    record = run_trial("table-1/scipy/unsupervised", 0, quick)
    Store(tmp_path).write("table-1/scipy-unsupervised-seed0", record)
    check_folder(tmp_path, quick=quick)
    with pytest.raises(ProblemError, match="choose another folder"):
        check_folder(tmp_path, quick=not quick)


def test_without_jax_the_message_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "jax", None)
    done = CliRunner().invoke(app, ["reproduce", "table-1", "--out", str(tmp_path / "new")])
    assert done.exit_code == 2
    assert "piscm[baselines]" in done.output


def test_a_trial_takes_its_seed_to_the_data():
    first = run_trial("table-2/pi-sc-i/semi-supervised", 0, True)
    other = run_trial("table-2/pi-sc-i/semi-supervised", 1, True)
    assert first["rmse"] != other["rmse"]


def test_a_worker_with_other_sources_is_told():
    with pytest.raises(ProblemError, match="another piscm"):
        run_trial("table-2/pi-sc-i/semi-supervised", 0, True, sources="other")
