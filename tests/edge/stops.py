"""Ctrl-C on the command line at random moments: ``python -m edge.stops --count 12``.

Many trials are begun and interrupted. All of them must end, with the exit code 130, with what is
done in the table, without a traceback and without parts of files. (POSIX systems only.)
"""

import argparse
import csv
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

COMMAND = [sys.executable, "-c", "from piscm.cli import app; app()", "solve", "van-der-pol"]
OPTIONS = ["--nodes", "40", "--trials", "1000", "--json", "--out"]


def faults(delay: float, folder: Path) -> list[str]:
    """What is wrong after Ctrl-C so many seconds after the first trial, or after the start."""
    process = subprocess.Popen(
        [*COMMAND, *OPTIONS, str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # with children of its own, as in a terminal
    )
    assert process.stdout is not None
    first = process.stdout.readline()
    time.sleep(delay)
    os.killpg(process.pid, signal.SIGINT)
    rest, words = process.communicate(timeout=120)
    done = [json.loads(line)["seed"] for line in (first + rest).splitlines()]
    wrong = [] if process.returncode == 130 else [f"exit code {process.returncode}"]
    wrong += ["a traceback"] if "Traceback" in words else []
    wrong += [f"left over: {own.name}" for own in folder.iterdir() if ".part" in own.name]
    tables = list(folder.glob("*-trials.csv"))
    written = [int(row["seed"]) for own in tables for row in csv.DictReader(own.open(newline=""))]
    wrong += [] if written == done else [f"printed {done}, written {written}"]
    return wrong + (["children live on"] if _lives(process.pid) else [])


def _lives(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m edge.stops")
    parser.add_argument("--count", type=int, default=12)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    draw, total = random.Random(asked.seed), 0
    for _ in range(asked.count):
        with tempfile.TemporaryDirectory() as folder:
            delay = draw.uniform(0.0, 4.0)
            found = faults(delay, Path(folder))
        total += bool(found)
        print(f"after {delay:.2f} s: {', '.join(found) or 'as promised'}", flush=True)
    print(f"{asked.count} times Ctrl-C, {total} with faults")
    return min(total, 1)


if __name__ == "__main__":
    sys.exit(main())
