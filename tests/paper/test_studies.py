"""The studies behind the README's figures run."""

import sys
from importlib import import_module

import pytest

from piscm.paper import shape_bars
from piscm.paper.estimates import compared


@pytest.fixture
def study(monkeypatch, capsys):
    """``study(name, *arguments)``: what ``python -m`` prints of it; workers are as ever."""

    def run(name, *arguments):
        monkeypatch.setattr(sys, "argv", [name, *map(str, arguments)])
        import_module(f"piscm.paper.{name}").main()
        return capsys.readouterr().out

    return run


def test_coverage(study, tmp_path):
    told = study("coverage", "--sets", 1, "--out", tmp_path)
    assert "Van der Pol mu: the 95 % interval holds" in told
    assert (tmp_path / "coverage.png").stat().st_size > 10_000
    assert len((tmp_path / "coverage.csv").read_text().splitlines()) == 5


def test_bars_are_kept_and_not_run_again(study, tmp_path, monkeypatch):
    monkeypatch.setattr("piscm.paper.bars.SEEDS", range(2))
    wanted = "orthogonal, helmholtz"
    first = study("bars", tmp_path, wanted)
    stored = sorted(tmp_path.glob("trials/bars/*.json"))
    written = [path.stat().st_mtime_ns for path in stored]
    assert len(stored) == 2
    assert study("bars", tmp_path, wanted) == first
    assert [path.stat().st_mtime_ns for path in stored] == written


def test_guesses_has_its_options(study, capsys):
    with pytest.raises(SystemExit):
        study("guesses", "--help")
    assert {"--workers", "--out"} <= set(capsys.readouterr().out.split())


def test_estimates_on_the_zoo():
    (found,) = compared(["poisson-disk"], seeds=1, max_seconds=60.0)
    assert (found.name, found.seed, found.status) == ("poisson-disk", 0, "converged")
    assert 0.5 < found.ratio < 2


def test_bars_of_shapes_are_told_with_the_worst():
    records = [
        {"case": "poisson-disk", "seed": seed, "error": error, "status": "CONVERGED", "cpu": 0.2}
        for seed, error in enumerate((1e-9, 3e-9, 2e-9))
    ]
    (row,) = shape_bars.summary(records)
    assert (row["error"], row["worst"], row["runs"]) == (2e-9, "3.0e-09", 3)
    assert row["others"] == "cpu 0.2; CONVERGED"
    held = [{"case": "inclusion's conductivity", "error": 1.0, "holds": h} for h in (1.0, 0.0)]
    assert shape_bars.summary(held)[0]["others"] == "1 hold"
