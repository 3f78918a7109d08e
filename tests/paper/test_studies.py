"""The studies behind the README's figures run."""

import os
import subprocess
import sys


def test_coverage(tmp_path):
    command = [sys.executable, "-m", "piscm.paper.coverage", "--sets", "1", "--out", tmp_path]
    environment = {**os.environ, "MPLBACKEND": "agg"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert "Van der Pol mu: the 95 % interval holds" in done.stdout
    assert (tmp_path / "coverage.png").stat().st_size > 10_000
    assert len((tmp_path / "coverage.csv").read_text().splitlines()) == 4
