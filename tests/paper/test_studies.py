"""The studies behind the README's figures run."""

import os
import subprocess
import sys

from piscm.paper.estimates import compared


def study(name, *arguments):
    command = [sys.executable, "-m", f"piscm.paper.{name}", *map(str, arguments)]
    environment = {**os.environ, "MPLBACKEND": "agg"}
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=True)


def test_coverage(tmp_path):
    done = study("coverage", "--sets", 1, "--out", tmp_path)
    assert "Van der Pol mu: the 95 % interval holds" in done.stdout
    assert (tmp_path / "coverage.png").stat().st_size > 10_000
    assert len((tmp_path / "coverage.csv").read_text().splitlines()) == 5


def test_bars_are_kept_and_not_run_again(tmp_path):
    wanted = "orthogonal, helmholtz"
    first = study("bars", tmp_path, wanted).stdout
    stored = sorted(tmp_path.glob("trials/bars/*.json"))
    written = [path.stat().st_mtime_ns for path in stored]
    assert len(stored) == 5
    assert study("bars", tmp_path, wanted).stdout == first
    assert [path.stat().st_mtime_ns for path in stored] == written


def test_guesses_has_its_options():
    assert {"--workers", "--out"} <= set(study("guesses", "--help").stdout.split())


def test_estimates_on_the_zoo():
    (found,) = compared(["poisson-disk"], seeds=1, max_seconds=60.0)
    assert (found.name, found.seed, found.status) == ("poisson-disk", 0, "converged")
    assert 0.5 < found.ratio < 2
